import type { StepType } from './step-compiler.ts';

/** The source is no template: what a script reads is handed to it. */
export const script: StepType<'script'> =
  ({ source }) =>
  async (run, path) => ({ value: await run.script(path, source) });
