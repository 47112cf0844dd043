/** Orgs that require a second factor of their members. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { mailsTo, platformForMails } from './mails.ts';
import { foundedOrg, joinOrg, manage, newEmail, type Org, signUp } from './org.ts';
import {
  addApp,
  ask,
  isSession,
  logInBuilder,
  type SignedIn,
  signInByRecovery,
  stepOf,
} from './second-factor-calls.ts';

const platform = await platformForMails();

function require(org: Org, second_factor = 'required', token = org.builder.token) {
  return manage(org, 'PUT', '/org/security', { token, body: { second_factor } });
}

/** An org that requires a second factor, whose admin has one. */
async function strictOrg() {
  const org = await signUp(platform);
  const factors = await addApp(platform, org.builder.token);
  const reply = await require(org);
  assert.deepEqual([reply.status, reply.body], [200, { second_factor: 'required' }], reply.text);
  return { org, ...factors };
}

test('an admin without a factor cannot require one, and a developer cannot require one at all', async () => {
  const org = await signUp(platform);
  assert.match(assertProblem(await require(org), 'conflict').detail, /add a second factor to your own account first/);
  assert.equal((await require(org, 'optional')).status, 200);
  await addApp(platform, org.builder.token);
  const developer = await joinOrg(org, 'developer');
  assertProblem(await require(org, 'required', developer.token), 'role_required');
  assertProblem(await require(org, 'never'), 'validation_failed');
  assert.equal((await require(org)).status, 200);
  const shown = await manage<{ security: object }>(org, 'GET', '/org');
  assert.deepEqual(shown.body.security, { second_factor: 'required' });
});

test('a session of a member without a factor can from that moment only add one, switch the org and sign out', async () => {
  const org = await signUp(platform);
  const email = newEmail('member');
  const member = await joinOrg(org, 'org_admin', email);
  await addApp(platform, org.builder.token);
  const { token } = member;
  assert.equal((await manage(org, 'GET', '/org', { token })).status, 200);
  assert.equal((await require(org)).status, 200);
  const fresh = await logInBuilder(platform, email);
  assert.equal(fresh.status, 200, fresh.text);
  for (const session of [token, fresh.body.token]) {
    for (const [method, path, body] of [
      ['GET', '/org'],
      ['GET', '/api/entities'],
      ['GET', '/org/users'],
      ['GET', '/deploy/staged'],
      ['POST', '/deploy/publish', {}],
      ['POST', '/auth/password', {}],
      ['POST', '/auth/sign-in-links'],
      ['POST', '/auth/command-sign-ins', { challenge: 'x'.repeat(43), allow: true }],
      ['POST', '/org/impersonate', {}],
      ['PUT', '/org/security', { second_factor: 'optional' }],
      ['POST', '/api/create-thing', {}],
    ] as const)
      assertProblem(
        await manage(org, method, path, { token: session, ...(body === undefined ? {} : { body }) }),
        'second_factor_required',
      );
    const me = await manage<{ second_factor: object }>(org, 'GET', '/auth/me', { token: session });
    assert.deepEqual(me.body.second_factor, { enrolled: false, required: true });
    assert.equal((await manage(org, 'GET', '/auth/orgs', { token: session })).status, 200);
  }
  await addApp(platform, token);
  assert.equal((await manage(org, 'GET', '/org', { token })).status, 200);
  assert.ok(!(await isSession(org, fresh.body.token)));
  const out = await logInBuilder(platform, newEmail('stranger'));
  assert.equal(out.status, 401);
});

test('the limit is that of the org: the same account works in another org, and back in this one it does not', async () => {
  const { org } = await strictOrg();
  const other = await signUp(platform);
  const body = { email: other.builder.email, role: 'developer' };
  const { code } = (await manage<{ code: string }>(org, 'POST', '/org/users', { body })).body;
  const joined = await ask<SignedIn>(platform, 'POST', '/auth/accept-invitation', {
    body: { code, password: other.builder.password },
  });
  assert.equal(joined.status, 200, joined.text);
  assertProblem(await manage(org, 'GET', '/api/entities', { token: joined.body.token }), 'second_factor_required');
  const switched = await ask<SignedIn>(platform, 'POST', '/auth/switch-org', {
    token: joined.body.token,
    body: { org: other.code },
  });
  assert.equal((await manage(other, 'GET', '/api/entities', { token: switched.body.token })).status, 200);
  const back = await ask<SignedIn>(platform, 'POST', '/auth/switch-org', {
    token: switched.body.token,
    body: { org: org.code },
  });
  assertProblem(await manage(org, 'GET', '/api/entities', { token: back.body.token }), 'second_factor_required');
});

