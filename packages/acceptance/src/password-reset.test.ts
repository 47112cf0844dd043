/** A new password for an app's user who has forgotten his. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import { ask, codeTo, fromElsewhere, mailsTo, platformForMails, signUpUser } from './mails.ts';
import { type AppUser, act, appUrl, exchangeToken, logIn, newEmail, password, signIn, signUp } from './org.ts';
import { platformOf } from './platform-for-tests.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForMails();
const org = await signUp(gateways);
const neighbour = await signUp(gateways);
const page = 'reset-password';
const newPassword = 'a fresh battery staple';
await signUpUser(org);

function forgot(email: unknown, headers: Readonly<Record<string, string>> = {}) {
  return ask(org, '/password/forgot', { email }, headers);
}

function reset(code: unknown, new_password: unknown = newPassword, of = org) {
  return ask(of, '/password/reset', { code, new_password });
}

async function codeFor(email: string): Promise<string> {
  const before = (await mailsTo(gateways, email)).length;
  assert.equal((await forgot(email)).status, 202);
  assert.equal((await mailsTo(gateways, email)).length, before + 1);
  return codeTo(gateways, email, page);
}

async function isAlive(user: AppUser): Promise<boolean> {
  return (await act(user, 'GET', '/user/me')).status === 200;
}

test('A35: by a mailed code a person sets a new password, every token of the old one ends, and the email is verified', async () => {
  const user = await signUpUser(org);
  const pending = (await logIn(org, user.email)).body.token;
  const code = await codeFor(user.email);
  assert.ok(await isAlive(user));
  const done = await reset(code);
  assert.deepEqual([done.status, done.text], [204, '']);
  assert.ok(!(await isAlive(user)));
  assertProblem(await exchangeToken(org, user.token), 'token_invalid');
  assertProblem(await exchangeToken(org, pending), 'token_invalid');
  assertProblem(await logIn(org, user.email, password), 'credentials_invalid');
  const again = await signIn(org, user.email, newPassword);
  assert.equal(again.id, user.id);
  assert.equal((await act(again, 'GET', '/user/me')).body.email_verified, true);
});

test('H02, H08: the answer is the same for every address, and asking changes nothing', async (t) => {
  const provider = await startIdentityProvider();
  t.after(() => provider.close());
  await allowIssuers(neighbour, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('provider');
  assert.equal((await exchangeToken(neighbour, provider.token(personAt('ann', { email })))).status, 200);
  const user = await signUpUser(neighbour);
  const before = (await act(user, 'GET', '/user/me')).text;
  const requested = [user.email, user.email.toUpperCase(), newEmail('absent'), email, 'a@localhost'];
  const replies = await Promise.all(requested.map((one) => ask(neighbour, '/password/forgot', { email: one })));
  const shown = replies.map(({ status, text, headers }) => {
    const reported = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    return JSON.stringify([status, text, reported]);
  });
  assert.deepEqual(new Set(shown).size, 1, shown.join('\n'));
  assert.equal(replies[0]?.status, 202);
  assert.equal((await mailsTo(gateways, user.email)).filter(({ text }) => text.includes(page)).length, 2);
  assert.deepEqual(await mailsTo(gateways, email), []);
  assert.equal((await act(user, 'GET', '/user/me')).text, before);
  assert.equal((await signIn(neighbour, user.email)).id, user.id);
});

test('a code stays good while others are asked for, until one of them is used', async () => {
  const user = await signUpUser(org);
  const first = await codeFor(user.email);
  const second = await codeFor(user.email);
  assert.notEqual(first, second);
  assert.equal((await reset(first)).status, 204);
  assertProblem(await reset(second, `${newPassword} 2`), 'not_found');
  assert.equal((await logIn(org, user.email, newPassword)).status, 200);
});

test('a code dies when the password changes without it', async () => {
  const user = await signUpUser(org);
  const code = await codeFor(user.email);
  const body = { current_password: password, new_password: `${newPassword} 3` };
  assert.equal((await act(user, 'POST', '/user/password', { body })).status, 200);
  assertProblem(await reset(code), 'not_found');
  assert.equal((await logIn(org, user.email, `${newPassword} 3`)).status, 200);
});

test('A22: of 32 uses of one code at once exactly one succeeds', async () => {
  const user = await signUpUser(org);
  const code = await codeFor(user.email);
  const replies = await Promise.all(Array.from({ length: 32 }, (_, index) => reset(code, `${newPassword} ${index}`)));
  const winners = replies.flatMap(({ status }, index) => (status === 204 ? [index] : []));
  assert.equal(winners.length, 1);
  for (const reply of replies) if (reply.status !== 204) assertProblem(reply, 'not_found');
  assert.equal((await logIn(org, user.email, `${newPassword} ${winners[0]}`)).status, 200);
});

test('a new password that is too short is refused, and the code stays good', async () => {
  const user = await signUpUser(org);
  const code = await codeFor(user.email);
  for (const short of ['', 'short', 'x'.repeat(257)])
    assert.deepEqual(pointers(assertRefusal(await reset(code, short), [400])), ['/new_password']);
  assert.equal((await reset(code)).status, 204);
});

test('a code of one app is good in no other, nor for anything else', async () => {
  const user = await signUpUser(org);
  const code = await codeFor(user.email);
  assertProblem(await reset(code, newPassword, neighbour), 'not_found');
  assertProblem(await ask(org, '/verify-email', { code }), 'not_found');
  const verification = await codeTo(gateways, user.email, 'verify-email');
  assertProblem(await reset(verification), 'not_found');
  for (const made of ['', code.slice(1), `${code}=`, code.toUpperCase(), 'x'.repeat(100_000)])
    assertProblem(await reset(made), 'not_found');
  assert.equal((await reset(code)).status, 204);
});

test('at most 3 mails are asked for one address, alike for an unknown one', async () => {
  const user = await signUpUser(org);
  for (const email of [user.email, newEmail('absent')]) {
    for (let requestCount = 0; requestCount < 3; requestCount++) assert.equal((await forgot(email)).status, 202);
    const refused = await forgot(email.toUpperCase());
    assertProblem(refused, 'rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) > 800, email);
  }
  assert.equal((await mailsTo(gateways, user.email)).filter(({ text }) => text.includes(page)).length, 3);
});

test('H05: at most 20 mails are asked for from one network, whatever the addresses', async () => {
  const at = (host: number) => ({ 'x-forwarded-for': `2001:db8:77:1::${host}` });
  for (let requestCount = 0; requestCount < 20; requestCount++)
    assert.equal((await forgot(newEmail('x'), at(requestCount + 1))).status, 202);
  assertProblem(await forgot(newEmail('x'), at(99)), 'rate_limited');
  assert.equal((await forgot(newEmail('x'), { 'x-forwarded-for': '2001:db8:77:2::1' })).status, 202);
});

test('A31: mistakes in the input are reported before any account is looked up, and no mail goes out', async () => {
  const user = await signUpUser(org);
  const bodies: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['/password/forgot', {}, ['/email']],
    ['/password/forgot', { email: 'absent' }, ['/email']],
    ['/password/forgot', { email: `${user.email}\r\nBcc: eve@example.com` }, ['/email']],
    ['/password/forgot', { email: [user.email] }, ['/email']],
    ['/password/forgot', { email: { $ne: null } }, ['/email']],
    ['/password/forgot', { email: user.email, url: 'https://evil.example' }, ['/url']],
    ['/password/reset', {}, ['/code', '/new_password']],
    ['/password/reset', { code: 7, new_password: newPassword }, ['/code']],
    ['/password/reset', { code: 'x', new_password: newPassword, email: user.email }, ['/email']],
    ['/verify-email', {}, ['/code']],
    ['/verify-email', { code: 'x', email: user.email }, ['/email']],
  ];
  for (const [path, body, wrong] of bodies)
    assert.deepEqual(pointers(assertRefusal(await ask(org, path, body), [400])), wrong, JSON.stringify(body));
  const mails = (await mailsTo(gateways, user.email)).filter(({ text }) => text.includes(page));
  assert.deepEqual(mails, []);
});

test('an app is named by its client id, and there is no other way in', async () => {
  const user = await signUpUser(org);
  for (const [path, body] of [
    ['/password/forgot', { email: user.email }],
    ['/password/reset', { code: 'x', new_password: newPassword }],
    ['/verify-email', { code: 'x' }],
  ] as const) {
    const url = appUrl(org, path);
    assertProblem(await call('POST', url, { body, headers: fromElsewhere() }), 'client_unknown');
    assertProblem(await ask(org, path, body, { client_id: neighbour.clientId }), 'client_unknown');
    assertProblem(await ask(org, path, body, { client_id: org.clientId.replace('test', 'prod') }), 'client_unknown');
    assertProblem(await ask({ ...org, code: 'nowhere' }, path, body), 'not_found');
    assertProblem(await call('GET', url, { headers: { client_id: org.clientId } }), 'method_not_allowed');
    const elsewhere = `${gateways.management}/app/${org.code}${path}`;
    assertProblem(await call('POST', elsewhere, { body, headers: { client_id: org.clientId } }), 'not_found');
  }
});

test('links lead to the app’s own page: `auth.app_url`, else the first allowed domain', async () => {
  const user = await signUpUser(neighbour);
  const linkIn = async () => {
    await ask(
      neighbour,
      '/password/forgot',
      { email: user.email },
      { host: 'evil.example', origin: 'https://evil.example' },
    );
    return /https?:\S+/.exec((await mailsTo(gateways, user.email))[0]?.text ?? '')?.[0]?.replace(/=.*/, '');
  };
  assert.equal(await linkIn(), 'http://localhost/#reset-password');
  await putSetting(neighbour, 'auth', 'allowed_domains', ['https://shop.example', 'http://localhost']);
  assert.equal(await linkIn(), 'https://shop.example/#reset-password');
  await putSetting(neighbour, 'auth', 'app_url', 'https://shop.example/account');
  assert.equal(await linkIn(), 'https://shop.example/account#reset-password');
});

