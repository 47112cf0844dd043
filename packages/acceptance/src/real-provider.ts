/** A real OpenID Connect provider on this machine. Each browser that comes is signed in as `ann`, and has consented. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const outside = createRequire(join(import.meta.dirname, '../../../tools/outside/package.json'));
const { Provider } = outside('oidc-provider') as {
  readonly Provider: new (
    issuer: string,
    configuration: object,
  ) => {
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, reply: ServerResponse, result: object): Promise<void>;
  };
};

export interface RealProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** The code flow with PKCE, as a browser goes through it up to the code. */
  readonly signIn: () => Promise<RealCode>;
  /** From now on the sign-in is refused, as by a user who changes the mind. */
  readonly refuse: () => void;
  readonly close: () => void;
}

/** What a browser comes back with, and what it began with. */
export interface RealCode {
  readonly issuer: string;
  readonly client_id: string;
  readonly value: string;
  readonly verifier: string;
  readonly redirect_uri: string;
  readonly nonce: string;
}

export const annsEmail = 'ann@provider.example';

const clientId = 'console-test';

export async function startRealProvider(redirectUri: string): Promise<RealProvider> {
  let respond: RequestListener = (_, reply) => void reply.writeHead(503).end();
  const server = createServer((request, reply) => respond(request, reply));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configurationFor(redirectUri));
  let isRefusing = false;
  const callback = provider.callback();
  respond = (request, reply) => {
    if (request.url !== '/interaction') callback(request, reply);
    else
      void provider.interactionFinished(
        request,
        reply,
        isRefusing ? { error: 'access_denied' } : { login: { accountId: 'ann' } },
      );
  };
  return {
    issuer,
    clientId,
    signIn: () => signIn(issuer, redirectUri),
    refuse: () => {
      isRefusing = true;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function configurationFor(redirectUri: string): Readonly<Record<string, unknown>> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'only', use: 'sig' };
  return {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [{ client_id: clientId, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }],
    claims: { openid: ['sub'], profile: ['given_name', 'family_name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 3600, Interaction: 600, Session: 600 },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...profile }) }),
    loadExistingGrant,
  };
}

const profile = { email: annsEmail, email_verified: true, given_name: 'Ann', family_name: '<b>Lee</b>' };

/** What the provider hands to its own settings, as far as it is used here. */
interface ProviderContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
  };
}

async function loadExistingGrant({ oidc }: ProviderContext): Promise<object> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}

async function signIn(issuer: string, redirectUri: string): Promise<RealCode> {
  const [verifier, nonce] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')];
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  const value = await followToCode(`${issuer}/auth?${query}`, issuer);
  return { issuer, client_id: clientId, value, verifier, redirect_uri: redirectUri, nonce };
}

async function followToCode(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let url = start, steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = new URL(reply.headers.get('location') ?? '', url);
    if (next.origin !== issuer) return next.searchParams.get('code') ?? assert.fail(next.href);
    url = next.href;
  }
  return assert.fail('the provider leads in circles');
}
