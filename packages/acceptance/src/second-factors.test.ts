/** Authenticator apps and recovery codes of builders: how they protect an account, and that nothing leads around them. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { codeTo, fromElsewhere, mailsTo, platformForMails } from './mails.ts';
import { manage, newEmail, type Org, password, signUp } from './org.ts';
import {
  addApp,
  ask,
  complete,
  confirmApp,
  isSession,
  logInBuilder,
  type Protected,
  type SignedIn,
  type Step,
  signInByRecovery,
  stepOf,
} from './second-factor-calls.ts';

const platform = await platformForMails();

/** A builder whose account has an authenticator app. */
async function protectedOrg(): Promise<Protected & { readonly org: Org; readonly email: string }> {
  const org = await signUp(platform);
  return { org, email: org.builder.email, ...(await addApp(platform, org.builder.token)) };
}

async function factorsOf(token: string) {
  const reply = await ask<{ totp: object | null; passkeys: readonly object[]; recovery_codes: number }>(
    platform,
    'GET',
    '/auth/second-factors',
    { token },
  );
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('an authenticator app protects the account once a code of it was confirmed, and not before', async () => {
  const org = await signUp(platform);
  const { email, token } = org.builder;
  const started = await ask<{ secret: string; uri: string }>(platform, 'POST', '/auth/second-factors/totp', {
    token,
    body: { password },
  });
  assert.equal(started.status, 201, started.text);
  assert.match(started.body.secret, /^[A-Z2-7]{32}$/);
  const uri = new URL(started.body.uri);
  assert.equal(uri.protocol, 'otpauth:');
  assert.deepEqual([uri.searchParams.get('secret'), uri.searchParams.get('issuer')], [started.body.secret, 'Freehold']);
  assert.equal((await logInBuilder(platform, email)).status, 200);
  assertProblem(await confirmApp(platform, token, '000000x'), 'credentials_invalid');
  assert.deepEqual(await factorsOf(token), { totp: null, passkeys: [], recovery_codes: 0, passkey_site: null });
  assert.equal((await logInBuilder(platform, email)).status, 200);

  const { recoveryCodes } = await addApp(platform, token);
  assert.equal(new Set(recoveryCodes).size, 10);
  assert.equal((await factorsOf(token)).recovery_codes, 10);
  const step = await stepOf(platform, email);
  assert.deepEqual(step.methods, ['totp', 'recovery_code']);
  const listed = await ask(platform, 'GET', '/auth/second-factors', { token });
  for (const secret of [started.body.secret, ...recoveryCodes]) assert.ok(!listed.text.includes(secret));
});

test('the code of the app completes a sign-in, and each code is taken once', async () => {
  const { org, email, app } = await protectedOrg();
  const [first, second] = [await stepOf(platform, email), await stepOf(platform, email)];
  const code = app.next();
  const done = await complete(platform, { token: first.token, code });
  assert.equal(done.status, 200, done.text);
  assert.deepEqual([done.body.user.email, done.body.org.code], [email, org.code]);
  assert.ok(await isSession(org, done.body.token));
  assertProblem(await complete(platform, { token: second.token, code }), 'credentials_invalid');
  assertProblem(await complete(platform, { token: first.token, recovery_code: 'x' }), 'credentials_invalid');
});

test('of one code that is sent many times at once one is taken', async () => {
  const { email, app } = await protectedOrg();
  const steps = await Promise.all(Array.from({ length: 8 }, () => stepOf(platform, email)));
  const code = app.next();
  const replies = await Promise.all(steps.map(({ token }) => complete(platform, { token, code })));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(401)]);
});

test('of one recovery code that is sent many times at once one is taken, whatever it is for', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const [recovery_code] = recoveryCodes;
  const steps = await Promise.all(Array.from({ length: 4 }, () => stepOf(platform, email)));
  const body = { recovery_code };
  const replies = await Promise.all([
    ...steps.map(({ token }) => complete(platform, { token, recovery_code })),
    ...steps.map(() => ask(platform, 'POST', '/auth/second-factors/totp', { token: org.builder.token, body })),
  ]);
  const statuses = replies.map(({ status }) => status).toSorted();
  assert.ok(statuses[0] === 200 || statuses[0] === 201, String(statuses[0]));
  assert.deepEqual(statuses.slice(1), Array(7).fill(401));
});

