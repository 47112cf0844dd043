import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { atStep, mayBeCaught } from './block-failure.ts';
import { BlockRun } from './block-run.ts';
import type {
  CompiledBlock,
  CompiledStep,
  CompiledSteps,
  Done,
  Effects,
  OnError,
  Running,
  StartValues,
  StepName,
} from './effects.ts';

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
  run.place(pathTo(path, block.steps.length), { id: '', type: 'returns' });
  return block.returns === undefined ? null : run.evaluate(block.returns);
}

/** Gives the value of the step that was done last; `null` where none was. */
export async function runSteps(steps: CompiledSteps, run: Running, path: string): Promise<unknown> {
  let last: unknown = null;
  for (let index = 0; index < steps.length; ) {
    const step = steps[index];
    if (step === undefined) break;
    const place = pathTo(path, index);
    try {
      await run.beginStep(place, step);
      const { value, next = index + 1 } = await doStep(step, run, place);
      run.keep(step.id, value);
      last = value;
      index = next;
    } catch (error) {
      throw await refusedAt(run, { step, path: place }, error);
    }
  }
  return last;
}

function doStep(step: CompiledStep, run: Running, path: string): MaybePromise<Done> {
  const { effects } = run;
  return effects.watched === undefined ? step.run(run, path) : effects.watched(path, step, () => step.run(run, path));
}

/** A step, or a pass of a loop, and its place in the run. */
interface Place {
  readonly step: StepName;
  readonly path: string;
}

/** The error with the step that met it; of what is caught further out, that step is kept with the run. */
async function refusedAt(run: Running, { step, path }: Place, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.details.step !== undefined) return error;
  if (run.isCaught && mayBeCaught(error)) await run.effects.refused?.(path, step, error);
  return atStep(step.id, error);
}

export interface CaughtDone extends Done {
  readonly isRefused?: true;
}

/** Does what is caught where it is refused. */
export async function caught(
  run: Running,
  { onError, ...place }: Place & { readonly onError: OnError },
  work: () => MaybePromise<Done>,
): Promise<CaughtDone> {
  const { step, path } = place;
  try {
    return await run.catching(async () => {
      try {
        return await work();
      } catch (error) {
        throw await refusedAt(run, place, error);
      }
    });
  } catch (error) {
    if (!(error instanceof Problem) || !mayBeCaught(error)) throw error;
    run.keepError(step.id, error);
  }
  const { steps, next } = onError;
  const value = await runSteps(steps, run, `${path}.${onErrorPath}`);
  return { value, isRefused: true, ...(next === undefined ? {} : { next }) };
}

/** Behind the places of all that is done within the step. */
const onErrorPath = 'e';

/** Paths sort as the steps are done. */
export function pathTo(path: string, index: number): string {
  const place = String(index).padStart(4, '0');
  return path === '' ? place : `${path}.${place}`;
}
