/** Signing in through a provider that the org allows, and through others. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { encodePart } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { appUrl, exchangeToken, logIn, manage, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const provider = await startProvider();
after(() => provider.close());
const client = 'client-at-the-provider';
const org = await signUp(gateways);
await allow(org, [
  { issuer: provider.issuer, audiences: [client], name: 'The provider', email_domains: ['big.example'] },
]);

interface Provider {
  readonly issuer: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  readonly token: (claims: object, key?: KeyObject) => string;
  readonly close: () => void;
}

/** An OpenID Connect provider as far as its tokens go: a discovery document and a key. */
async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'ES256', use: 'sig' }] },
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(documents[request.url ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = (claims: object, key: KeyObject = privateKey): string => {
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: issuer, aud: client, iat: now, exp: now + 300, ...claims };
    const signed = `${encodePart({ alg: 'ES256', kid: '1', typ: 'JWT' })}.${encodePart(payload)}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  return { issuer, asked, token, close: () => server.close() };
}

async function allow(of: Org, value: readonly object[]): Promise<void> {
  const reply = await manage(of, 'PUT', '/org/settings', { body: { group: 'auth', name: 'issuers', value } });
  assert.equal(reply.status, 200, reply.text);
}

function person(sub: string, claims: object = {}): object {
  return { sub, email: newEmail(sub), email_verified: true, given_name: 'Ann', family_name: 'Lee', ...claims };
}

test('a token of an allowed provider makes the account, and finds it again', async () => {
  const claims = person('ann');
  const first = await exchangeToken(org, provider.token(claims));
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers.get('x-service-token'), first.body.token);
  const again = await exchangeToken(org, provider.token(claims));
  assert.equal(again.body.user_id, first.body.user_id);
  const headers = { authorization: `Bearer ${first.body.token}` };
  const { body } = await call<Record<string, unknown>>('GET', appUrl(org, '/user/me'), { headers });
  assert.deepEqual([body.fn, body.ln, body.email_verified], ['Ann', 'Lee', true]);
});

test('A25: who waits under an email with a password is put out when its owner comes with a proof', async () => {
  const email = newEmail('victim');
  const waiting = await logIn(org, email);
  const attacker = await exchangeToken(org, waiting.body.token);
  assert.equal(attacker.status, 200, attacker.text);
  const victim = await exchangeToken(org, provider.token(person('victim', { email })));
  assert.equal(victim.status, 200, victim.text);
  assert.notEqual(victim.body.user_id, attacker.body.user_id);
  assertProblem(await exchangeToken(org, attacker.body.token), 'token_invalid');
  const settings = { enabled: true, allow_signup: false, min_length: 10 };
  const closed = { group: 'auth', name: 'password_login', value: settings };
  assert.equal((await manage(org, 'PUT', '/org/settings', { body: closed })).status, 200);
  assertProblem(await logIn(org, email, password), 'credentials_invalid');
});

test('A11, A13, A14, A16: other issuers, audiences and keys sign nobody in, and others’ providers are not asked', async () => {
  const stranger = await startProvider();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = person('eve');
  const refused: readonly (readonly [string, Parameters<typeof assertProblem>[1]])[] = [
    [stranger.token(claims), 'issuer_not_allowed'],
    [provider.token({ ...claims, iss: `${provider.issuer}/` }), 'issuer_not_allowed'],
    [provider.token(claims, privateKey), 'token_invalid'],
    [provider.token({ ...claims, aud: 'another-client' }), 'audience_mismatch'],
    [provider.token({ ...claims, aud: [] }), 'audience_mismatch'],
    [provider.token({ ...claims, aud: [client, 'other'], azp: 'other' }), 'audience_mismatch'],
    [provider.token({ ...claims, exp: 1 }), 'token_expired'],
    [provider.token({ ...claims, email: undefined }), 'token_invalid'],
  ];
  for (const [token, code] of refused) {
    const reply = await exchangeToken(org, token);
    assertProblem(reply, code);
    assert.equal(reply.headers.get('x-service-token'), null);
  }
  assert.deepEqual(stranger.asked, []);
  stranger.close();
});

test('A17: a token for one app is none for another', async () => {
  const other = await signUp(gateways);
  assertProblem(await exchangeToken(other, provider.token(person('bob'))), 'issuer_not_allowed');
});

test('an app is told where its users sign in, by the domain of an email where it is said', async () => {
  const offers = async (query = '') =>
    call<{ readonly items: readonly object[]; readonly password_login: object }>(
      'GET',
      appUrl(org, `/providers${query}`),
      {
        headers: { client_id: org.clientId },
      },
    );
  const { status, body } = await offers();
  assert.equal(status, 200);
  assert.deepEqual(body.items, [{ issuer: provider.issuer, name: 'The provider', client_ids: [client] }]);
  assert.deepEqual((await offers('?email=ann@BIG.example')).body.items.length, 1);
  assert.deepEqual((await offers('?email=ann@small.example')).body.items, []);
  assertProblem(await call('GET', appUrl(org, '/providers')), 'client_unknown');
  assertProblem(await offers('?domain=x'), 'invalid_request');
});
