import { Problem } from '../../../lib/problem.ts';
import { mayBeCaught } from '../block-failure.ts';
import type { CompiledSteps, Running } from '../effects.ts';
import { pathTo, runSteps } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

/** Its value is what the last step of each branch gave. All branches come to their end, also where one of them fails. */
export const parallel: StepType<'parallel'> = async ({ branches }, { within }) => {
  const compiled: CompiledSteps[] = [];
  for (const branch of branches) compiled.push(await within(branch));
  return async (run, path) => {
    const forks = compiled.map(() => run.fork());
    const ends: PromiseSettledResult<unknown>[] = [];
    const branches = forks.map((fork, index) => () => runSteps(compiled[index] ?? [], fork, pathTo(path, index)));
    if (run.effects.isInOrder === true)
      for (const branch of branches) ends.push(...(await Promise.allSettled([branch()])));
    else ends.push(...(await Promise.allSettled(branches.map((branch) => branch()))));
    run.join(forks);
    const failures: readonly unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (failures.length > 0) throw decisive(failures, run);
    return { value: ends.map((end) => (end.status === 'fulfilled' ? end.value : null)) };
  };
};

/**
 * Of several failures the one by which it goes on. What was refused stays refused, while what waits would go on; but the
 * run goes on past a refusal that is caught, so there the other branches come to their end first.
 */
function decisive(failures: readonly unknown[], { isCaught }: Running): unknown {
  const refusals = failures.filter((failure) => failure instanceof Problem);
  const final = refusals.find((refusal) => !isCaught || !mayBeCaught(refusal));
  return final ?? failures.find((failure) => !(failure instanceof Problem)) ?? failures[0];
}