test('a code of another time than now, the step before and the step after is refused', async () => {
  const { email, app } = await protectedOrg();
  const { token } = await stepOf(platform, email);
  for (const steps of [-20, -3, 3, 20])
    assertProblem(
      await complete(platform, { token, code: app.atMilliseconds(Date.now() + steps * 30_000) }),
      'credentials_invalid',
    );
});

test('a step of a sign-in is good once, for its own account, and not after the password has changed', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const other = await protectedOrg();
  const { token } = await stepOf(platform, email);
  const used = await complete(platform, { token, recovery_code: recoveryCodes.pop() });
  assert.equal(used.status, 200, used.text);
  assertProblem(await complete(platform, { token, recovery_code: recoveryCodes.pop() }), 'credentials_invalid');
  const fresh = await stepOf(platform, email);
  assertProblem(
    await complete(platform, { token: fresh.token, recovery_code: other.recoveryCodes.at(-1) }),
    'credentials_invalid',
  );
  assertProblem(await complete(platform, { token: fresh.token, code: other.app.next() }), 'credentials_invalid');
  const [payload = '', mac = ''] = fresh.token.split('.');
  const description = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...description, expiresAt: description.expiresAt + 1 })).toString(
    'base64url',
  );
  for (const wrong of [`${forged}.${mac}`, `${payload}.`, payload, 'nonsense', `${payload}.${mac}.x`, '.'])
    assertProblem(await complete(platform, { token: wrong, recovery_code: recoveryCodes.at(-1) }), 'token_invalid');
  const change = { current_password: password, new_password: `${password}!` };
  assert.equal((await manage(org, 'POST', '/auth/password', { body: change })).status, 204);
  assertProblem(await complete(platform, { token: fresh.token, recovery_code: recoveryCodes.at(-1) }), 'token_invalid');
});

test('wrong codes are bounded for the account, from however many networks they come; the owner gets in by a recovery code', async () => {
  const { org, email, app, recoveryCodes } = await protectedOrg();
  const { token } = await stepOf(platform, email);
  const right = app.next();
  const wrong = right === '000000' ? '000001' : '000000';
  for (let guess = 0; guess < 10; guess++)
    assertProblem(await complete(platform, { token, code: wrong }), 'credentials_invalid');
  const refused = assertProblem(await complete(platform, { token, code: right }), 'second_factor_locked');
  assert.match(refused.detail, /no code is taken after 10 wrong ones: use a recovery code/);
  assert.deepEqual(refused.methods, ['recovery_code']);
  const step = await stepOf(platform, email);
  assert.deepEqual([step.methods, step.codes_locked], [['recovery_code'], true]);
  assertProblem(await complete(platform, { token: step.token, code: right }), 'second_factor_locked');
  const entered = await signInByRecovery(platform, email, recoveryCodes);
  assert.equal(entered.user.email, email);
  const alerts = (await mailsTo(platform, email)).filter(({ text }) => /10 wrong codes in a row/.test(text));
  assert.equal(alerts.length, 1);
  const log = await manage<{ items: readonly { action: string; detail?: object }[] }>(org, 'GET', '/audit', {
    token: entered.token,
  });
  const locks = log.body.items.filter(({ action }) => action === 'second_factor.codes_locked');
  assert.deepEqual(
    locks.map(({ detail }) => detail),
    [{ wrong_codes: 10 }],
  );
  const fresh = await stepOf(platform, email);
  assert.deepEqual([fresh.methods, fresh.codes_locked], [['totp', 'recovery_code'], undefined]);
  assert.equal((await complete(platform, { token: fresh.token, code: right })).status, 200);
});

