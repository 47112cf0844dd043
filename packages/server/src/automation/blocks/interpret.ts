import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { atStep } from './block-failure.ts';
import { BlockRun } from './block-run.ts';
import type { CompiledBlock, CompiledStep, CompiledSteps, Done, Effects, Running, StartValues } from './effects.ts';

/**
 * Does the steps of a block and gives what it returns. It has no store, no clock and no I/O of its own: all of that lies
 * in its effects.
 * @throws Problem of the step that is refused, with its id in `step`; `block_failed`.
 */
export function interpret(block: CompiledBlock, start: StartValues, effects: Effects): Promise<unknown> {
  return runBlock(block, BlockRun.begin(effects, start, block), '');
}

/** @param path that of the call; empty for the block with which a run begins. */
export async function runBlock(block: CompiledBlock, run: Running, path: string): Promise<unknown> {
  await runSteps(block.steps, run, path);
  return block.returns === undefined ? null : run.evaluate(block.returns);
}

/** Gives the value of the step that was done last; `null` where none was. */
export async function runSteps(steps: CompiledSteps, run: Running, path: string): Promise<unknown> {
  let last: unknown = null;
  for (let index = 0; index < steps.length; ) {
    const step = steps[index];
    if (step === undefined) break;
    try {
      await run.beginStep();
      const { value, next = index + 1 } = await doStep(step, run, pathTo(path, index));
      run.keep(step.id, value);
      last = value;
      index = next;
    } catch (error) {
      throw error instanceof Problem ? atStep(step.id, error) : error;
    }
  }
  return last;
}

function doStep(step: CompiledStep, run: Running, path: string): MaybePromise<Done> {
  const { effects } = run;
  return effects.watched === undefined ? step.run(run, path) : effects.watched(path, step, () => step.run(run, path));
}

/** Paths sort as the steps are done. */
export function pathTo(path: string, index: number): string {
  const place = String(index).padStart(4, '0');
  return path === '' ? place : `${path}.${place}`;
}
