import type { StepType } from './step-compiler.ts';

/** The source is no template: what a script reads is handed to it. */
export const script: StepType<'script'> =
  ({ id, source }) =>
  async (run, path) => ({ value: await run.script(path, { id, source }) });
