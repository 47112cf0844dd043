import { hash, randomBytes, randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Makes UUIDv7 ids (RFC 9562): within one source every id is greater than the one before it, as text too. */
export type IdSource = () => string;

/**
 * The 12 bits after the time are a counter that starts low in each millisecond, so that ids made in one
 * millisecond keep their order; when it runs over, or the clock steps back, time is taken to move on by itself.
 */
export function uuidv7Source(clock: Clock): IdSource {
  let lastMilliseconds = 0;
  let counter = 0;
  return () => {
    const now = clock.now();
    if (now > lastMilliseconds) {
      lastMilliseconds = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMilliseconds += 1;
      counter = 0;
    }
    const random = pooledRandomBytes(8).toString('hex');
    const time = lastMilliseconds.toString(16).padStart(12, '0');
    const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16);
    const sequence = counter.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
  };
}

/** 256 random bits in base64url: for codes and tokens that only their holder may know. */
export function secretToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The form in which a store keeps such a secret: a copy of the store opens nothing. Plain SHA-256 in base64url is
 * enough, since 256 random bits cannot be guessed.
 */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** The UUIDv7 of a time and a name: the same each time, wherever it is made. @param milliseconds since the epoch. */
export function uuidv7Of(milliseconds: number, name: string): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  const rest = hash('sha256', name, 'hex');
  const variant = ((Number.parseInt(rest.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(1, 4)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`;
}

const poolBytes = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Random bytes from a pool that is filled now and then, since each call of the generator costs microseconds. Never the same ones twice. */
export function pooledRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomFillSync(Buffer.alloc(Math.max(poolBytes, count)));
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}
