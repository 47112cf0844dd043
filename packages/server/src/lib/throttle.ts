import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';
import { Problem } from './problem.ts';

/** The amounts that are counted, under a key for each of the names that it counts to. */
export type ThrottleKeys<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** Limits how often something happens under a key within the last 15 minutes, for each of several names of keys. */
export interface Throttle<Name extends string> {
  /** Milliseconds until it is admitted under all of the keys; 0 where it is now. */
  wait(keys: ThrottleKeys<Name>): number;
  /** Counts it under all of the keys. */
  record(keys: ThrottleKeys<Name>): void;
  /** Forgets what was counted under these keys. */
  forget(keys: ThrottleKeys<Name>): void;
}

export interface ThrottleOptions<Name extends string> {
  readonly clock: Clock;
  /** The number of times that it is admitted under one key of the name. */
  readonly limits: Readonly<Record<Name, number>>;
  /** Of each name; beyond, the key not used for the longest time is forgotten. */
  readonly keysMax?: number;
}

const windowMilliseconds = 15 * 60 * 1000;

/**
 * Holds the times themselves, as is fit for small limits: a counter for each fixed window would admit twice the limit across
 * its edge.
 */
export function createThrottle<Name extends string>({
  clock,
  limits,
  keysMax = 100_000,
}: ThrottleOptions<Name>): Throttle<Name> {
  const logs = Object.entries<number>(limits).map(([name, admittedMax]) => {
    return { name: name as Name, admittedMax, times: new BoundedMap<string, readonly number[]>(keysMax) };
  });
  const underKeys = (keys: ThrottleKeys<Name>) =>
    logs.flatMap((log) => {
      const key = keys[log.name];
      return key === undefined ? [] : [{ ...log, key }];
    });
  const recent = ({ times, key }: ReturnType<typeof underKeys>[number], now: number): readonly number[] =>
    // A time ahead of now means that the clock was set back: a little must not forgive, a lot must not hold for long.
    (times.get(key) ?? []).filter((time) => Math.abs(now - time) < windowMilliseconds);
  return {
    wait: (keys) => {
      const now = clock.now();
      const waits = underKeys(keys).map((log) => {
        const times = recent(log, now);
        const [oldest] = times;
        return oldest === undefined || times.length < log.admittedMax ? 0 : oldest + windowMilliseconds - now;
      });
      return Math.max(0, ...waits);
    },
    record: (keys) => {
      const now = clock.now();
      for (const log of underKeys(keys)) log.times.set(log.key, [...recent(log, now), now]);
    },
    forget: (keys) => {
      for (const { times, key } of underKeys(keys)) times.delete(key);
    },
  };
}

/** @param sentence what there was too much of. @param wait in milliseconds, until it is admitted again. */
export function rateLimited(sentence: string, wait: number): Problem {
  const retry_after_seconds = Math.ceil(wait / 1000);
  return new Problem('rate_limited', `${sentence}, try again in ${retry_after_seconds} seconds`, {
    retry_after_seconds,
  });
}
