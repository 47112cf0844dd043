import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { timestamp } from '../../lib/clock.ts';

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

/** Makes an ES256 key (P-256). Its id is its RFC 7638 thumbprint, so one key never stands under two ids. */
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
