import { blockFailure } from '../block-failure.ts';
import { pathTo, runSteps } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

/** While it goes on, its value is the element; then it is what the last step of each pass gave. */
export const loop: StepType<'loop'> = async ({ id, over, max, steps }, { template, within }) => {
  const elements = template(over);
  const body = await within(steps);
  return async (run, path) => {
    const list: unknown = run.evaluate(elements);
    if (!Array.isArray(list)) throw blockFailure('a loop goes over a list, and this is none');
    if (list.length > max) throw blockFailure(`the loop goes over at most ${max} elements`);
    const items: unknown[] = [];
    for (const [index, item] of list.entries()) {
      run.keep(id, { item, index });
      items.push(await runSteps(body, run, pathTo(path, index)));
    }
    return { value: { items, count: items.length } };
  };
};
