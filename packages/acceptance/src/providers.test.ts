/** Signing in through a provider that the org allows, and through others. */
import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { encodePart } from './app-token.ts';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import {
  allowIssuers,
  clientAtProvider as client,
  type GivenSignature,
  personAt as person,
  startIdentityProvider,
} from './identity-provider.ts';
import { appUrl, exchangeToken, foundedOrg, list, logIn, newEmail, type Org, password, signUp } from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';
import { tenantsOf } from './workspaces.ts';

const gateways = await platformOfFile();
const provider = await startIdentityProvider();
after(() => provider.close());
const { privateKey: strangeKey, publicKey: strangePublicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const org = await signUp(gateways);
const entry = { issuer: provider.issuer, audiences: [client], name: 'The provider', email_domains: ['big.example'] };
await allowIssuers(org, [entry]);

/** The exchange is refused, and no token comes with the refusal. */
async function assertNoToken(token: string, code: ProblemCode, of: Org = org): Promise<void> {
  const reply = await exchangeToken(of, token);
  assertProblem(reply, code);
  assert.equal(reply.headers.get('x-service-token'), null);
  assert.doesNotMatch(reply.text, /eyJ/);
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
  for (const secret of [password, 'another password'])
    assertProblem(await logIn(org, email, secret), 'credentials_invalid');
});

test('A25: a sign-up with a password under a verified address is refused, in any spelling of case', async () => {
  const { org: of, founder } = await foundedOrg(gateways);
  await allowIssuers(of, [{ issuer: provider.issuer, audiences: [client] }]);
  const email = newEmail('owner');
  assert.equal((await exchangeToken(of, provider.token(person('owner', { email })))).status, 200);
  const lurkers = [email, email.toUpperCase()].flatMap((one) => Array.from({ length: 4 }, () => logIn(of, one)));
  for (const reply of await Promise.all(lurkers)) assertProblem(reply, 'credentials_invalid');
  const { items } = await list(founder, 'user', '?pagesize=200');
  assert.equal(items.filter((user) => user.email === email).length, 1);
});

test('A25: of a sign-up with a password and of its owner’s first sign-in at once, the owner keeps the address', async () => {
  const { org: of } = await foundedOrg(gateways);
  await allowIssuers(of, [{ issuer: provider.issuer, audiences: [client] }]);
  for (let round = 0; round < 10; round++) {
    const email = newEmail('raced');
    const claims = person(`raced-${round}`, { email });
    const [lurker, owner] = await Promise.all([logIn(of, email), exchangeToken(of, provider.token(claims))]);
    assert.equal(owner.status, 200, owner.text);
    assertProblem(await logIn(of, email), 'credentials_invalid');
    if (lurker.status === 200) await assertNoToken(lurker.body.token, 'token_invalid', of);
  }
});

test('A25: an attacker’s account at another provider, which only says that it has the email, is never the victim’s', async () => {
  const lax = await startIdentityProvider();
  await allowIssuers(org, [entry, { issuer: lax.issuer, audiences: [client] }]);
  const email = newEmail('victim');
  const attacker = await exchangeToken(org, lax.token(person('attacker', { email, email_verified: false })));
  const victim = await exchangeToken(org, provider.token(person('victim-b', { email })));
  const again = await exchangeToken(org, lax.token(person('attacker', { email, email_verified: false })));
  assert.deepEqual([attacker.status, victim.status, again.status], [200, 200, 200]);
  assert.notEqual(victim.body.user_id, attacker.body.user_id);
  assert.equal(again.body.user_id, attacker.body.user_id);
  await allowIssuers(org, [entry]);
  await assertNoToken(lax.token(person('attacker', { email })), 'issuer_not_allowed');
  lax.close();
});

