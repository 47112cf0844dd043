/** The password of a builder: changed, forgotten, set again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { codeTo, fromElsewhere, mailsTo, platformForMails } from './mails.ts';
import { foundedOrg, manage, newEmail, type Org, password, signUp } from './org.ts';

const gateways = await platformForMails();
const page = 'code';
const newPassword = 'a fresh battery staple';

interface LoggedIn {
  readonly token: string;
}

function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = fromElsewhere()) {
  return call<LoggedIn>('POST', `${gateways.management}${path}`, { body, headers });
}

function logIn(org: Org, secret = password) {
  return post('/auth/login', { email: org.builder.email, password: secret });
}

function change(org: Org, current_password: string, new_password: string, token = org.builder.token) {
  const body = { current_password, new_password };
  return manage(org, 'POST', '/auth/password', { body, token, headers: fromElsewhere() });
}

function forgot(email: string, headers = fromElsewhere()) {
  return post('/auth/forgot-password', { email }, headers);
}

function reset(code: unknown, new_password = newPassword) {
  return post('/auth/reset-password', { code, new_password });
}

async function isAlive(org: Org, token = org.builder.token): Promise<boolean> {
  return (await manage(org, 'GET', '/auth/me', { token })).status === 200;
}

async function codeFor(email: string): Promise<string> {
  assert.equal((await forgot(email)).status, 202);
  return codeTo(gateways, email, page);
}

test('A35: a changed password ends every session of the person but the one in hand', async () => {
  const org = await signUp(gateways);
  const other = (await logIn(org)).body.token;
  const reply = await change(org, password, newPassword);
  assert.deepEqual([reply.status, reply.text], [204, '']);
  assert.ok(await isAlive(org));
  assert.ok(!(await isAlive(org, other)));
  const sessions = await manage<{ items: readonly { current: boolean }[] }>(org, 'GET', '/auth/sessions');
  assert.deepEqual(
    sessions.body.items.map(({ current }) => current),
    [true],
  );
  assertProblem(await logIn(org), 'credentials_invalid');
  const fresh = await logIn(org, newPassword);
  assert.equal(fresh.status, 200);
  const switched = await manage<LoggedIn>(org, 'POST', '/auth/switch-org', { body: { org: org.code } });
  for (const token of [fresh.body.token, switched.body.token]) assert.ok(await isAlive(org, token));
  assert.equal((await manage(org, 'POST', '/auth/logout')).status, 204);
  assert.ok(!(await isAlive(org)));
});

test('a change needs the current password, guesses at which count as those of a log-in do', async () => {
  const org = await signUp(gateways);
  const headers = { 'x-forwarded-for': '2001:db8:99:1::1' };
  const body = { current_password: 'not the password', new_password: newPassword };
  for (let guess = 0; guess < 10; guess++)
    assertProblem(await manage(org, 'POST', '/auth/password', { body, headers }), 'credentials_invalid');
  const right = { ...body, current_password: password };
  assertProblem(await manage(org, 'POST', '/auth/password', { body: right, headers }), 'rate_limited');
  const login = { email: org.builder.email, password };
  assertProblem(await post('/auth/login', login, headers), 'rate_limited');
  assert.ok(await isAlive(org));
  assert.equal((await logIn(org)).status, 200);
});

test('of changes that are made at once one counts', async () => {
  const org = await signUp(gateways);
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => change(org, password, `${newPassword} ${index}`)),
  );
  const winners = replies.flatMap(({ status }, index) => (status === 204 ? [index] : []));
  assert.equal(winners.length, 1);
  for (const reply of replies) if (reply.status !== 204) assertRefusal(reply, [401, 409]);
  assert.equal((await logIn(org, `${newPassword} ${winners[0]}`)).status, 200);
  assert.ok(await isAlive(org));
});

test('A35: by a mailed code a builder sets a new password, and every session ends', async () => {
  const org = await signUp(gateways);
  const other = (await logIn(org)).body.token;
  const code = await codeFor(org.builder.email.toUpperCase().replace('EXAMPLE.COM', 'example.com'));
  assert.ok(await isAlive(org));
  assert.equal((await reset(code)).status, 204);
  for (const token of [org.builder.token, other]) assert.ok(!(await isAlive(org, token)));
  assertProblem(await logIn(org), 'credentials_invalid');
  assert.ok(await isAlive(org, (await logIn(org, newPassword)).body.token));
  assertProblem(await reset(code, `${newPassword} 2`), 'not_found');
});

test('A22: of 32 uses of one code at once exactly one succeeds', async () => {
  const org = await signUp(gateways);
  const code = await codeFor(org.builder.email);
  const replies = await Promise.all(Array.from({ length: 32 }, () => reset(code)));
  assert.equal(replies.filter(({ status }) => status === 204).length, 1);
  for (const reply of replies) if (reply.status !== 204) assertProblem(reply, 'not_found');
});

test('a code dies when the password changes without it, and stays good when it is only asked for again', async () => {
  const org = await signUp(gateways);
  const first = await codeFor(org.builder.email);
  const second = await codeFor(org.builder.email);
  assert.deepEqual(pointers(assertRefusal(await reset(first, 'short'), [400])), ['/new_password']);
  assert.equal((await reset(first)).status, 204);
  assertProblem(await reset(second), 'not_found');
  const third = await codeFor(org.builder.email);
  const { token } = (await logIn(org, newPassword)).body;
  assert.equal((await change(org, newPassword, password, token)).status, 204);
  assertProblem(await reset(third), 'not_found');
});

test('H02: whether an address is known shows neither in the answer nor in when it is refused', async () => {
  const org = await signUp(gateways);
  for (const email of [org.builder.email, newEmail('absent')]) {
    for (let requestCount = 0; requestCount < 3; requestCount++) {
      const { status, text } = await forgot(email);
      assert.deepEqual([status, text], [202, '{}']);
    }
    assertProblem(await forgot(email), 'rate_limited');
  }
  assert.equal((await mailsTo(gateways, org.builder.email)).length, 3);
});

test('the link in a mail leads to this platform, whatever `Host` the request names', async () => {
  const org = await signUp(gateways);
  const port = new URL(gateways.management).port;
  const headers = { ...fromElsewhere(), host: 'evil.example', origin: 'https://evil.example' };
  assert.equal((await forgot(org.builder.email, headers)).status, 202);
  const [mail] = await mailsTo(gateways, org.builder.email);
  assert.match(mail?.text ?? '', new RegExp(`\\shttp://localhost:${port}/reset-password#code=[\\w-]{43}\\s`));
  assert.doesNotMatch(mail?.text ?? '', /evil/);
});

test('an invitation to an org is mailed with its link', async () => {
  const org = await signUp(gateways);
  const email = newEmail('invited');
  const body = { email, role: 'developer' };
  const invited = await manage<{ code: string }>(org, 'POST', '/org/users', { body });
  assert.equal(invited.status, 201, invited.text);
  const [mail] = await mailsTo(gateways, email);
  assert.equal(mail?.subject, `You are invited to Org ${org.code}`);
  assert.ok(mail?.text.includes(`/accept-invitation#code=${invited.body.code}\n`), mail?.text);
});

test('A31: bodies that are not understood change nothing', async () => {
  const org = await signUp(gateways);
  const bodies: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['/auth/password', {}, ['/current_password', '/new_password']],
    ['/auth/password', { current_password: password, new_password: 'short' }, ['/new_password']],
    ['/auth/password', { current_password: [password], new_password: newPassword }, ['/current_password']],
    ['/auth/forgot-password', {}, ['/email']],
    ['/auth/forgot-password', { email: 'absent' }, ['/email']],
    ['/auth/forgot-password', { email: org.builder.email, url: 'x' }, ['/url']],
    ['/auth/reset-password', {}, ['/code', '/new_password']],
    ['/auth/reset-password', { code: { $ne: '' }, new_password: newPassword }, ['/code']],
  ];
  for (const [path, body, wrong] of bodies)
    assert.deepEqual(pointers(assertRefusal(await manage(org, 'POST', path, { body }), [400])), wrong, path);
  for (const path of ['/auth/password', '/auth/forgot-password', '/auth/reset-password'])
    assertProblem(await manage(org, 'POST', `${path}?x=1`, { body: {} }), 'invalid_request');
  assert.ok(await isAlive(org));
  assert.equal((await logIn(org)).status, 200);
});

test('B24: changing a password takes a session of the management gateway', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const body = { current_password: password, new_password: newPassword };
  const url = `${gateways.management}/auth/password`;
  assertProblem(await call('POST', url, { body }), 'token_missing');
  for (const token of ['junk', founder.token]) assertProblem(await call('POST', url, { body, token }), 'token_invalid');
  for (const path of ['/auth/password', '/auth/forgot-password', '/auth/reset-password'])
    assertProblem(await call('POST', `${gateways.app}${path}`, { body, token: org.builder.token }), 'not_found');
  assert.equal((await logIn(org)).status, 200);
});

test('a cookie of a console may change the password from its own page alone', async () => {
  const org = await signUp(gateways);
  const login = { email: org.builder.email, password };
  const given = await post('/auth/login', login, { ...fromElsewhere(), 'x-session': 'cookie' });
  const cookie = given.headers.get('set-cookie')?.split(';')[0] ?? '';
  const body = { current_password: password, new_password: newPassword };
  const url = `${gateways.management}/auth/password`;
  assertProblem(
    await call('POST', url, { body, headers: { cookie, origin: 'https://evil.example' } }),
    'origin_refused',
  );
  const own = await call('POST', url, { body, headers: { cookie, origin: gateways.management } });
  assert.equal(own.status, 204, own.text);
  assert.equal((await call('GET', `${gateways.management}/auth/me`, { headers: { cookie } })).status, 200);
});
