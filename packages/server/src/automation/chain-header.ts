/**
 * The number of writes before a request that the platform sends to itself through others: a hook called by its own
 * effects goes on counting. A relay that drops the header restarts the count; the runs of a day are bounded all the
 * same.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The most writes, or runs, that may lead to one another. */
export const chainDepthMax = 8;

/** @param chain what was run for each of them, the first of them first. */
export function chainRefusal(what: string, chain: readonly string[]): string {
  return `more than ${chainDepthMax} ${what} came of one another: ${chain.join(' → ')}`;
}

export const chainHeaderName = 'freehold-depth';

export type ChainHeader = ReturnType<typeof createChainHeader>;

const validSeconds = 3600;
const signatureBytes = 16;
const form = /^(\d{1,4})\.(\d{1,12})\.([\w-]{22})$/;

export function createChainHeader(key: Buffer) {
  const signature = (depth: string, seconds: string): Buffer =>
    createHmac('sha256', key).update(`${depth}.${seconds}`).digest().subarray(0, signatureBytes);
  return {
    /** @param depth how many writes or calls came of one another, this one included. @param now milliseconds since the epoch. */
    write: (depth: number, now: number): string => {
      const [count, seconds] = [String(Math.min(depth, 9999)), String(Math.floor(now / 1000))];
      return `${count}.${seconds}.${signature(count, seconds).toString('base64url')}`;
    },
    /** The depth; 0 where the value is missing, is not the platform's own, or is older than an hour. */
    read: (value: unknown, now: number): number => {
      const [, depth, seconds, signed] = (typeof value === 'string' ? form.exec(value) : undefined) ?? [];
      if (depth === undefined || seconds === undefined || signed === undefined) return 0;
      const given = Buffer.from(signed, 'base64url');
      if (given.length !== signatureBytes || !timingSafeEqual(given, signature(depth, seconds))) return 0;
      return Math.abs(Math.floor(now / 1000) - Number(seconds)) <= validSeconds ? Number(depth) : 0;
    },
  };
}
