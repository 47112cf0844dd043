import { randomFillSync } from 'node:crypto';

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