test('wrong codes of one network keep no recovery code of it out', async () => {
  const { email, app, recoveryCodes } = await protectedOrg();
  const { token } = await stepOf(platform, email);
  const wrong = app.next() === '000000' ? '000001' : '000000';
  const headers = fromElsewhere();
  const from = (body: object) => ask(platform, 'POST', '/auth/second-factor', { body: { token, ...body }, headers });
  for (let guess = 0; guess < 10; guess++) assertProblem(await from({ code: wrong }), 'credentials_invalid');
  assertProblem(await from({ code: wrong }), 'second_factor_locked');
  assert.equal((await from({ recovery_code: recoveryCodes.pop() })).status, 200);
});

test('wrong codes that are sent side by side are counted one by one', async () => {
  const { email } = await protectedOrg();
  const { token } = await stepOf(platform, email);
  const replies = await Promise.all(Array.from({ length: 30 }, () => complete(platform, { token, code: '12345x' })));
  assert.ok(replies.filter(({ status }) => status === 401).length <= 10);
});

test('the password is still asked first, and a wrong one says nothing of the factor', async () => {
  const { email } = await protectedOrg();
  const bare = await signUp(platform);
  const answers = [];
  for (const address of [email, bare.builder.email, newEmail('absent')]) {
    const reply = await ask(platform, 'POST', '/auth/login', {
      body: { email: address, password: 'not the password' },
    });
    const { request_id: _, ...expected } = assertProblem(reply, 'credentials_invalid');
    answers.push(expected);
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0], answers[2]);
});

test('a recovery code is valid once, however it is typed, is audited and mailed; new ones end the former', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const [first = '', second = '', third = '', fourth = ''] = recoveryCodes;
  const { token } = await stepOf(platform, email);
  const spelled = first.toUpperCase().replaceAll('-', ' ');
  const entered = await complete(platform, { token, recovery_code: spelled });
  assert.equal(entered.status, 200, entered.text);
  const again = await stepOf(platform, email);
  assertProblem(await complete(platform, { token: again.token, recovery_code: first }), 'credentials_invalid');
  const log = await manage<{ items: readonly { action: string; detail?: object }[] }>(org, 'GET', '/audit', {
    token: entered.body.token,
  });
  const used = log.body.items.find(({ action }) => action === 'second_factor.recovery_code_used');
  assert.deepEqual(used?.detail, { left: 9 });
  assert.ok((await mailsTo(platform, email)).some(({ text }) => /recovery code .* used\. 9 are left/.test(text)));
  const session = { token: entered.body.token };
  const renewed = await ask<{ recovery_codes: string[] }>(platform, 'POST', '/auth/recovery-codes', {
    ...session,
    body: { recovery_code: second },
  });
  assert.equal(renewed.status, 201, renewed.text);
  assert.equal(renewed.body.recovery_codes.length, 10);
  const entries = (
    await manage<{ items: readonly { action: string; detail?: object }[] }>(org, 'GET', '/audit', session)
  ).body.items;
  assert.deepEqual(entries.find(({ action }) => action === 'second_factor.recovery_code_used')?.detail, {
    left: 8,
    as: 'proof',
  });
  for (const former of [third, fourth])
    assertProblem(await complete(platform, { token: again.token, recovery_code: former }), 'credentials_invalid');
  assert.equal(
    (await complete(platform, { token: again.token, recovery_code: renewed.body.recovery_codes[0] })).status,
    200,
  );
});

test('with the first factor every other session ends, and what those have begun', async () => {
  const org = await signUp(platform);
  const { email, token } = org.builder;
  const other = (await logInBuilder(platform, email)).body.token;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = hash('sha256', verifier, 'base64url');
  const allowed = await ask<{ code: string }>(platform, 'POST', '/auth/command-sign-ins', {
    token: other,
    body: { challenge, allow: true },
  });
  const link = await ask<{ code: string }>(platform, 'POST', '/auth/sign-in-links', { token: other });
  await addApp(platform, token);
  assert.ok(await isSession(org, token));
  assert.ok(!(await isSession(org, other)));
  const { code } = allowed.body;
  assertProblem(await ask(platform, 'POST', '/auth/command-sign-in', { body: { code, verifier } }), 'not_found');
  const { code: linked } = link.body;
  assertProblem(await ask(platform, 'POST', '/auth/sign-in-by-link', { body: { code: linked } }), 'not_found');
});

