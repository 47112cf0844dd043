/** An OpenID Connect provider for flows, as far as its tokens go: a discovery document and a key. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const clientAtProvider = 'client-at-the-provider';

const day = 24 * 3600;
const tenYears = 10 * 365 * day;

export interface Provider {
  readonly issuer: string;
  /** The token of a person, whose address the provider has verified unless it says otherwise. */
  token(email: string, email_verified?: boolean): string;
}

let started: Promise<Provider> | undefined;

/** One for all flows of a process, which it does not keep alive. */
export function providerForFlows(): Promise<Provider> {
  started ??= startProvider();
  return started;
}

async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    const isKeys = request.url === '/keys';
    response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    issuer,
    token: (email, email_verified = true) => {
      const now = Math.floor(Date.now() / 1000);
      const who = { sub: email, email, email_verified };
      // The clock of the platform under test is held, or leaps.
      const payload = { iss: issuer, aud: clientAtProvider, iat: now - day, exp: now + tenYears, ...who };
      const signed = `${part({ alg: 'ES256', kid: '1', typ: 'JWT' })}.${part(payload)}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
  };
}
