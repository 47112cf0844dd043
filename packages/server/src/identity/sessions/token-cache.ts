import { hash } from 'node:crypto';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type HitTally, newHitTally } from '../../lib/hit-tally.ts';

/** Remembers what verified tokens stand for, so that a signature is checked once per token and not per request. */
export interface TokenCache<V> {
  /** Only while `exp` (seconds since the epoch) lies ahead, which every hit checks again. */
  get(token: string, nowSeconds: number): V | undefined;
  /** INVARIANT: only for a token whose signature, issuer, audience and time have just been verified. */
  set(token: string, value: V): void;
  delete(token: string): void;
}

/**
 * Keyed by the SHA-256 of the whole token: two tokens that differ in a single bit of the signature are two, and
 * memory holds no token that could be used.
 */
export function createTokenCache<V extends { readonly exp: number }>({
  entriesMax,
  tally = newHitTally(),
  isIdle = () => false,
}: {
  readonly entriesMax: number;
  readonly tally?: HitTally;
  /** Whether the least recently used entry can be dropped. */
  readonly isIdle?: (value: V) => boolean;
}): TokenCache<V> {
  const entries = new BoundedMap<string, V>(entriesMax);
  return {
    get(token, nowSeconds) {
      const key = cacheKey(token);
      const value = entries.get(key);
      if (value !== undefined && value.exp > nowSeconds) {
        tally.hits += 1;
        return value;
      }
      tally.misses += 1;
      if (value !== undefined) entries.delete(key);
      return undefined;
    },
    set: (token, value) => {
      entries.set(cacheKey(token), value);
      // Two go for one that comes, so that memory follows the tokens that are in use.
      if (entries.deleteOldest(isIdle)) entries.deleteOldest(isIdle);
    },
    delete: (token) => void entries.delete(cacheKey(token)),
  };
}

/**
 * `latin1` makes one character of each byte. It costs as much as `hex` (0.7 µs for a token of 700 bytes), half the
 * memory, and half of what a Buffer or a Hash object would cost.
 */
function cacheKey(token: string): string {
  return hash('sha256', token, 'latin1');
}
