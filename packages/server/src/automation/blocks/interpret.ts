import { checkSchema } from '../../lib/check-schema.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { atStep, mayBeCaught } from './block-failure.ts';
import {
  BlockRun,
  type CompiledBlock,
  type CompiledSteps,
  type Done,
  type Effects,
  type OnError,
  type StartValues,
  type StepName,
} from './block-run.ts';

/**
 * Does the steps of a block and gives what it returns. It has no store, no clock and no I/O of its own: all of that lies
 * in its effects.
 * @throws Problem of the step that is refused, with its id in `step`; `block_failed`.
 */
export function interpret(block: CompiledBlock, start: StartValues, effects: Effects): Promise<unknown> {
  return runBlock(block, BlockRun.begin(effects, start, block), '');
}

/** @param path that of the call; empty for the block with which a run begins. */
export async function runBlock(block: CompiledBlock, run: BlockRun, path: string): Promise<unknown> {
  await runSteps(block.steps, run, path);
  run.place(pathTo(path, block.steps.length), { id: '', type: 'returns' });
  return block.returns === undefined ? null : run.evaluate(block.returns);
}

/** Gives the value of the step that was done last; `null` where none was. */
export async function runSteps(steps: CompiledSteps, run: BlockRun, path: string): Promise<unknown> {
  let last: unknown = null;
  for (let index = 0; index < steps.length; ) {
    const step = steps[index];
    if (step === undefined) break;
    const place = pathTo(path, index);
    try {
      await run.startStep(place, step);
      const work = () => step.run(run, place);
      const { value, next = index + 1 } = await (run.effects.watched?.(place, step, work) ?? work());
      run.keep(step.id, value);
      last = value;
      index = next;
    } catch (error) {
      throw await refusedAt(run, { step, path: place }, error);
    }
  }
  return last;
}

/** A step, or a pass of a loop, and its place in the run. */
interface StepPosition {
  readonly step: StepName;
  readonly path: string;
}

/** The error with the step that met it; of what is caught further out, that step is kept with the run. */
async function refusedAt(run: BlockRun, { step, path }: StepPosition, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.details.step !== undefined) return error;
  if (run.isCaught && mayBeCaught(error)) await run.effects.refused?.(path, step, error);
  return atStep(step.id, error);
}

export interface CaughtDone extends Done {
  readonly isRefused?: true;
}

/** Does what is caught where it is refused. */
export async function caught(
  run: BlockRun,
  { onError, ...place }: StepPosition & { readonly onError: OnError },
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

/** To look at each takes about a microsecond, and others wait meanwhile. */
const valuesMax = 20_000;

/**
 * @param at the position of the input in the body that was sent: a JSON pointer.
 * @throws Problem `validation_failed`, `unknown_field`, with everything that is wrong.
 */
export function checkInput({ input }: Pick<CompiledBlock, 'input'>, value: unknown, at = ''): void {
  if (valuesIn(value, valuesMax) > valuesMax)
    throw invalidBody([{ pointer: at, code: 'too_many', message: `an input may have at most ${valuesMax} values` }]);
  const errors = checkSchema(input, value).map((error) => ({ ...error, pointer: at + error.pointer }));
  if (errors.length > 0) throw invalidBody(errors);
}

/** It stops to count above `max`. */
function valuesIn(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Object.values(value)) {
    count += valuesIn(member, max - count);
    if (count > max) break;
  }
  return count;
}
