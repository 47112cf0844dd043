/** What anyone can read from an app JWT, and check with nothing but the published keys. */
import assert from 'node:assert/strict';
import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { call } from './call.ts';

export interface AppClaims {
  readonly auth_time: number;
  readonly org: string;
  readonly tenant_id: string;
  readonly tenant_code: string;
  readonly role: string;
  readonly email: string;
  readonly fn: string;
  readonly ln: string;
  readonly clientid: string;
  readonly iss: string;
  readonly sub: string;
  readonly env: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly email_verified: boolean;
  readonly idp: string;
}

export interface TokenHeader {
  readonly alg: string;
  readonly kid: string;
  readonly typ: string;
}

export type PublishedKey = webcrypto.JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: string };

export async function publishedKeys(appUrl: string): Promise<readonly PublishedKey[]> {
  const reply = await call<{ readonly keys: readonly PublishedKey[] }>('GET', `${appUrl}/.well-known/jwks.json`);
  assert.equal(reply.status, 200);
  return reply.body.keys;
}

/** Verifies the signature against the published keys and returns what the token says. */
export async function readAppToken(
  appUrl: string,
  token: string,
): Promise<{ readonly header: TokenHeader; readonly claims: AppClaims }> {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = decodePart<TokenHeader>(head);
  const key = (await publishedKeys(appUrl)).find((published) => published.kid === header.kid);
  assert.ok(key !== undefined, `key ${header.kid} is not published`);
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const signed = Buffer.from(`${head}.${payload}`);
  const good = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  assert.ok(good, 'the signature does not fit the published key');
  return { header, claims: decodePart<AppClaims>(payload) };
}

export function decodePart<Part>(part: string): Part {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Part;
}

export function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
