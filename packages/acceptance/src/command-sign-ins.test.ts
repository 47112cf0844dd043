/** How the command line signs in by a browser: what the console decides, and what the code of it is good for. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { assertNow } from './moments.ts';
import { foundedOrg, joinOrg, manage, newOrgCode, type Org, password, signUp } from './org.ts';
import { startPlatform } from './platform.ts';

const platform = await startPlatform({ env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });
after(() => platform.kill());

interface Decided {
  readonly code?: string;
  readonly expires_at: string;
}

interface LoggedIn {
  readonly token: string;
  readonly user: { readonly id: string; readonly email: string };
  readonly org: { readonly code: string };
}

function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}

function decide(org: Org, challenge: unknown, allow: unknown = true, token = org.builder.token) {
  return manage<Decided>(org, 'POST', '/auth/command-sign-ins', { token, body: { challenge, allow } });
}

async function allowed(org: Org, verifier: string, token = org.builder.token): Promise<string> {
  const reply = await decide(org, challengeOf(verifier), true, token);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.code ?? '';
}

/** A command of an address of its own, since failures count against it. */
function enter(org: Org, body: unknown, ip = '192.0.2.1') {
  const headers = { 'x-forwarded-for': ip };
  return call<LoggedIn>('POST', `${org.management}/auth/command-sign-in`, { headers, body });
}

test('an allowed command gets a session of its own, once, which its builder sees and ends', async () => {
  const org = await signUp(platform);
  const verifier = newVerifier();
  const { body } = await decide(org, challengeOf(verifier));
  assertNow(body.expires_at, 5 * 60);
  const entered = await enter(org, { code: body.code, verifier, org: org.code });
  assert.equal(entered.status, 200, entered.text);
  const { token, user } = entered.body;
  assert.deepEqual([user.email, entered.body.org.code], [org.builder.email, org.code]);
  assert.equal(entered.headers.get('set-cookie'), null);
  assertProblem(await enter(org, { code: body.code, verifier }), 'not_found');
  const listed = async (as: string) =>
    (await manage<{ items: { id: string; current: boolean }[] }>(org, 'GET', '/auth/sessions', { token: as })).body
      .items;
  const own = (await listed(token)).find(({ current }) => current);
  assert.equal((await listed(org.builder.token)).length, 2);
  assert.equal((await manage(org, 'DELETE', `/auth/sessions/${own?.id}`)).status, 204);
  assertProblem(await manage(org, 'GET', '/org', { token }), 'token_invalid');
});

test('N07: of many exchanges at once one is answered', async () => {
  const org = await signUp(platform);
  const verifier = newVerifier();
  const code = await allowed(org, verifier);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => enter(org, { code, verifier }, `192.0.2.${index + 10}`)),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array(19).fill(404)]);
});

test('N07: a sign-in is decided once: another builder changes nothing, and a denial is final', async () => {
  const org = await signUp(platform);
  const other = await joinOrg(org, 'org_admin');
  const verifier = newVerifier();
  const code = await allowed(org, verifier);
  for (const allow of [true, false])
    for (const token of [other.token, org.builder.token])
      assertProblem(await decide(org, challengeOf(verifier), allow, token), 'conflict');
  const entered = await enter(org, { code, verifier });
  assert.equal(entered.body.user.email, org.builder.email);
  assertProblem(await decide(org, challengeOf(verifier)), 'conflict');
  const denied = newVerifier();
  const denial = await decide(org, challengeOf(denied), false);
  assert.deepEqual([denial.status, denial.body.code], [201, undefined]);
  for (const token of [other.token, org.builder.token])
    assertProblem(await decide(org, challengeOf(denied), true, token), 'conflict');
  for (const guess of [code, '', newVerifier()])
    assert.ok([400, 404].includes((await enter(org, { code: guess, verifier: denied })).status));
});

test('N07, N04: a code is for its own verifier and org', async () => {
  const org = await signUp(platform);
  const [verifier, foreign] = [newVerifier(), newVerifier()];
  const code = await allowed(org, verifier);
  const ofForeign = await allowed(await signUp(platform), foreign);
  const wrong = [
    { code, verifier: foreign },
    { code: ofForeign, verifier },
    { code, verifier: challengeOf(verifier) },
    { code, verifier, org: newOrgCode() },
  ];
  for (const proof of wrong) assertProblem(await enter(org, proof, '192.0.2.2'), 'not_found');
  assert.equal((await enter(org, { code, verifier, org: org.code }, '192.0.2.2')).status, 200);
});