test('what such a member had opened in the app ends at once', async () => {
  const { org, founder } = await foundedOrg(platform);
  await addApp(platform, org.builder.token);
  const member = await joinOrg(org, 'developer');
  const request = { env: 'test', tenant_code: founder.tenantCode };
  const opened = await manage<{ token: string }>(org, 'POST', '/org/impersonate', {
    token: member.token,
    body: request,
  });
  assert.equal(opened.status, 200, opened.text);
  const me = () =>
    ask({ ...org, management: org.app }, 'GET', `/app/${org.code}/list/user`, { token: opened.body.token });
  assert.equal((await me()).status, 200);
  assert.equal((await require(org)).status, 200);
  assertProblem(await me(), 'token_invalid');
});

test('keys of pipelines and servers go on', async () => {
  const { org } = await strictOrg();
  const made = await manage<{ key: string }>(org, 'POST', '/deploy/keys', { body: { name: 'ci', scope: 'publish' } });
  assert.equal(made.status, 201, made.text);
  assert.notEqual((await manage(org, 'GET', '/deploy/staged', { token: made.body.key })).status, 403);
});

test('a member who removes the last factor is limited at once, and the org can be opened again', async () => {
  const { org, recoveryCodes } = await strictOrg();
  const developer = await joinOrg(org, 'developer');
  const { recoveryCodes: codes } = await addApp(platform, developer.token);
  const { token } = developer;
  assert.equal((await manage(org, 'GET', '/api/entities', { token })).status, 200);
  const body = { recovery_code: codes.pop() };
  assert.equal((await manage(org, 'POST', '/auth/second-factors/totp/remove', { token, body })).status, 204);
  assertProblem(await manage(org, 'GET', '/api/entities', { token }), 'second_factor_required');
  assert.equal((await require(org, 'optional')).status, 200);
  assert.equal((await manage(org, 'GET', '/api/entities', { token })).status, 200);
  assert.equal(recoveryCodes.length, 10);
});

test('an admin resets the factors of a member who is in this org alone; the sessions end, it is audited and mailed', async () => {
  const { org } = await strictOrg();
  const email = newEmail('member');
  const member = await joinOrg(org, 'developer', email);
  const { recoveryCodes } = await addApp(platform, member.token);
  const { token } = await signInByRecovery(platform, email, recoveryCodes);
  const step = await stepOf(platform, email);
  const path = `/org/users/${member.id}/reset-second-factors`;
  assertProblem(await manage(org, 'POST', path, { token }), 'role_required');
  assertProblem(await manage(await signUp(platform), 'POST', path), 'not_found');
  const users = async () => {
    const { body } = await manage<{ items: readonly { id: string; has_second_factor?: boolean }[] }>(
      org,
      'GET',
      '/org/users',
    );
    return body.items.find(({ id }) => id === member.id)?.has_second_factor;
  };
  assert.equal(await users(), true);
  assert.equal((await manage(org, 'POST', path)).status, 204);
  assert.equal(await users(), false);
  for (const session of [token, member.token]) assert.ok(!(await isSession(org, session)));
  assertProblem(
    await ask(platform, 'POST', '/auth/second-factor', {
      body: { token: step.token, recovery_code: recoveryCodes.pop() },
    }),
    'credentials_invalid',
  );
  assert.equal((await logInBuilder(platform, email)).status, 200);
  const log = await manage<{ items: readonly { action: string; target: { id: string } }[] }>(org, 'GET', '/audit');
  const entry = log.body.items.find(({ action }) => action === 'second_factor.reset');
  assert.equal(entry?.target.id, member.id);
  assert.ok(
    (await mailsTo(platform, email)).some(({ text }) => /admin of your org removed all second factors/.test(text)),
  );
  assertProblem(await manage(org, 'POST', path), 'conflict');
});

test('an admin resets neither the own factors nor those of an account that is in other orgs too', async () => {
  const { org } = await strictOrg();
  const me = await manage<{ user: { id: string } }>(org, 'GET', '/auth/me');
  const own = `/org/users/${me.body.user.id}/reset-second-factors`;
  assert.match(assertProblem(await manage(org, 'POST', own), 'conflict').detail, /your own/);
  const other = await signUp(platform);
  const { recoveryCodes } = await addApp(platform, other.builder.token);
  const body = { email: other.builder.email, role: 'developer' };
  const { code } = (await manage<{ code: string }>(org, 'POST', '/org/users', { body })).body;
  const accepted = await ask<{ second_factor: { token: string } }>(platform, 'POST', '/auth/accept-invitation', {
    body: { code, password: other.builder.password },
  });
  const joined = await ask<SignedIn>(platform, 'POST', '/auth/second-factor', {
    body: { token: accepted.body.second_factor.token, recovery_code: recoveryCodes.pop() },
  });
  assert.equal(joined.status, 200, joined.text);
  const path = `/org/users/${joined.body.user.id}/reset-second-factors`;
  assert.match(assertProblem(await manage(org, 'POST', path), 'conflict').detail, /in other orgs too/);
  for (const id of ['none', '01890a5d-ac96-774b-bcce-b302099a8057'])
    assertProblem(await manage(org, 'POST', `/org/users/${id}/reset-second-factors`), 'not_found');
});