test('an app without passwords takes none by mail', async () => {
  const closed = await signUp(gateways);
  const user = await signUpUser(closed);
  await ask(closed, '/password/forgot', { email: user.email });
  const code = await codeTo(gateways, user.email, page);
  await putSetting(closed, 'auth', 'password_login', { enabled: false });
  assertProblem(await ask(closed, '/password/forgot', { email: user.email }), 'credentials_invalid');
  assertProblem(await reset(code, newPassword, closed), 'credentials_invalid');
});

test('in production without a mail server what needs mail answers 503, and everything else works', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_MODE: 'production', FREEHOLD_HOST: '127.0.0.1' } });
  const silent = await signUp(platform);
  const user = await signIn(silent);
  const own = await act(user, 'POST', '/user/verification');
  const requested = await ask(silent, '/password/forgot', { email: user.email });
  const builder = await call('POST', `${platform.management}/auth/forgot-password`, { body: { email: user.email } });
  for (const reply of [own, requested, builder]) assert.match(assertProblem(reply, 'unavailable').detail, /mail/);
  assertProblem(await call('GET', `${platform.management}/inbox`), 'not_found');
  assertProblem(await call('GET', `${platform.management}/inbox`, { headers: { accept: 'text/html' } }), 'not_found');
  assert.equal((await act(user, 'POST', '/user/invitations', { body: { email: newEmail('guest') } })).status, 201);
});
