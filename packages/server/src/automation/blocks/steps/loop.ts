import { placedSteps } from '../../kinds/logicblock-steps.ts';
import { blockFailure } from '../block-failure.ts';
import type { Done, OnError, Running } from '../effects.ts';
import { type CaughtDone, caught, pathTo, runSteps } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

/**
 * While it goes on, its value is the element; then it is what the last step of each pass gave. It catches its errors
 * itself, pass by pass, and says how many passes failed.
 */
export const loop: StepType<'loop'> = async ({ id, over, max, steps }, { template, within, onError }) => {
  const elements = template(over);
  const body = await within(steps);
  const ifRefused = await onError();
  const catchingIds = placedSteps(steps).flatMap(({ step }) => (step.on_error === undefined ? [] : [step.id]));
  const listOf = (run: Running): readonly unknown[] => {
    const list: unknown = run.evaluate(elements);
    if (!Array.isArray(list)) throw blockFailure('a loop goes over a list, and this is none');
    if (list.length > max) throw blockFailure(`the loop goes over at most ${max} elements`);
    return list;
  };
  const pass = (run: Running, path: string): Promise<Done> => {
    // What an earlier pass met is nothing of this one.
    for (const one of catchingIds) run.forgetError(one);
    return runSteps(body, run, path).then((value) => ({ value }));
  };
  return async (run, path) => {
    if (ifRefused === undefined) return passes(listOf(run), run, { id, path, pass });
    const step = { id, type: 'loop' };
    run.forgetError(id);
    const begun = await caught(run, { step, path, onError: ifRefused }, () => ({ value: listOf(run) }));
    if (begun.isRefused === true) return begun;
    return passes(begun.value as readonly unknown[], run, { id, path, pass, onError: ifRefused });
  };
};

interface Passes {
  readonly id: string;
  readonly path: string;
  readonly pass: (run: Running, path: string) => Promise<Done>;
  readonly onError?: OnError;
}

async function passes(list: readonly unknown[], run: Running, { id, path, pass, onError }: Passes): Promise<Done> {
  const items: unknown[] = [];
  let failed = 0;
  for (const [index, item] of list.entries()) {
    run.keep(id, { item, index });
    const place = { step: { id, type: 'loop' }, path: pathTo(path, index) };
    const work = () => pass(run, place.path);
    const done: CaughtDone = onError === undefined ? await work() : await caught(run, { ...place, onError }, work);
    if (done.isRefused === true) {
      failed += 1;
      run.effects.passFailed?.();
    }
    // The run goes on at another step, so the passes behind this one are not done.
    if (done.next !== undefined) return { value: null, next: done.next };
    items.push(done.value);
  }
  return { value: { items, count: items.length, ...(onError === undefined ? {} : { failed }) } };
}