test('no way to a session leads around the factor', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const host = await signUp(platform);
  const { token } = org.builder;
  // A sign-in link.
  const link = (await ask<{ code: string }>(platform, 'POST', '/auth/sign-in-links', { token })).body;
  const byLink = await ask<SignedIn & Step>(platform, 'POST', '/auth/sign-in-by-link', { body: { code: link.code } });
  assert.deepEqual([byLink.status, byLink.body.token], [202, undefined], byLink.text);
  const entered = await complete(platform, {
    token: byLink.body.second_factor.token,
    recovery_code: recoveryCodes.pop(),
  });
  assert.equal(entered.status, 200, entered.text);
  // A cookie that is asked for.
  const cookied = await ask(platform, 'POST', '/auth/login', {
    body: { email, password },
    headers: { 'x-session': 'cookie' },
  });
  assert.deepEqual([cookied.status, cookied.headers.get('set-cookie')], [202, null]);
  // An invitation: the person comes into the org when the factor is proved, and not before.
  const invitation = { email, role: 'developer' };
  const { code } = (await manage<{ code: string }>(host, 'POST', '/org/users', { body: invitation })).body;
  const accepted = await ask<SignedIn & Step>(platform, 'POST', '/auth/accept-invitation', {
    body: { code, password },
  });
  assert.deepEqual([accepted.status, accepted.body.token], [202, undefined], accepted.text);
  const statusIn = async () => {
    const { body } = await manage<{ items: readonly { email: string; status: string }[] }>(host, 'GET', '/org/users');
    return body.items.filter((user) => user.email === email).map(({ status }) => status);
  };
  assert.deepEqual(await statusIn(), ['invited']);
  const joined = await complete(platform, {
    token: accepted.body.second_factor.token,
    recovery_code: recoveryCodes.pop(),
  });
  assert.equal(joined.status, 200, joined.text);
  assert.equal(joined.body.org.code, host.code);
  assert.deepEqual(joined.body.orgs.map((one) => one.code).toSorted(), [org.code, host.code].toSorted());
  assert.deepEqual(await statusIn(), ['active']);
  // A password that is reset by mail: it makes no session, and removes no factor.
  assert.equal((await ask(platform, 'POST', '/auth/forgot-password', { body: { email } })).status, 202);
  const reset = { code: await codeTo(platform, email, 'code'), new_password: `${password}!` };
  const done = await ask(platform, 'POST', '/auth/reset-password', { body: reset });
  assert.deepEqual([done.status, done.text], [204, '']);
  const after = await ask<Step>(platform, 'POST', '/auth/login', { body: { email, password: `${password}!` } });
  assert.deepEqual([after.status, after.body.second_factor.methods], [202, ['totp', 'recovery_code']]);
});

test('a session that has the factor behind it switches the org, and signs a command in, without another proof', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const { token } = await signInByRecovery(platform, email, recoveryCodes);
  const switched = await ask<SignedIn>(platform, 'POST', '/auth/switch-org', { token, body: { org: org.code } });
  assert.equal(switched.status, 200, switched.text);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = hash('sha256', verifier, 'base64url');
  const allow = { challenge, allow: true };
  const { code } = (await ask<{ code: string }>(platform, 'POST', '/auth/command-sign-ins', { token, body: allow }))
    .body;
  assert.equal((await ask(platform, 'POST', '/auth/command-sign-in', { body: { code, verifier } })).status, 200);
});

