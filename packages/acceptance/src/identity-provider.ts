/** An OpenID Connect provider on this machine, as far as its tokens go: a discovery document and a key. */
import { generateKeyPairSync, type KeyObject, sign, type webcrypto } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodePart } from './app-token.ts';
import { newEmail } from './org.ts';
import { putSetting } from './workspaces.ts';

export interface IdentityProvider {
  readonly issuer: string;
  /** The paths that were asked for. */
  readonly requests: string[];
  /** As it is published. */
  readonly publicKey: webcrypto.JsonWebKey;
  /** A token as the provider would sign it, but for what is given. */
  readonly token: (claims: object, given?: GivenSignature) => string;
  /** From now on every call fails. */
  readonly fail: () => void;
  readonly close: () => void;
}

export interface GivenSignature {
  readonly key?: KeyObject;
  /** Stands in for members of the header; `undefined` leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Whom its tokens are for, unless they say otherwise. */
export const clientAtProvider = 'client-at-the-provider';

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const requests: string[] = [];
  let fails = false;
  const published = { ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [published] },
    };
    response.statusCode = fails ? 500 : 200;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(documents[request.url ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = (claims: object, { key = privateKey, header = {} }: GivenSignature = {}): string => {
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: issuer, aud: clientAtProvider, iat: now, exp: now + 300, ...claims };
    const signed = `${encodePart({ alg: 'ES256', kid: '1', typ: 'JWT', ...header })}.${encodePart(payload)}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  const fail = () => {
    fails = true;
  };
  return { issuer, requests, publicKey: published, token, fail, close: () => server.close() };
}

/** The claims of a user whose email the provider has verified. */
export function personAt(sub: string, claims: object = {}): object {
  return { sub, email: newEmail(sub), email_verified: true, given_name: 'Ann', family_name: 'Lee', ...claims };
}

/** Lets people of these providers into an app. */
export function allowIssuers(
  of: Parameters<typeof putSetting>[0],
  issuers: readonly { readonly issuer: string; readonly audiences: readonly string[] }[],
): Promise<void> {
  return putSetting(of, 'auth', 'issuers', issuers);
}
