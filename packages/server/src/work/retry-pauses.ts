/** How long an attempt that failed is followed by none. Pure; all times in milliseconds. */

export interface RetryPauses {
  /** After so many attempts; undefined where there is no further one. */
  readonly after: (attempts: number) => number | undefined;
  /** The shortest and the longest of those among which one is drawn; left out, it is the same each time. */
  readonly between?: (pause: number) => readonly [number, number];
}

/** Grows by a factor from the first one on. */
export function growing(first: number, factor: number, most: number): RetryPauses['after'] {
  return (attempts) => Math.min(first * factor ** Math.max(attempts - 1, 0), most);
}

const askedSecondsMax = 6 * 3600;

/**
 * The pause after so many attempts, and at least as long as the receiver asks.
 * @param random from 0 to 1. @param askedSeconds at most six hours of it count.
 */
export function pauseAfter(
  { after, between }: RetryPauses,
  attempts: number,
  random = 0,
  askedSeconds = 0,
): number | undefined {
  const pause = after(attempts);
  if (pause === undefined) return undefined;
  const [least, most] = between?.(pause) ?? [pause, pause];
  return Math.round(Math.max(least + random * (most - least), Math.min(askedSeconds, askedSecondsMax) * 1000));
}
