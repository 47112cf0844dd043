import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { decodePart, encodePart, publishedKeys, readAppToken, type TokenHeader } from './app-token.ts';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { assertNow } from './moments.ts';
import {
  type AppUser,
  act,
  appUrl,
  exchangeToken,
  foundedOrg,
  logIn,
  newEmail,
  type Org,
  password,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

async function freshLoginToken(of: Org = org): Promise<string> {
  const reply = await logIn(of, newEmail('user'));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.token;
}

function exchange(headers: Readonly<Record<string, string>>, of: Org = org) {
  return call('GET', appUrl(of, '/token'), { headers });
}

test('the exchange answers with the app JWT in `x-service-token` and says whose it is', async () => {
  const email = newEmail('ann');
  const reply = await exchangeToken(org, (await logIn(org, email)).body.token);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('x-service-token'), reply.body.token);
  const { claims } = await readAppToken(gateways.app, reply.body.token);
  assert.equal(claims.sub, reply.body.user_id);
  assert.equal(claims.tenant_id, reply.body.tenant_id);
  assert.equal(claims.tenant_code, reply.body.tenant_code);
  assert.equal(Date.parse(reply.body.expires_at), claims.exp * 1000);
});

test('the app JWT carries the claims of the document, signed with a published key, for 48 hours', async () => {
  const { header, claims } = await readAppToken(gateways.app, founder.token);
  assert.equal(header.alg, 'ES256');
  assert.equal(claims.org, org.code);
  assert.equal(claims.tenant_id, founder.tenantId);
  assert.equal(claims.tenant_code, 'main');
  assert.equal(claims.email, founder.email);
  assert.equal(claims.clientid, org.clientId);
  assert.equal(claims.role, 'admin');
  assert.equal(claims.fn, '');
  assert.equal(claims.ln, '');
  assert.equal(claims.env, 'test');
  assert.equal(claims.exp - claims.iat, 48 * 60 * 60);
  assertNow(new Date(claims.iat * 1000).toISOString());
  for (const member of ['iss', 'aud', 'jti', 'sub', 'idp'] as const) assert.ok(claims[member].length > 0, member);
  assert.equal(claims.email_verified, false);
  assert.ok(!('org_code' in claims));
});

test('two exchanges give two tokens of one user', async () => {
  const again = await signIn(org, founder.email);
  const [first, second] = [
    await readAppToken(gateways.app, founder.token),
    await readAppToken(gateways.app, again.token),
  ];
  assert.equal(first.claims.sub, second.claims.sub);
  assert.notEqual(first.claims.jti, second.claims.jti);
});

test('the issuer of the app JWT is one, whatever the org', async () => {
  const other = await foundedOrg(gateways);
  const [ours, theirs] = [
    await readAppToken(gateways.app, founder.token),
    await readAppToken(gateways.app, other.founder.token),
  ];
  assert.equal(ours.claims.iss, theirs.claims.iss);
});

test('the key set holds public keys only', async () => {
  const keys = await publishedKeys(gateways.app);
  assert.ok(keys.length > 0);
  for (const key of keys) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    assert.deepEqual([key.kty, key.crv, key.alg, key.use], ['EC', 'P-256', 'ES256', 'sig']);
  }
});

test('A41: the answer of the exchange is never cached, and the token stands in no URL', async () => {
  const reply = await exchangeToken(org, await freshLoginToken());
  assert.match(reply.headers.get('cache-control') ?? '', /no-store/);
  assert.match(reply.headers.get('vary') ?? '', /origin/i);
  assert.equal(reply.headers.get('location'), null);
  const refused = await exchangeToken(org, 'some-secret-text');
  assert.doesNotMatch(refused.text, /some-secret-text/);
});

for (const [what, token] of [
  ['an empty', ''],
  ['a blank', '   '],
  ['the word null as', 'null'],
  ['the word undefined as', 'undefined'],
  ['a text that is no', 'abc'],
  ['a two-part', 'aaa.bbb'],
] as const) {
  test(`A32: ${what} \`oauthtoken\` gives no token`, async () => {
    const reply = await rawCall(gateways.app, {
      method: 'GET',
      target: `/app/${org.code}/token`,
      headers: [`oauthtoken: ${token}`, `client_id: ${org.clientId}`],
    });
    assertNoToken(reply, [400, 401]);
  });
}

test('A32: a missing `oauthtoken` gives no token', async () => {
  assertNoToken(await exchange({ client_id: org.clientId }), [400, 401]);
});