test('N04: there is S256 alone: a short or foreign challenge, none, and a verifier that is too short are refused', async () => {
  const org = await signUp(platform);
  const verifier = newVerifier();
  for (const challenge of ['plain', '', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}+`, 5, null])
    assert.deepEqual(pointers(assertProblem(await decide(org, challenge), 'validation_failed')), ['/challenge']);
  assertProblem(await manage(org, 'POST', '/auth/command-sign-ins', { body: { allow: true } }), 'validation_failed');
  assertProblem(await decide(org, challengeOf(verifier), 'yes'), 'validation_failed');
  const body = { challenge: verifier, allow: true, code_challenge_method: 'plain' };
  assertProblem(await manage(org, 'POST', '/auth/command-sign-ins', { body }), 'unknown_field');
  const plain = await decide(org, verifier);
  assertProblem(await enter(org, { code: plain.body.code, verifier }, '192.0.2.3'), 'not_found');
  const code = await allowed(org, verifier);
  for (const short of ['', verifier.slice(0, 42), `${verifier}!`])
    assert.deepEqual(pointers(assertProblem(await enter(org, { code, verifier: short }), 'validation_failed')), [
      '/verifier',
    ]);
  assertProblem(await enter(org, { code }), 'validation_failed');
});

test('N07: a code ends with the session that allowed it, with its password, and with its membership', async () => {
  const org = await signUp(platform);
  const { email } = org.builder;
  const login = await call<LoggedIn>('POST', `${org.management}/auth/login`, { body: { email, password } });
  const [ofSession, ofPassword, ofMember] = [newVerifier(), newVerifier(), newVerifier()];
  const code = await allowed(org, ofSession, login.body.token);
  assert.equal((await manage(org, 'POST', '/auth/logout', { token: login.body.token })).status, 204);
  assertProblem(await enter(org, { code, verifier: ofSession }, '192.0.2.4'), 'not_found');
  const developer = await joinOrg(org, 'developer');
  const codeOfMember = await allowed(org, ofMember, developer.token);
  assert.equal((await manage(org, 'DELETE', `/org/users/${developer.id}`)).status, 204);
  assertProblem(await enter(org, { code: codeOfMember, verifier: ofMember }, '192.0.2.4'), 'not_found');
  const other = await call<LoggedIn>('POST', `${org.management}/auth/login`, { body: { email, password } });
  const codeOfOther = await allowed(org, ofPassword, other.body.token);
  const change = { current_password: password, new_password: `${password}!` };
  assert.equal((await manage(org, 'POST', '/auth/password', { body: change })).status, 204);
  assertProblem(await enter(org, { code: codeOfOther, verifier: ofPassword }, '192.0.2.4'), 'not_found');
});

test('a session of a builder decides, and no key, no app token and no stranger does', async () => {
  const { org, founder } = await foundedOrg(platform);
  const key = await manage<{ key: string }>(org, 'POST', '/deploy/keys', { body: { name: 'ci', scope: 'activate' } });
  for (const token of [founder.token, key.body.key, 'nonsense'])
    assertProblem(await decide(org, challengeOf(newVerifier()), true, token), 'token_invalid');
  const body = { challenge: challengeOf(newVerifier()), allow: true };
  assertProblem(await call('POST', `${org.management}/auth/command-sign-ins`, { body }), 'token_missing');
});

test('N07: a page of another origin decides nothing with the cookie of a builder', async () => {
  const org = await signUp(platform);
  const login = await call('POST', `${org.management}/auth/login`, {
    body: { email: org.builder.email, password },
    headers: { 'x-session': 'cookie' },
  });
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  const body = { challenge: challengeOf(newVerifier()), allow: true };
  for (const origin of ['https://stranger.example', 'http://127.0.0.1:40123', 'null']) {
    const reply = await call('POST', `${org.management}/auth/command-sign-ins`, { body, headers: { cookie, origin } });
    assertProblem(reply, 'origin_refused');
  }
});

test('N07: guesses are slowed down, and the right code is still good', async () => {
  const org = await signUp(platform);
  const verifier = newVerifier();
  const code = await allowed(org, verifier);
  const ip = '192.0.2.5';
  for (let sent = 0; sent < 10; sent++)
    assertProblem(await enter(org, { code: newVerifier(), verifier }, ip), 'not_found');
  assertProblem(await enter(org, { code, verifier }, ip), 'rate_limited');
  assert.equal((await enter(org, { code, verifier }, '192.0.2.6')).status, 200);
});
