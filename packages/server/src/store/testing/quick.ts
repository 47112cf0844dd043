/**
 * Whether the quick gate runs, in which proofs make a share of their runs. `npm run test:slow` makes all of them, and so
 * does a file that is run by itself.
 */
export const isQuick = process.env.FREEHOLD_TEST_QUICK === '1';

/** How often a property is tried: the quick gate tries an eighth. */
export function thinned(runs: number): number {
  return isQuick ? Math.ceil(runs / 8) : runs;
}