test('A32: two `oauthtoken` headers, or two joined by a comma, give no token, even when both are good', async () => {
  const [first, second] = [await freshLoginToken(), await freshLoginToken()];
  const target = `/app/${org.code}/token`;
  const client = `client_id: ${org.clientId}`;
  const doubled = [`oauthtoken: ${first}`, `oauthtoken: ${second}`, client];
  assertNoToken(await rawCall(gateways.app, { method: 'GET', target, headers: doubled }), [400, 401]);
  const joined = [`oauthtoken: ${first}, ${second}`, client];
  assertNoToken(await rawCall(gateways.app, { method: 'GET', target, headers: joined }), [400, 401]);
  const twoClients = [`oauthtoken: ${first}`, client, client];
  assertNoToken(await rawCall(gateways.app, { method: 'GET', target, headers: twoClients }), [400, 401]);
});

test('a missing, an unknown and another org’s client id give no token', async () => {
  const other = await signUp(gateways);
  assertNoToken(await exchange({ oauthtoken: await freshLoginToken() }), [400, 401]);
  for (const client_id of [
    '',
    'test_unknown',
    other.clientId,
    org.clientId.replace('test_', 'prod_'),
    `${org.clientId}x`,
  ]) {
    const reply = await exchange({ oauthtoken: await freshLoginToken(), client_id });
    assertNoToken(reply, [400, 401]);
    if (client_id !== '') assertProblem(reply, 'client_unknown');
  }
});

test('the client id is checked before the token is looked at', async () => {
  assertProblem(await exchange({ oauthtoken: 'nonsense', client_id: 'test_unknown' }), 'client_unknown');
});

test('a login with an unknown client id is refused and makes no user', async () => {
  const email = newEmail('absent');
  const reply = await call('POST', appUrl(org, '/login'), {
    headers: { client_id: 'test_x' },
    body: { email, password },
  });
  assertProblem(reply, 'client_unknown');
  const users = await act<{ items: readonly unknown[] }>(founder, 'GET', `/list/user?pagesize=200`);
  assert.doesNotMatch(users.text, new RegExp(email));
});

test('an org that does not exist gives no token', async () => {
  const reply = await call('GET', `${gateways.app}/app/nosuchorg/token`, {
    headers: { oauthtoken: await freshLoginToken(), client_id: org.clientId },
  });
  assertNoToken(reply, [401, 404]);
});

