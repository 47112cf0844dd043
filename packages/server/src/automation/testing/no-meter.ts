import type { WorkMeter } from '../automation-deps.ts';

/** Counts nothing and caps nothing. */
export const noMeter: WorkMeter = {
  add: () => undefined,
  check: () => undefined,
  fullUntil: () => undefined,
};
