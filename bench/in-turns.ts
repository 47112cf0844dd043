/** Compares requests that are made in turns, so that a busy machine slows all of them. */
import { median } from './measure.ts';

/** The requests that show the same, one after the other. */
export type Run = () => Promise<void>;

const warmUpRounds = 50;

/** Prints the median time of each, and its ratio to that of the first. */
export async function printRatios(runs: ReadonlyMap<string, Run>, rounds: number): Promise<void> {
  await timesOf(runs, warmUpRounds);
  const medians = [...(await timesOf(runs, rounds))].map(([run, times]) => ({ run, median: median(times) }));
  const first = medians[0]?.median ?? Number.NaN;
  console.table(medians.map(({ run, median }) => ({ run, ms: median.toFixed(2), ratio: (median / first).toFixed(2) })));
}

/** Milliseconds of each, all of them in each round, each round beginning with another. */
async function timesOf(
  runs: ReadonlyMap<string, Run>,
  rounds: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map([...runs.keys()].map((run) => [run, [] as number[]]));
  const order = [...runs];
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of order) {
      const startedAt = performance.now();
      await run();
      times.get(name)?.push(performance.now() - startedAt);
    }
    order.push(...order.splice(0, 1));
  }
  return times;
}