test('A11: a token of an issuer that is not allowed is refused, and the issuer is not asked for its keys', async () => {
  let appointments = 0;
  const listener = createServer((_, response) => {
    appointments++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  assert.ok(address !== null && typeof address === 'object');
  const iss = `http://127.0.0.1:${address.port}`;
  const now = Math.floor(Date.now() / 1000);
  for (const header of [{ alg: 'ES256', kid: 'k' }, { alg: 'RS256', jku: `${iss}/keys` }, { alg: 'none' }]) {
    const claims = { iss, aud: org.clientId, sub: 'x', email: founder.email, iat: now, exp: now + 600 };
    const token = `${encodePart(header)}.${encodePart(claims)}.c2lnbmF0dXJl`;
    assertProblem(await exchangeToken(org, token), 'issuer_not_allowed');
  }
  assert.equal(appointments, 0);
  listener.close();
});

for (const alg of ['none', 'None', 'nOnE', 'HS256']) {
  test(`A01: an app JWT made over to \`alg: ${alg}\` opens nothing`, async () => {
    const [head = '', payload = ''] = founder.token.split('.');
    for (const signature of ['', 'AAAA']) {
      const forged = `${encodePart({ ...decodePart<TokenHeader>(head), alg })}.${payload}.${signature}`;
      assertProblem(await act(founder, 'GET', '/list/aclpolicy', { token: forged }), 'token_invalid');
      assertNoToken(await exchangeToken(org, forged), [401]);
    }
  });
}

test('a password-login token is good for one exchange', async () => {
  const token = await freshLoginToken();
  assert.equal((await exchangeToken(org, token)).status, 200);
  assertNoToken(await exchangeToken(org, token), [401]);
});

test('A22: of 32 parallel exchanges of one login token exactly one succeeds', async () => {
  const token = await freshLoginToken();
  const replies = await Promise.all(Array.from({ length: 32 }, () => exchangeToken(org, token)));
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
  for (const reply of replies.filter((each) => each.status !== 200)) assertNoToken(reply, [401]);
});

test('A17: a login token of one org is no good at another', async () => {
  const other = await signUp(gateways);
  assertNoToken(await exchangeToken(other, await freshLoginToken(org)), [401]);
});

test('an app JWT is exchanged for a fresh one by its own org and client, again and again', async () => {
  for (let time = 0; time < 2; time++) {
    const reply = await exchangeToken(org, founder.token);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.user_id, founder.id);
    assert.notEqual(reply.body.token, founder.token);
  }
});

test('A17: an app JWT of one org is no good at the exchange of another', async () => {
  const other = await signUp(gateways);
  assertNoToken(await exchangeToken(other, founder.token), [401]);
});

test('a management token is no identity token', async () => {
  assertNoToken(await exchangeToken(org, org.builder.token), [401]);
});

test('a login token opens no data route', async () => {
  assertRefusal(await act(founder, 'GET', '/list/aclpolicy', { token: await freshLoginToken() }), [401]);
});

test('the app JWT travels as a bearer, bare in `Authorization`, or in `x-service-token`', async () => {
  for (const headers of [
    { authorization: `Bearer ${founder.token}` },
    { authorization: founder.token },
    { 'x-service-token': founder.token },
  ]) {
    assert.equal((await listPolicies(founder, { headers })).status, 200);
  }
});

test('A37: an app JWT under another scheme is refused', async () => {
  for (const scheme of ['Basic', 'Foo', 'Token', 'BearerX', 'Bearer Bearer']) {
    assertRefusal(await listPolicies(founder, { headers: { authorization: `${scheme} ${founder.token}` } }), [401]);
  }
});

test('A38: a five-part token is refused', async () => {
  const header = encodePart({ alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', p2c: 2_000_000_000, zip: 'DEF' });
  const token = `${header}.AAAA.AAAA.AAAA.AAAA`;
  assertProblem(await act(founder, 'GET', '/list/aclpolicy', { token }), 'token_invalid');
  assertNoToken(await exchangeToken(org, token), [401]);
});

test('A38: headers beyond the bound are answered with 431', async () => {
  const reply = await rawCall(gateways.app, {
    method: 'GET',
    target: `/app/${org.code}/list/aclpolicy`,
    headers: [`Authorization: Bearer ${'a'.repeat(40_000)}`],
  });
  assert.equal(reply.status, 431);
});

test('an app JWT with any part changed is refused', async () => {
  const parts = founder.token.split('.');
  for (const index of [0, 1, 2]) {
    const part = parts[index] ?? '';
    for (const at of [0, Math.floor(part.length / 2), part.length - 2]) {
      const swapped = part.charAt(at) === 'A' ? 'B' : 'A';
      const changed = parts.with(index, part.slice(0, at) + swapped + part.slice(at + 1)).join('.');
      assertRefusal(await act(founder, 'GET', '/list/aclpolicy', { token: changed }), [401]);
    }
  }
});

test('a token whose claims were raised keeps nothing of its signature', async () => {
  const member = await signIn(org);
  const [head = '', payload = '', signature = ''] = member.token.split('.');
  const raised = { ...decodePart<Record<string, unknown>>(payload), sub: founder.id, role: 'admin' };
  const token = `${head}.${encodePart(raised)}.${signature}`;
  assertProblem(await act(founder, 'GET', '/list/aclpolicy', { token }), 'token_invalid');
});

for (const value of [{ $ne: null }, ['x'], 7, true, null]) {
  test(`A31: ${JSON.stringify(value)} in the place of a text is refused by the login`, async () => {
    const headers = { client_id: org.clientId };
    for (const member of ['email', 'password']) {
      const body = { email: newEmail('u'), password, [member]: value };
      assertRefusal(await call('POST', appUrl(org, '/login'), { headers, body }), [400]);
    }
  });
}

test('a wrong password is refused, with an answer that does not depend on the address', async () => {
  const wrong = assertProblem(await logIn(org, founder.email, 'not the password'), 'credentials_invalid');
  assert.doesNotMatch(JSON.stringify(wrong), new RegExp(founder.email));
  assert.equal((await logIn(org, founder.email)).status, 200);
});

test('a new user’s password keeps the minimum length of 10 characters', async () => {
  assertRefusal(await logIn(org, newEmail('short'), '123456789'), [400]);
  assert.equal((await logIn(org, newEmail('enough'), '1234567890')).status, 200);
});

test('the case of an e-mail address makes no second user', async () => {
  const email = newEmail('case');
  const first = await signIn(org, email);
  const second = await signIn(org, email.toUpperCase());
  assert.equal(second.id, first.id);
});

test('ten failures for one address brake it, also for the right password, and brake no other', async () => {
  const braked = await signIn(org, newEmail('braked'));
  for (let failure = 0; failure < 10; failure++) {
    assertProblem(await logIn(org, braked.email, 'not the password'), 'credentials_invalid');
  }
  const reply = await logIn(org, braked.email);
  assertProblem(reply, 'rate_limited');
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
  assert.equal((await logIn(org, founder.email)).status, 200);
});

function listPolicies(user: AppUser, options: CallOptions) {
  return call('GET', appUrl(user.org, '/list/aclpolicy'), options);
}

function assertNoToken(reply: Parameters<typeof assertRefusal>[0], statuses: readonly number[]): void {
  assertRefusal(reply, statuses);
  assert.equal(reply.headers.get('x-service-token'), null);
  assert.doesNotMatch(reply.text, /eyJ/);
}
