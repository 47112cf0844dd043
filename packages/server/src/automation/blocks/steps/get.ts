import type { StepType } from './step-compiler.ts';
import { textOf } from './text-of.ts';

export const get: StepType<'get'> = ({ id, entity, record }, { template }) => {
  const recordId = template(record);
  return async (run, path) => {
    const step = { id, type: 'get', entity, record: textOf(run.evaluate(recordId)) } as const;
    return { value: await run.entity(path, step) };
  };
};
