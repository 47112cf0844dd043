/**
 * Whether the quick gate runs, in which proofs make a share of their runs. `FREEHOLD_TEST_WHOLE=1 npm test` makes all of
 * them, as CI does, and so does a file that is run by its path.
 */
export const isQuick = process.env.FREEHOLD_TEST_QUICK === '1';

/** How often a property is tried: the quick gate tries an eighth. */
export function thinned(runs: number): number {
  return isQuick ? Math.ceil(runs / 8) : runs;
}
