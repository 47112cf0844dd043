/** How an org admin asks people into the workspaces of the app, without being a member. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { mailsTo, platformForMails, signUpUser } from './mails.ts';
import { type AppUser, act, joinOrg, list, manage, newEmail, type Org, random, signIn, signUp } from './org.ts';
import { founderOf, multiOrg, putSetting, refreshed } from './workspaces.ts';

const gateways = await platformForMails();
const missing = '01890000-0000-7000-8000-000000000000';

interface Issued {
  readonly id: string;
  readonly code: string;
  readonly url: string;
}

interface Open {
  readonly id: string;
  readonly email: string;
  readonly is_by_builder: boolean;
}

async function founded(): Promise<{ readonly org: Org; readonly founder: AppUser; readonly path: string }> {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'Alpha');
  return { org, founder, path: `/org/workspaces/${founder.tenantCode}/invitations` };
}

async function invite(org: Org, path: string, body: object, token = org.builder.token): Promise<Issued> {
  const reply = await manage<Issued>(org, 'POST', path, { body: { env: 'test', ...body }, token });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

async function open(org: Org, path: string): Promise<readonly Open[]> {
  const reply = await manage<{ items: readonly Open[] }>(org, 'GET', path);
  assert.equal(reply.status, 200, reply.text);
  assert.doesNotMatch(reply.text, /code_hash/);
  return reply.body.items;
}

function accept(user: AppUser, code: string): Promise<Reply<unknown>> {
  return act(user, 'POST', '/user/acceptinvitation', { body: { code } });
}

test('an org admin invites an address into a workspace, with a policy of it, and the mail leads there', async () => {
  const { org, founder, path } = await founded();
  await putSetting(org, 'auth', 'app_url', 'https://app.example.com/');
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  const guest = await signUpUser(org);
  const issued = await invite(org, path, { email: guest.email, role: 'admin', acl_policy_id: admin?.id });
  assert.equal(issued.url, `https://app.example.com/#invitation=${issued.code}`);
  assert.ok((await mailsTo(gateways, guest.email)).some(({ text }) => text.includes(issued.url)));
  assert.deepEqual(
    (await open(org, path)).map(({ id, email, is_by_builder }) => [id, email, is_by_builder]),
    [[issued.id, guest.email, true]],
  );
  assert.equal((await accept(guest, issued.code)).status, 200);
  const inside = await refreshed(guest);
  assert.equal(inside.tenantCode, founder.tenantCode);
  assert.equal((await act(inside, 'POST', '/create/userrole', { body: { name: random() } })).status, 201);
  assert.deepEqual(await open(org, path), []);
  assertProblem(await accept(guest, issued.code), 'not_found');
});

test('without a policy the member gets that of new members, and is no one else’s guest', async () => {
  const { org, founder, path } = await founded();
  const [guest, other] = [await signUpUser(org), await signUpUser(org)];
  const { code } = await invite(org, path, { email: guest.email });
  assertProblem(await accept(other, code), 'not_found');
  assert.equal((await accept(guest, code)).status, 200);
  const inside = await refreshed(guest);
  assertProblem(await act(inside, 'POST', '/create/userrole', { body: { name: random() } }), 'access_denied');
  assert.equal((await list(founder, 'user')).items.length, 2);
});

test('an invitation is sent again with a new code, and withdrawn, also one of a member', async () => {
  const { org, founder, path } = await founded();
  const guest = await signUpUser(org);
  const first = await act<Issued>(founder, 'POST', '/user/invitations', { body: { email: guest.email } });
  assert.deepEqual(
    (await open(org, path)).map(({ is_by_builder }) => is_by_builder),
    [false],
  );
  const again = await manage<Issued>(org, 'POST', `${path}/${first.body.id}/resend`, { body: { env: 'test' } });
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(
    (await open(org, path)).map(({ is_by_builder }) => is_by_builder),
    [true],
  );
  assertProblem(await accept(guest, first.body.code), 'not_found');
  // A member who sends it again answers for it from then on.
  const third = await act<Issued>(founder, 'POST', `/user/invitations/${first.body.id}/resend`);
  assert.deepEqual(
    (await open(org, path)).map(({ is_by_builder }) => is_by_builder),
    [false],
  );
  assert.equal((await manage(org, 'DELETE', `${path}/${first.body.id}`)).status, 204);
  assertProblem(await manage(org, 'DELETE', `${path}/${first.body.id}`), 'not_found');
  assertProblem(await accept(guest, third.body.code), 'not_found');
});

test('an invitation admits no one once its sender is no org admin any more', async () => {
  const { org, path } = await founded();
  const sender = await joinOrg(org, 'org_admin');
  const guest = await signUpUser(org);
  const { code } = await invite(org, path, { email: guest.email }, sender.token);
  const role = (name: string) => manage(org, 'PUT', `/org/users/${sender.id}`, { body: { role: name } });
  assert.equal((await role('developer')).status, 200);
  assertProblem(await accept(guest, code), 'escalation_refused');
  assert.equal((await role('org_admin')).status, 200);
  assert.equal((await accept(guest, code)).status, 200);
});

test('the audit log says who invited whom into which workspace', async () => {
  const { org, path } = await founded();
  const { id } = await invite(org, path, { email: newEmail('guest') });
  const me = (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
  const log = await manage<{ items: readonly { actor: object; target: object; tenant_code: string }[] }>(
    org,
    'GET',
    '/audit?action=invitation.created&env=test&tenant_code=alpha',
  );
  assert.deepEqual(
    log.body.items.map(({ actor, target, tenant_code }) => [actor, target, tenant_code]),
    [[{ kind: 'org_user', id: me }, { kind: 'invitation', id }, 'alpha']],
  );
});

test('developers read invitations and send none; other orgs, other workspaces and nonsense get nothing', async () => {
  const { org, founder, path } = await founded();
  const developer = await joinOrg(org, 'developer');
  const outsider = await signUp(gateways);
  const email = newEmail('guest');
  const { id } = await invite(org, path, { email });
  const body = { env: 'test', email };
  assert.equal((await manage(org, 'GET', path, { token: developer.token })).status, 200);
  const writes = [
    ['POST', path, body],
    ['POST', `${path}/${id}/resend`, { env: 'test' }],
    ['DELETE', `${path}/${id}`, undefined],
  ] as const;
  for (const [method, to, sent] of writes) {
    const options = sent === undefined ? {} : { body: sent };
    assertProblem(await manage(org, method, to, { ...options, token: developer.token }), 'role_required');
    assertProblem(await manage(outsider, method, to, options), 'not_found');
    assertProblem(await call(method, org.management + to, options), 'token_missing');
    assertProblem(await call(method, org.management + to, { ...options, token: founder.token }), 'token_invalid');
  }
  assertProblem(await manage(outsider, 'GET', path), 'not_found');
  assertProblem(await manage(org, 'GET', `${path}?env=prod`), 'not_found');
  for (const code of ['none', 'a'.repeat(300), 'ALPHA'])
    assertProblem(await manage(org, 'POST', `/org/workspaces/${code}/invitations`, { body }), 'not_found');
  for (const other of ['x', missing]) {
    assertProblem(await manage(org, 'POST', `${path}/${other}/resend`, { body: { env: 'test' } }), 'not_found');
    assertProblem(await manage(org, 'DELETE', `${path}/${other}`), 'not_found');
  }
  // A policy of another workspace is none of this one.
  const beta = await founderOf(org, 'Beta');
  const theirs = (await list(beta, 'aclpolicy', '?name=adminacl')).items[0];
  for (const [change, pointer] of [
    [{ acl_policy_id: theirs?.id }, '/acl_policy_id'],
    [{ acl_policy_id: 'nonsense' }, '/acl_policy_id'],
    [{ email: 'x' }, '/email'],
    [{ role: 'a'.repeat(65) }, '/role'],
  ] as const)
    assert.deepEqual(
      pointers(assertProblem(await manage(org, 'POST', path, { body: { ...body, ...change } }), 'validation_failed')),
      [pointer],
    );
  assert.equal((await open(org, path)).length, 1);
  assert.ok((await signIn(org, email)).id.length > 0);
});
