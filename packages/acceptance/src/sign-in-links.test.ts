/** Links by which a builder signs in once more: in development alone, once, and for a quarter of an hour. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { assertNow } from './moments.ts';
import { foundedOrg, joinOrg, manage, type Org, password, signUp } from './org.ts';
import { startPlatform } from './platform.ts';

const platform = await startPlatform({ env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });
after(() => platform.kill());

interface Link {
  readonly url: string;
  readonly code: string;
  readonly expires_at: string;
}

interface LoggedIn {
  readonly token: string;
  readonly user: { readonly email: string };
  readonly org: { readonly code: string };
}

async function newLink(org: Org, token = org.builder.token): Promise<Link> {
  const reply = await manage<Link>(org, 'POST', '/auth/sign-in-links', { token });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** A visitor of an address of his own, since failures count against it. */
function enter(org: Org, code: unknown, ip = '192.0.2.1', options: CallOptions = {}) {
  const headers = { 'x-forwarded-for': ip, ...options.headers };
  return call<LoggedIn>('POST', `${org.management}/auth/sign-in-by-link`, { ...options, headers, body: { code } });
}

test('a link signs its maker in, once', async () => {
  const org = await signUp(platform);
  const { url, code, expires_at } = await newLink(org);
  assert.equal(url, `${org.management}/sign-in/link#code=${code}`);
  assert.ok(code.length >= 43);
  assertNow(expires_at, 15 * 60);
  const entered = await enter(org, code);
  assert.equal(entered.status, 200, entered.text);
  assert.deepEqual([entered.body.user.email, entered.body.org.code], [org.builder.email, org.code]);
  assert.equal((await manage(org, 'GET', '/org', { token: entered.body.token })).status, 200);
  assertProblem(await enter(org, code), 'not_found');
});

test('of many who use a link at once one is let in', async () => {
  const org = await signUp(platform);
  const { code } = await newLink(org);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => enter(org, code, `192.0.2.${index + 10}`)),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array(19).fill(404)]);
});

test('a page of the console gets the session as a cookie and not in the body', async () => {
  const org = await signUp(platform);
  const { code } = await newLink(org);
  const entered = await enter(org, code, '192.0.2.2', { headers: { 'x-session': 'cookie' } });
  assert.equal(entered.status, 200, entered.text);
  assert.equal(entered.body.token, undefined);
  const cookie = entered.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^freehold=fm_[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
});

test('a link is made by a session alone, and for its own builder', async () => {
  const { org, founder } = await foundedOrg(platform);
  const developer = await joinOrg(org, 'developer');
  const { code } = await newLink(org, developer.token);
  const entered = await enter(org, code, '192.0.2.3');
  const me = await manage<{ user: { id: string }; role: string }>(org, 'GET', '/auth/me', {
    token: entered.body.token,
  });
  assert.deepEqual([me.body.user.id, me.body.role], [developer.id, 'developer']);
  const key = await manage<{ key: string }>(org, 'POST', '/deploy/keys', { body: { name: 'ci', scope: 'activate' } });
  for (const token of [founder.token, key.body.key, 'nonsense'])
    assertProblem(await manage(org, 'POST', '/auth/sign-in-links', { token }), 'token_invalid');
  assertProblem(await call('POST', `${org.management}/auth/sign-in-links`), 'token_missing');
});

test('a link is worth nothing once the password has changed or the builder has left', async () => {
  const org = await signUp(platform);
  const { code } = await newLink(org);
  const change = { current_password: password, new_password: `${password}!` };
  assert.equal((await manage(org, 'POST', '/auth/password', { body: change })).status, 204);
  assertProblem(await enter(org, code, '192.0.2.4'), 'not_found');
  const developer = await joinOrg(org, 'developer');
  const link = await newLink(org, developer.token);
  assert.equal((await manage(org, 'DELETE', `/org/users/${developer.id}`)).status, 204);
  assertProblem(await enter(org, link.code, '192.0.2.4'), 'not_found');
});

test('a link ends with the session that it was made in, and with the next link of that session', async () => {
  const org = await signUp(platform);
  const { email } = org.builder;
  const signInAgain = async () =>
    (await call<LoggedIn>('POST', `${org.management}/auth/login`, { body: { email, password } })).body.token;
  const [token, other] = [await signInAgain(), await signInAgain()];
  const former = await newLink(org, token);
  const link = await newLink(org, token);
  const ofOther = await newLink(org, other);
  assertProblem(await enter(org, former.code, '192.0.2.7'), 'not_found');
  assert.equal((await manage(org, 'POST', '/auth/logout', { token: other })).status, 204);
  assertProblem(await enter(org, ofOther.code, '192.0.2.7'), 'not_found');
  assert.equal((await enter(org, link.code, '192.0.2.7')).status, 200);
  const next = await newLink(org, token);
  const sessions = await manage<{ items: object[] }>(org, 'GET', '/auth/sessions', { token });
  // What used a session, and when, is noted behind the answers of its calls.
  const noted = new Set(['client', 'last_used_at']);
  for (const session of sessions.body.items)
    assert.deepEqual(
      Object.keys(session)
        .filter((name) => !noted.has(name))
        .toSorted(),
      ['created_at', 'current', 'expires_at', 'id', 'org'],
    );
  assert.equal((await enter(org, next.code, '192.0.2.7')).status, 200);
});

test('what is no code is refused, and guesses are slowed down', async () => {
  const org = await signUp(platform);
  const { code } = await newLink(org);
  assert.deepEqual(pointers(assertProblem(await enter(org, 5), 'validation_failed')), ['/code']);
  for (const wrong of ['', 'x'.repeat(129)])
    assert.deepEqual(pointers(assertProblem(await enter(org, wrong), 'validation_failed')), ['/code']);
  const ip = '192.0.2.5';
  const other = code.at(-1) === 'A' ? 'B' : 'A';
  const guesses = [`${code.slice(0, -1)}${other}`, code.slice(0, -1), `${code}A`, code.toUpperCase(), '__proto__'];
  for (const guess of [...guesses, ...Array.from({ length: 5 }, () => randomBytes(32).toString('base64url'))])
    assertProblem(await enter(org, guess, ip), 'not_found');
  assertProblem(await enter(org, code, ip), 'rate_limited');
  assert.equal((await enter(org, code, '192.0.2.6')).status, 200);
});

test('production makes no link and takes none', async () => {
  const env = { FREEHOLD_MODE: 'production', FREEHOLD_HOST: '127.0.0.1', FREEHOLD_SIGNUP: 'open' };
  const production = await startPlatform({ env });
  try {
    const org = await signUp(production);
    assertProblem(await manage(org, 'POST', '/auth/sign-in-links'), 'not_found');
    assertProblem(await enter(org, 'x'.repeat(43)), 'not_found');
  } finally {
    await production.kill();
  }
});
