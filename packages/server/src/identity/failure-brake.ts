import { isIP } from 'node:net';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';

/** Who tries to sign in: the canonical address (`emailKey`) and the client's IP address as the gateway knows it. */
export interface SignInAttempt {
  readonly emailKey: string;
  readonly ip: string;
}

/**
 * Slows down guessing of passwords, and only that: successes are never counted. At most 10 failures for one
 * (email, ip) and 100 for one ip within 15 minutes, whatever else the requests contain.
 *
 * Call `check` before the password is looked at, then exactly one of the other two before the answer is given away.
 * All three throw Problem `rate_limited` (with `retry_after_seconds`) once the limit is reached: guesses that were
 * sent side by side all pass `check`, but no more of them than the limit learn whether they were right.
 */
export interface FailureBrake {
  check(attempt: SignInAttempt): void;
  recordFailure(attempt: SignInAttempt): void;
  /** Forgets the failures of this (email, ip), not those of the ip: an own account must not buy more guesses. */
  recordSuccess(attempt: SignInAttempt): void;
}

interface FailureBrakeOptions {
  readonly clock: Clock;
  /** Buckets of each of the two kinds; beyond, the one not used for the longest time is forgotten. */
  readonly bucketsMax?: number;
}

export function createFailureBrake({ clock, bucketsMax = 100_000 }: FailureBrakeOptions): FailureBrake {
  const pairs = failureLog(perEmailAndIpMax, bucketsMax);
  const addresses = failureLog(perIpMax, bucketsMax);
  const check = (emailKey: string, address: string, now: number): void => {
    const freeAt = Math.max(pairs.freeAt(pairKey(address, emailKey), now), addresses.freeAt(address, now));
    if (freeAt > now) throw rateLimited(freeAt - now);
  };
  return {
    check: ({ emailKey, ip }) => check(emailKey, networkKey(ip), clock.now()),
    recordFailure({ emailKey, ip }) {
      const address = networkKey(ip);
      const now = clock.now();
      check(emailKey, address, now);
      pairs.add(pairKey(address, emailKey), now);
      addresses.add(address, now);
    },
    recordSuccess({ emailKey, ip }) {
      const address = networkKey(ip);
      check(emailKey, address, clock.now());
      pairs.forget(pairKey(address, emailKey));
    },
  };
}

const perEmailAndIpMax = 10;
const perIpMax = 100;
const windowMilliseconds = 15 * 60 * 1000;

/** No address contains a space, so two pairs never share a key. */
function pairKey(address: string, emailKey: string): string {
  return `${address} ${emailKey}`;
}

function rateLimited(waitMilliseconds: number): Problem {
  const seconds = Math.ceil(waitMilliseconds / 1000);
  return new Problem('rate_limited', `too many failed sign-ins, try again in ${seconds} seconds`, {
    retry_after_seconds: seconds,
  });
}

interface FailureLog {
  /** When the next failure is admitted: `now` or earlier unless the bucket is full. */
  freeAt(key: string, now: number): number;
  add(key: string, now: number): void;
  forget(key: string): void;
}

/** Holds the times of the failures themselves: a counter per fixed window would admit twice the limit across its edge. */
function failureLog(failuresMax: number, bucketsMax: number): FailureLog {
  const buckets = new BoundedMap<string, readonly number[]>(bucketsMax);
  const recent = (key: string, now: number): readonly number[] =>
    // A time ahead of now means that the clock was set back: a little must not forgive, a lot must not hold for long.
    (buckets.get(key) ?? []).filter((time) => Math.abs(now - time) < windowMilliseconds);
  return {
    freeAt(key, now) {
      const times = recent(key, now);
      const [oldest = now] = times;
      return times.length < failuresMax ? now : oldest + windowMilliseconds;
    },
    add: (key, now) => buckets.set(key, [...recent(key, now), now]),
    forget: (key) => void buckets.delete(key),
  };
}

/**
 * The part of an address that its holder cannot choose: all of an IPv4 address, the first 64 bits of an IPv6 one. An
 * IPv4 address in IPv6 clothing is itself, in every spelling. What is no address at all shares one bucket.
 */
function networkKey(ip: string): string {
  const [address = ''] = ip.split('%');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return 'unknown';
  const groups = ipv6Groups(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups.slice(6).flatMap(bytesOf).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an address that `isIP` has found to be IPv6. */
function ipv6Groups(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function bytesOf(group: number): readonly number[] {
  return [group >> 8, group & 0xff];
}
