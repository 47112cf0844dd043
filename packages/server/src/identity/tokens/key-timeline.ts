import { compareBytes } from '../../lib/byte-order.ts';
import { timestamp } from '../../lib/clock.ts';
import type { StoredSigningKey } from './signing-key.ts';

/**
 * When each of the keys does what. A key signs until the next one's `signs_from`, and verifies until every token that it
 * signed has expired. So a rotation is one key added, in one write, and nothing has to happen at its times.
 */
export type KeyTimeline = readonly TimedKey[];

export interface TimedKey {
  readonly stored: StoredSigningKey;
  readonly signsFrom: number;
  /** Infinite for the last one. */
  readonly verifiesUntil: number;
}

/** No token lives longer: for so long a key goes on verifying when another one signs. */
export const appTokenLifetimeSeconds = 48 * 60 * 60;

/** Verifiers keep the key set for five minutes: a key is published for this long before it signs. */
export const publishedMilliseconds = 10 * 60 * 1000;

/** How far apart the clocks of two nodes may be. */
const skewMilliseconds = 10 * 60 * 1000;

const graceMilliseconds = appTokenLifetimeSeconds * 1000 + skewMilliseconds;

/** In the order they sign; of two with one time the ids decide, so that every node decides alike. */
export function timelineOf(keys: readonly StoredSigningKey[]): KeyTimeline {
  const sorted = keys
    .map((stored) => ({ stored, signsFrom: Date.parse(stored.signs_from) }))
    .toSorted((left, right) => left.signsFrom - right.signsFrom || compareBytes(left.stored.kid, right.stored.kid));
  return sorted.map((key, index) => {
    const next = sorted[index + 1];
    return {
      ...key,
      verifiesUntil: next === undefined ? Number.POSITIVE_INFINITY : next.signsFrom + graceMilliseconds,
    };
  });
}

/** The signing key. If the clock was set back before all of them, it is the first. */
export function signerAt<K extends Pick<TimedKey, 'signsFrom'>>(timeline: readonly K[], now: number): K {
  const signer = timeline.findLast(({ signsFrom }) => signsFrom <= now) ?? timeline[0];
  if (signer === undefined) throw new Error('there is no token signing key');
  return signer;
}

/** The key that is published and does not sign yet. */
export function waitingAt(timeline: KeyTimeline, now: number): TimedKey | undefined {
  const signer = signerAt(timeline, now);
  return timeline.find(({ signsFrom }) => signsFrom > signer.signsFrom && signsFrom > now);
}

/** Without those that verify nothing any more; the very same keys where there are none. */
export function withoutExpired(keys: readonly StoredSigningKey[], now: number): readonly StoredSigningKey[] {
  const holding = timelineOf(keys).filter(({ verifiesUntil }) => verifiesUntil > now);
  return holding.length === keys.length ? keys : holding.map(({ stored }) => stored);
}

/**
 * Without the key of this id. If it was the signing key, the waiting one signs from now on, else `fresh` does: never
 * one that has retired. A key before it then verifies for as long again, which harms nothing.
 */
export async function withoutKey(
  keys: readonly StoredSigningKey[],
  kid: string,
  { now, fresh }: { readonly now: number; readonly fresh: () => Promise<StoredSigningKey> },
): Promise<readonly StoredSigningKey[]> {
  const timeline = timelineOf(keys);
  const rest = keys.filter((key) => key.kid !== kid);
  if (signerAt(timeline, now).stored.kid !== kid) return rest;
  const waiting = waitingAt(timeline, now)?.stored;
  if (waiting === undefined) return [...rest, await fresh()];
  return rest.map((key) => (key === waiting ? { ...key, signs_from: timestamp(now) } : key));
}
