import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { compareBytes } from '../lib/byte-order.ts';
import { timestamp } from '../lib/clock.ts';

/** A token signing key as it is kept: plain JSON, and a secret. What state it is in follows from the times alone. */
export interface StoredSigningKey {
  readonly kid: string;
  readonly created_at: string;
  /** From when it signs in place of the key before it. Until then it is only published. */
  readonly signs_from: string;
  readonly private_jwk: PrivateJwk;
}

interface PrivateJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** A member of the JSON Web Key Set that anyone may read (RFC 7517). */
export interface PublicSigningJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** A key that is ready for use. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicSigningJwk;
}

/** Makes an ES256 key (P-256). Its id is its RFC 7638 thumbprint, so one key never has two ids. */
export async function generateSigningKey(now: number, signsFrom = now): Promise<StoredSigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x, y, d } = await exportJWK(privateKey);
  if (x === undefined || y === undefined || d === undefined) throw new Error('a new P-256 key lacks a coordinate');
  const jwk: PrivateJwk = { kty: 'EC', crv: 'P-256', x, y, d };
  return {
    kid: await calculateJwkThumbprint(jwk),
    created_at: timestamp(now),
    signs_from: timestamp(signsFrom),
    private_jwk: jwk,
  };
}

/** @throws Error that says nothing of the key but its id. */
export function openSigningKey(stored: StoredSigningKey): SigningKey {
  const { kid } = stored;
  try {
    const privateKey = readPrivateKey(stored.private_jwk);
    return { kid, privateKey, publicKey: createPublicKey(privateKey), publicJwk: toPublicJwk(stored) };
  } catch {
    throw new Error(`the token signing key ${kid} is damaged`);
  }
}

function readPrivateKey({ x, y, d }: PrivateJwk): KeyObject {
  // Not every supported runtime checks this on import (Node 24 does not). A public half that is another key's would be
  // published, and no token would verify against it.
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d, 'base64url');
  const point = Buffer.concat([Buffer.of(uncompressedPoint), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  if (!pair.getPublicKey().equals(point)) throw new Error('the public half is of another key');
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' });
}

/** SEC 1, 2.3.3: the byte before both coordinates. */
const uncompressedPoint = 0x04;

/** Names every member, so that nothing private can slip through a copy. */
function toPublicJwk({ kid, private_jwk: { x, y } }: StoredSigningKey): PublicSigningJwk {
  return { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
}

/**
 * The times of the keys. A key signs until the next one's `signs_from`, and verifies until every token that it signed
 * has expired. So a rotation is one key added, in one write, and nothing has to happen at its times.
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

/** The largest difference between the clocks of two nodes. */
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
 * Without the key of this id. If it was the signing key, the waiting one signs from now on, else `fresh` does: never a
 * retired key. A key before it then verifies for as long again, which harms nothing.
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

/** Called with a key before the change is stored, so that every change is recorded. */
export type RecordKeyChange = (kid: string) => Promise<void>;

/** The key that comes next. It is made once and recorded once, however often storing it is tried. */
export class SpareKey {
  #made: StoredSigningKey | undefined;
  #isRecorded = false;

  /** @param times in milliseconds since the epoch. */
  async take(
    { now, signsFrom = now }: { readonly now: number; readonly signsFrom?: number },
    recordChange: RecordKeyChange,
  ): Promise<StoredSigningKey> {
    this.#made ??= await generateSigningKey(now);
    if (!this.#isRecorded) await recordChange(this.#made.kid);
    this.#isRecorded = true;
    return { ...this.#made, created_at: timestamp(now), signs_from: timestamp(signsFrom) };
  }

  /** If it is among the keys that are kept, another comes next. */
  see(kept: readonly StoredSigningKey[]): void {
    if (!kept.some(({ kid }) => kid === this.#made?.kid)) return;
    this.#made = undefined;
    this.#isRecorded = false;
  }
}
