import type { StepType } from './step-compiler.ts';

export const set: StepType<'set'> = ({ values }, { template }) => {
  const made = template(values);
  return (run) => ({ value: run.evaluate(made) });
};

export const transform: StepType<'transform'> = ({ value }, { template }) => {
  const made = template(value);
  return (run) => ({ value: run.evaluate(made) });
};
