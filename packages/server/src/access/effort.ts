/**
 * The steps that may still be taken for one answer. Patterns, paths and records are written by callers, and the time that
 * goes into comparing them is everyone's. A step is a character compared, or what takes about as long.
 */
export interface Effort {
  stepsLeft: number;
}

/**
 * The most steps that one decision may take: about 5 ms. It is enough to search 40 texts of 50 kB for a word. However
 * it is spent, a Deny that is not evaluated to its end counts as holding, and an Allow does not.
 */
export const decisionSteps = 2_000_000;

export function wholeEffort(): Effort {
  return { stepsLeft: decisionSteps };
}

/** False once there is nothing left to spend. */
export function spend(effort: Effort, steps: number): boolean {
  // Work beyond the limit is not done, so no answer takes more than it may.
  effort.stepsLeft = steps > effort.stepsLeft ? -1 : effort.stepsLeft - steps;
  return effort.stepsLeft >= 0;
}

/** An answer given once the effort is spent means nothing. */
export function isSpent({ stepsLeft }: Effort): boolean {
  return stepsLeft < 0;
}
