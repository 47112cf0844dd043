/** How many writes may come of one another, and how many runs of writes. */
export const chainDepthMax = 8;

/** @param chain what was run for each of them, the first of them first. */
export function chainRefusal(what: string, chain: readonly string[]): string {
  return `more than ${chainDepthMax} ${what} came of one another: ${chain.join(' → ')}`;
}
