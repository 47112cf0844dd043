import type { StepType } from './step-compiler.ts';

export const wait: StepType<'wait'> =
  ({ id, seconds }) =>
  async (run, path) => {
    await run.effects.wait(path, id, seconds * 1000);
    return { value: null };
  };
