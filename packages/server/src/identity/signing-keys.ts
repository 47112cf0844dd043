import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { compareBytes } from '../lib/byte-order.ts';
import { type Clock, timestamp } from '../lib/clock.ts';

/** A token signing key as it is kept: plain JSON, and a secret. */
export interface StoredSigningKey {
  readonly kid: string;
  /** `active` may sign, `retiring` only verifies what it signed before, `revoked` does neither. */
  readonly status: 'active' | 'retiring' | 'revoked';
  readonly created_at: string;
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
interface PublicSigningJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

export interface SigningKeys {
  /** Signs new tokens: the youngest active key. */
  readonly current: { readonly kid: string; readonly privateKey: KeyObject };
  /** The public keys whose tokens hold: active and retiring. */
  readonly byKid: ReadonlyMap<string, KeyObject>;
  /** The body of `/.well-known/jwks.json`. */
  jwks(): { readonly keys: readonly PublicSigningJwk[] };
}

/** Makes an ES256 key (P-256). Its id is its RFC 7638 thumbprint, so one key never stands under two ids. */
export async function generateSigningKey(clock: Clock): Promise<StoredSigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x, y, d } = await exportJWK(privateKey);
  if (x === undefined || y === undefined || d === undefined) throw new Error('a new P-256 key lacks a coordinate');
  const jwk: PrivateJwk = { kty: 'EC', crv: 'P-256', x, y, d };
  return {
    kid: await calculateJwkThumbprint(jwk),
    status: 'active',
    created_at: timestamp(clock.now()),
    private_jwk: jwk,
  };
}

/** @throws Error when no key is active, when a key cannot be read, or when two have one id. */
export function loadSigningKeys(stored: readonly StoredSigningKey[]): SigningKeys {
  const usable = stored.filter((key) => key.status !== 'revoked').toSorted(youngestFirst);
  const current = usable.find((key) => key.status === 'active');
  if (current === undefined) throw new Error('there is no active token signing key');
  const byKid = new Map(usable.map((key) => [key.kid, createPublicKey(readPrivateKey(key))]));
  if (new Set(stored.map((key) => key.kid)).size < stored.length) throw new Error('two token signing keys have one id');
  const published = { keys: usable.map(toPublicJwk) };
  return { current: { kid: current.kid, privateKey: readPrivateKey(current) }, byKid, jwks: () => published };
}

function youngestFirst(left: StoredSigningKey, right: StoredSigningKey): number {
  return compareBytes(right.created_at, left.created_at) || compareBytes(right.kid, left.kid);
}

function readPrivateKey({ kid, private_jwk: { x, y, d } }: StoredSigningKey): KeyObject {
  // Not every supported runtime checks this on import (Node 24 does not). A public half that is another key's would be
  // published, and no token would verify against it.
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d, 'base64url');
  const point = Buffer.concat([Buffer.of(uncompressedPoint), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  if (!pair.getPublicKey().equals(point)) throw new Error(`token signing key ${kid} has another key's public half`);
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' });
}

/** SEC 1, 2.3.3: the byte before both coordinates. */
const uncompressedPoint = 0x04;

/** Names every member, so that nothing private can slip through a copy. */
function toPublicJwk({ kid, private_jwk: { x, y } }: StoredSigningKey): PublicSigningJwk {
  return { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
}