test('A28 A29: a person is who the provider says by `sub`; an email that looks like another’s does not give that identity', async () => {
  const email = newEmail('Kay');
  const kay = (await exchangeToken(org, provider.token(person('kay', { email })))).body.user_id;
  const renamed = person('kay', { email: newEmail('renamed') });
  assert.equal((await exchangeToken(org, provider.token(renamed))).body.user_id, kay);
  const [local = '', domain = ''] = email.split('@');
  const others: readonly object[] = [
    person('other-sub', { email, email_verified: false }),
    person('text-true', { email, email_verified: 'yes' }),
    // The Kelvin sign, which lower case turns into a `k` that is not this one.
    person('kelvin', { email: email.replace('K', '\u212A') }),
    person('cyrillic', { email: email.replace('a', '\u0430') }),
    person('tagged', { email: `${local}+tag@${domain}` }),
    person('dotted', { email: `${local}.@${domain}` }),
    person('KAY', { email: newEmail('upper') }),
    person('kay ', { email: newEmail('blank') }),
  ];
  for (const claims of others) {
    const reply = await exchangeToken(org, provider.token(claims));
    if (reply.status === 200) assert.notEqual(reply.body.user_id, kay, JSON.stringify(claims));
    else assertProblem(reply, 'token_invalid');
  }
  const shouted = person('second-account', { email: `${local}@${domain.toUpperCase()}` });
  assert.equal((await exchangeToken(org, provider.token(shouted))).body.user_id, kay);
});

test('A11, A13, A14, A16: other issuers, audiences and keys sign no user in, and others’ providers are not asked', async () => {
  const stranger = await startIdentityProvider();
  const claims = person('eve');
  const audiences = [undefined, null, '', [], [''], 'another-client', [[client]], { 0: client }];
  const refused: readonly (readonly [string, ProblemCode])[] = [
    [stranger.token(claims), 'issuer_not_allowed'],
    [provider.token({ ...claims, iss: `${provider.issuer}/` }), 'issuer_not_allowed'],
    [provider.token(claims, { key: strangeKey }), 'token_invalid'],
    ...audiences.map((aud) => [provider.token({ ...claims, aud }), 'audience_mismatch'] as const),
    [provider.token({ ...claims, aud: [client, 'other'], azp: 'other' }), 'audience_mismatch'],
    [provider.token({ ...claims, aud: [client, 'other'] }), 'audience_mismatch'],
    [provider.token({ ...claims, exp: 1 }), 'token_expired'],
    [provider.token({ ...claims, email: undefined }), 'token_invalid'],
  ];
  for (const [token, code] of refused) await assertNoToken(token, code);
  assert.deepEqual(stranger.requests, []);
  stranger.close();
});

