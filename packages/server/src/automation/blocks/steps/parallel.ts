import { Problem } from '../../../lib/problem.ts';
import type { CompiledSteps } from '../effects.ts';
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
    // What was refused stays refused, while what waits would go on.
    if (failures.length > 0) throw failures.find((failure) => failure instanceof Problem) ?? failures[0];
    return { value: ends.map((end) => (end.status === 'fulfilled' ? end.value : null)) };
  };
};
