import type { Clock } from '../../lib/clock.ts';
import { networkKey } from '../../lib/network/network-key.ts';
import { createThrottle, rateLimited, type ThrottleKeys } from '../../lib/throttle.ts';

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
  check(attempt: Attempt): void;
  recordFailure(attempt: Attempt): void;
  /** Forgets the failures of this (email, ip), not those of the ip: an own account must not buy more guesses. */
  recordSuccess(attempt: Attempt): void;
}

/** Without an address, where its failures are counted elsewhere: they count for the ip alone. */
type Attempt = Pick<SignInAttempt, 'ip'> & Partial<Pick<SignInAttempt, 'emailKey'>>;

interface LoginThrottleOptions {
  readonly clock: Clock;
  /** Buckets of each of the two kinds; beyond, the one not used for the longest time is forgotten. */
  readonly bucketsMax?: number;
}

const limits = { pair: 10, address: 100 };

export function createLoginThrottle({ clock, bucketsMax = 100_000 }: LoginThrottleOptions): LoginThrottle {
  const failures = createThrottle({ clock, limits, keysMax: bucketsMax });
  const checked = ({ emailKey, ip }: Attempt): ThrottleKeys<keyof typeof limits> => {
    const address = networkKey(ip);
    // No address contains a space, so two pairs never share a key.
    const keys = emailKey === undefined ? { address } : { pair: `${address} ${emailKey}`, address };
    const wait = failures.wait(keys);
    if (wait > 0) throw rateLimited('too many failed sign-ins', wait);
    return keys;
  };
  return {
    check: (attempt) => void checked(attempt),
    recordFailure: (attempt) => failures.record(checked(attempt)),
    recordSuccess: (attempt) => {
      const { pair } = checked(attempt);
      if (pair !== undefined) failures.forget({ pair });
    },
  };
}
