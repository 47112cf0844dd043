/**
 * Whether the quick gate runs, in which proofs make a share of their runs. `FREEHOLD_TEST_WHOLE=1 npm test` makes all of
 * them, as CI does, and so does a file that is run by its path.
 */
export const isQuick = process.env.FREEHOLD_TEST_QUICK === '1';

/** The number of times that a property is tried: the quick gate tries an eighth. */
export function thinned(runs: number): number {
  return isQuick ? Math.ceil(runs / 8) : runs;
}

/** Whether `npm test -- long` runs, which takes as long as it takes. */
export const isLong = process.env.FREEHOLD_TEST_LONG === '1';

/**
 * The number of comparisons of engines with their reference, and the time for them: in `npm test -- long` so many times
 * as often.
 */
export function comparisons(runs: number, long: number): { readonly runs: number; readonly timeout?: number } {
  return isLong ? { runs: runs * long, timeout: 60 * 60_000 } : { runs };
}