test('A01, A04, A05, A07, A10, A38: a token that chooses how it is checked is refused without any request', async () => {
  const stranger = await startIdentityProvider();
  const claims = person('mallory');
  assert.equal((await exchangeToken(org, provider.token(claims))).status, 200);
  const [, payload = '', signature = ''] = provider.token(claims).split('.');
  const unsigned = ['none', 'None', 'nOnE', 'NONE', '', null, undefined].flatMap((alg) =>
    ['', signature, 'AAAA'].map((ending) => `${encodePart({ alg, kid: '1' })}.${payload}.${ending}`),
  );
  const pem = createPublicKey({ key: provider.publicKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const secrets = [pem, `\n${pem}`, `${pem}`.trim(), JSON.stringify(provider.publicKey), '', '1'];
  const symmetric = secrets.map((secret) => {
    const signed = `${encodePart({ alg: 'HS256', kid: '1' })}.${payload}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  });
  const others = ['ES384', 'RS256', 'PS256', 'EdDSA'].map((alg) => provider.token(claims, { header: { alg } }));
  const critical = [['x'], ['b64'], ['exp'], [], 'x'].map((crit) => provider.token(claims, { header: { crit, x: 1 } }));
  const jwk = strangePublicKey.export({ format: 'jwk' });
  const address = `${stranger.issuer}/keys`;
  const brought: readonly GivenSignature['header'][] = [
    ...[{ jwk }, { jku: address }, { x5u: address }, { x5c: ['AAAA'] }],
    ...[{ jwk, kid: '2' }, { jku: address, kid: undefined }, { kid: '../../keys' }, { kid: address }],
  ];
  const spoofed = brought.map((header) => provider.token(claims, { key: strangeKey, header: header ?? {} }));
  const costly = encodePart({ alg: 'PBES2-HS256+A128KW', p2c: 2 ** 31, p2s: 'AAAA', enc: 'A128GCM', zip: 'DEF' });
  const encrypted = [`${costly}.AAAA.${payload}.AAAA.AAAA`, `${costly}.${payload}.AAAA.AAAA.AAAA`];
  for (const token of [...unsigned, ...symmetric, ...others, ...critical, ...spoofed, ...encrypted])
    await assertNoToken(token, 'token_invalid');
  assert.deepEqual(stranger.requests, []);
  stranger.close();
});

test('A17: a token for one app is none for another, also where that one trusts the same provider', async () => {
  const token = provider.token(person('bob'));
  const other = await signUp(gateways);
  await assertNoToken(token, 'issuer_not_allowed', other);
  await allowIssuers(other, [{ issuer: provider.issuer, audiences: ['client-of-the-other'] }]);
  await assertNoToken(token, 'audience_mismatch', other);
  const mixed = { headers: { oauthtoken: token, client_id: org.clientId } };
  assertProblem(await call('GET', appUrl(other, '/token'), mixed), 'client_unknown');
});

test('A40: a thousand tokens with unknown keys ask the provider once, and while it is down its people come in', async () => {
  const own = await startIdentityProvider();
  const { org: of } = await foundedOrg(gateways);
  await allowIssuers(of, [{ issuer: own.issuer, audiences: [client] }]);
  const claims = person('ann');
  assert.equal((await exchangeToken(of, own.token(claims))).status, 200);
  const before = own.requests.length;
  const tokens = Array.from({ length: 1000 }, () => own.token(claims, { header: { kid: randomUUID() } }));
  for (let sent = 0; sent < tokens.length; sent += 100) {
    const replies = await Promise.all(tokens.slice(sent, sent + 100).map((token) => exchangeToken(of, token)));
    for (const reply of replies) assertProblem(reply, 'token_invalid');
  }
  assert.ok(own.requests.length - before <= 1, `the provider was asked ${own.requests.length - before} times`);
  own.fail();
  assert.equal((await exchangeToken(of, own.token(claims))).status, 200);
  own.close();
});

test('64 first sign-ins of one person at once make one account and one membership, and 64 persons make one workspace', async () => {
  const of = await signUp(gateways);
  await allowIssuers(of, [{ issuer: provider.issuer, audiences: [client] }]);
  const people = Array.from({ length: 64 }, (_, index) => person(`first-${index}`));
  const arrived = await Promise.all(people.map((claims) => exchangeToken(of, provider.token(claims))));
  assert.deepEqual([...new Set(arrived.map(({ status }) => status))], [200]);
  assert.equal(new Set(arrived.map(({ body }) => body.user_id)).size, 64);
  assert.equal(new Set(arrived.map(({ body }) => body.tenant_id)).size, 1);
  const twin = person('twin');
  const twins = await Promise.all(Array.from({ length: 64 }, () => exchangeToken(of, provider.token(twin))));
  assert.equal(new Set(twins.map(({ body }) => body.user_id)).size, 1);
  const [one] = twins;
  assert.ok(one !== undefined);
  const { user_id: id, tenant_id: tenantId, tenant_code: tenantCode, token } = one.body;
  const reader = { org: of, email: '', password: '', id, tenantId, tenantCode, token };
  assert.equal((await tenantsOf(reader)).length, 1);
  const users = (await list(reader, 'user', '?pagesize=200')).items;
  assert.equal(users.length, 65);
  assert.equal(users.filter(({ role }) => role === 'admin').length, 1);
  assert.equal((await list(reader, 'useraclpolicy', '?pagesize=200')).items.length, 65);
  assert.equal((await list(reader, 'usergroup')).items.length, 1);
});

test('an app learns where its users sign in, by the domain of an email where it is said', async () => {
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
