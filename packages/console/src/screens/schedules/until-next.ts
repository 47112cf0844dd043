interface Due {
  readonly next: readonly string[];
  readonly paused: boolean;
}

const soonestMilliseconds = 5_000;
/** A time that is further away is waited for in parts: longer ones end at once. */
const longestMilliseconds = 3_600_000;

/** How long until the first of the next times of all schedules is past; false where none has one. */
export function untilNext(all: readonly Due[], now: number): number | false {
  const next = all.flatMap(({ next: [at], paused }) => (at === undefined || paused ? [] : [Date.parse(at)]));
  if (next.length === 0) return false;
  const wait = next.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY) - now;
  // A moment later, when it has begun.
  return Math.min(Math.max(wait + 2000, soonestMilliseconds), longestMilliseconds);
}
