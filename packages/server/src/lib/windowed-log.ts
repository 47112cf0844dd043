import { BoundedMap } from './bounded-map.ts';

/** What has happened under each key within the last 15 minutes, as far as it is to be limited. */
export interface WindowedLog {
  /** When the next one is admitted: `now` or earlier unless the bucket is full. */
  freeAt(key: string, now: number): number;
  add(key: string, now: number): void;
  forget(key: string): void;
}

const windowMilliseconds = 15 * 60 * 1000;

/**
 * Holds the times themselves: a counter per fixed window would admit twice the limit across its edge.
 * @param bucketsMax beyond, the bucket not used for the longest time is forgotten.
 */
export function windowedLog(admittedMax: number, bucketsMax: number): WindowedLog {
  const buckets = new BoundedMap<string, readonly number[]>(bucketsMax);
  const recent = (key: string, now: number): readonly number[] =>
    // A time ahead of now means that the clock was set back: a little must not forgive, a lot must not hold for long.
    (buckets.get(key) ?? []).filter((time) => Math.abs(now - time) < windowMilliseconds);
  return {
    freeAt(key, now) {
      const times = recent(key, now);
      const [oldest = now] = times;
      return times.length < admittedMax ? now : oldest + windowMilliseconds;
    },
    add: (key, now) => buckets.set(key, [...recent(key, now), now]),
    forget: (key) => void buckets.delete(key),
  };
}
