import type { Clock } from '../../lib/clock.ts';
import { networkKey } from '../../lib/network-key.ts';
import { Problem } from '../../lib/problem.ts';
import { windowedLog } from '../../lib/windowed-log.ts';

/** Who tries to sign in: the canonical address (`emailKey`) and the client's IP address as the gateway knows it. */
export interface SignInAttempt {
  readonly emailKey: string;
  readonly ip: string;
  /** Whose app it is; left out for builders. */
  readonly org?: string;
}

/**
 * Slows down guessing of passwords, and only that: successes are never counted. At most 10 failures for one
 * (email, ip) and 100 for one ip within 15 minutes, whatever else the requests contain.
 *
 * Call `check` before the password is looked at, then exactly one of the other two before the answer is given away.
 * All three throw Problem `rate_limited` (with `retry_after_seconds`) once the limit is reached: guesses that were
 * sent side by side all pass `check`, but no more of them than the limit learn whether they were right.
 */
export interface LoginThrottle {
  check(attempt: SignInAttempt): void;
  recordFailure(attempt: SignInAttempt): void;
  /** Forgets the failures of this (email, ip), not those of the ip: an own account must not buy more guesses. */
  recordSuccess(attempt: SignInAttempt): void;
}

interface LoginThrottleOptions {
  readonly clock: Clock;
  /** Buckets of each of the two kinds; beyond, the one not used for the longest time is forgotten. */
  readonly bucketsMax?: number;
}

export function createLoginThrottle({ clock, bucketsMax = 100_000 }: LoginThrottleOptions): LoginThrottle {
  const pairs = windowedLog(perEmailAndIpMax, bucketsMax);
  const addresses = windowedLog(perIpMax, bucketsMax);
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
