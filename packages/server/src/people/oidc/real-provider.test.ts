import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { createProviderTokens } from './provider-tokens.ts';

const outside = createRequire(join(import.meta.dirname, '../../../../../tools/outside/package.json'));
const { Provider } = outside('oidc-provider') as {
  readonly Provider: new (
    issuer: string,
    configuration: object,
  ) => {
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, reply: ServerResponse, result: object): Promise<void>;
  };
};

const clientId = 'acme-web';
const redirectUri = 'https://app.example/signed-in';

let respond: RequestListener;
let issuer: string;
const calls: string[] = [];
const server = createServer((request, reply) => {
  calls.push(request.url ?? '');
  respond(request, reply);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function privateJwk(alg: string, kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' };
}

/** The first of the keys signs. Every caller is signed in as `ann`, and has consented to everything. */
function runProvider(...keys: readonly JWK[]): void {
  const provider = new Provider(issuer, {
    jwks: { keys },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: clientId,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: keys[0]?.alg,
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'picture'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 3600, Interaction: 600, Session: 600 },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...profile }) }),
    loadExistingGrant,
  });
  const callback = provider.callback();
  respond = (request, reply) => {
    if (request.url !== '/interaction') callback(request, reply);
    else void provider.interactionFinished(request, reply, { login: { accountId: 'ann' } });
  };
}

const profile = {
  email: 'ann@example.com',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Lee',
  picture: 'https://example.com/ann.png',
};

/** The context that the provider gives to its own settings, as far as it is used here. */
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

/** The code flow with PKCE, as a browser and an app go through it together. */
async function signIn(): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    max_age: '600',
    nonce: 'n',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  const code = await followToCode(`${issuer}/auth?${query}`);
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri };
  const body = new URLSearchParams({ ...form, code, code_verifier: verifier });
  const reply = await fetch(`${issuer}/token`, { method: 'POST', body });
  const answer: unknown = await reply.json();
  assert.ok(typeof answer === 'object' && answer !== null && 'id_token' in answer, JSON.stringify(answer));
  return String(answer.id_token);
}

async function followToCode(start: string): Promise<string> {
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

/** Ahead of the real clock by what a test lets pass. */
function movableClock() {
  let ahead = 0;
  const clock: Clock = { now: () => Date.now() + ahead };
  return {
    clock,
    pass: (milliseconds: number): void => {
      ahead += milliseconds;
    },
  };
}

test('takes the identity tokens of a real provider, of each of its algorithms', async () => {
  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
    runProvider(await privateJwk(alg, alg));
    const { clock } = movableClock();
    const tokens = createProviderTokens({ clock, allowPrivateAddresses: true });
    const { auth_time = 0, ...identity } = await tokens.verify(await signIn(), [{ issuer, audiences: [clientId] }]);
    const { email, email_verified, picture } = profile;
    assert.deepEqual(identity, { iss: issuer, sub: 'ann', email, email_verified, fn: 'Ann', ln: 'Lee', picture });
    assert.ok(Math.abs(auth_time - clock.now() / 1000) < 60);
  }
});

test('A13 A23 a real token is refused for another client, from another issuer and after its hour', async () => {
  runProvider(await privateJwk('RS256', 'only'));
  const { clock, pass } = movableClock();
  const tokens = createProviderTokens({ clock, allowPrivateAddresses: true });
  const token = await signIn();
  const entry = { issuer, audiences: [clientId] };
  await assert.rejects(tokens.verify(token, [{ issuer, audiences: ['beta-web'] }]), { code: 'audience_mismatch' });
  await assert.rejects(tokens.verify(token, [{ ...entry, issuer: `${issuer}/` }]), { code: 'issuer_not_allowed' });
  assert.equal((await tokens.verify(token, [entry])).sub, 'ann');
  pass(3_661_000);
  await assert.rejects(tokens.verify(token, [entry]), { code: 'token_expired' });
});

test('J01 a real provider changes its keys: the new one is taken at once, the old one until it is withdrawn', async () => {
  const [older, newer] = [await privateJwk('RS256', 'older'), await privateJwk('RS256', 'newer')];
  const entry = { issuer, audiences: [clientId] };
  const { clock, pass } = movableClock();
  const tokens = createProviderTokens({ clock, allowPrivateAddresses: true });
  runProvider(older);
  const before = await signIn();
  assert.equal((await tokens.verify(before, [entry])).sub, 'ann');
  runProvider(newer, older);
  calls.length = 0;
  for (const token of [await signIn(), before]) assert.equal((await tokens.verify(token, [entry])).sub, 'ann');
  assert.equal(calls.filter((path) => path === '/jwks').length, 1);
  runProvider(newer);
  pass(600_000);
  await assert.rejects(tokens.verify(before, [entry]), { code: 'token_invalid' });
});