test('a session alone changes no factor: N09', async () => {
  const { org, app, recoveryCodes } = await protectedOrg();
  const other = await protectedOrg();
  const { token } = org.builder;
  for (const path of ['/auth/second-factors/totp', '/auth/recovery-codes', '/auth/second-factors/totp/remove']) {
    for (const body of [{}, { password }])
      assert.deepEqual(
        pointers(assertProblem(await ask(platform, 'POST', path, { token, body }), 'validation_failed')),
        [''],
      );
    for (const body of [{ code: '000000x' }, { recovery_code: other.recoveryCodes[0] }, { code: other.app.at(1) }])
      assertProblem(await ask(platform, 'POST', path, { token, body }), 'credentials_invalid');
  }
  const both = { code: app.at(1), recovery_code: recoveryCodes[0] };
  assertProblem(await ask(platform, 'POST', '/auth/recovery-codes', { token, body: both }), 'validation_failed');
  assert.equal((await factorsOf(token)).recovery_codes, 10);
  const bare = await signUp(platform);
  const wrong = { token: bare.builder.token, body: { password: 'not the password' } };
  assertProblem(await ask(platform, 'POST', '/auth/second-factors/totp', wrong), 'credentials_invalid');
  const none = { token: bare.builder.token, body: { password } };
  assertProblem(await ask(platform, 'POST', '/auth/recovery-codes', none), 'conflict');
  assertProblem(await ask(platform, 'POST', '/auth/second-factors/totp/remove', none), 'not_found');
  assertProblem(await confirmApp(platform, bare.builder.token, '000000'), 'not_found');
});

test('the app can be removed with a proof: then the password alone signs in, and the recovery codes are gone', async () => {
  const { org, email, recoveryCodes } = await protectedOrg();
  const { token } = org.builder;
  const body = { recovery_code: recoveryCodes.pop() };
  assert.equal((await ask(platform, 'POST', '/auth/second-factors/totp/remove', { token, body })).status, 204);
  assert.deepEqual(await factorsOf(token), { totp: null, passkeys: [], recovery_codes: 0, passkey_site: null });
  assert.equal((await logInBuilder(platform, email)).status, 200);
  assert.ok((await mailsTo(platform, email)).some(({ text }) => /factor .* was removed.* last one/.test(text)));
});

test('another phone takes the place of the first when its code is confirmed', async () => {
  const { org, email, app, recoveryCodes } = await protectedOrg();
  const { token } = org.builder;
  const body = { recovery_code: recoveryCodes.pop() };
  const started = await ask<{ secret: string }>(platform, 'POST', '/auth/second-factors/totp', { token, body });
  assert.equal(started.status, 201, started.text);
  const step = await stepOf(platform, email);
  assert.equal((await complete(platform, { token: step.token, code: app.next() })).status, 200);
  const { AuthenticatorApp } = await import('./authenticator-app.ts');
  const second = new AuthenticatorApp(started.body.secret);
  const confirmed = await confirmApp(platform, token, second.next());
  assert.deepEqual([confirmed.status, confirmed.body], [200, {}], confirmed.text);
  const next = await stepOf(platform, email);
  assertProblem(
    await complete(platform, { token: next.token, code: app.at(Math.floor(Date.now() / 30_000)) }),
    'credentials_invalid',
  );
  assert.equal((await complete(platform, { token: next.token, code: second.next() })).status, 200);
});

test('what is no proof is refused by its member', async () => {
  const { email } = await protectedOrg();
  const { token } = await stepOf(platform, email);
  for (const [body, pointer] of [
    [{ token, code: 123456 }, '/code'],
    [{ token, code: '' }, '/code'],
    [{ token, code: '1'.repeat(17) }, '/code'],
    [{ token, recovery_code: 'x'.repeat(65) }, '/recovery_code'],
    [{ token, passkey: 'x' }, '/passkey'],
    [{ token: 'x'.repeat(2049), code: '123456' }, '/token'],
    [{ token }, ''],
  ] as const)
    assert.deepEqual(pointers(assertProblem(await complete(platform, body), 'validation_failed')), [pointer]);
});
