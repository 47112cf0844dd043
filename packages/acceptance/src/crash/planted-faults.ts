/** Platforms that store badly, which the rounds have to find: what is preloaded into them is known to be wrong. */
export const plantedFaults: Readonly<Record<string, URL>> = {
  'an answer is given before its commit is on disk': new URL('./answer-early.ts', import.meta.url),
  'a commit is written piece by piece': new URL('./halve-commits.ts', import.meta.url),
};
