import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { ask, codeTo, platformForMails, signUpUser } from './mails.ts';
import { assertNow, weekSeconds } from './moments.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  foundedOrg,
  list,
  manage,
  memberWith,
  newEmail,
  random,
  signIn,
} from './org.ts';
import { founderOf, multiOrg, putSetting, refreshed, tenantsOf } from './workspaces.ts';

const gateways = await platformForMails();
const org = await multiOrg(gateways);
const founder = await founderOf(org, 'Acme');
const missing = '01890000-0000-7000-8000-000000000000';

interface Issued {
  readonly id: string;
  readonly code: string;
  readonly url: string;
  readonly expires_at: string;
}

interface Shown {
  readonly id: string;
  readonly email?: string;
}

function post(user: AppUser, body: unknown): Promise<Reply<Issued>> {
  return act<Issued>(user, 'POST', '/user/invitations', { body });
}

async function invite(email: string, more: Readonly<Record<string, unknown>> = {}): Promise<Issued> {
  const reply = await post(founder, { email, ...more });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

function accept(user: AppUser, code: unknown) {
  return act<{ tenant_id: string; tenant_code: string; name: string }>(user, 'POST', '/user/acceptinvitation', {
    body: { code },
  });
}

async function open(user = founder): Promise<readonly Shown[]> {
  const reply = await act<{ readonly items: readonly Shown[] }>(user, 'GET', '/user/invitations');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

async function received(user: AppUser): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const reply = await act<{ readonly items: readonly Readonly<Record<string, unknown>>[] }>(
    user,
    'GET',
    '/user/invitations/mine',
  );
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** A person who has shown to read the mail of the address. */
async function provedUser(email: string): Promise<AppUser> {
  const user = await signUpUser(org, email);
  assert.equal((await ask(org, '/verify-email', { code: await codeTo(gateways, email, 'verify-email') })).status, 204);
  return user;
}

async function policyIdOf(name: string): Promise<string> {
  return (await list(founder, 'aclpolicy', `?name=${name}`)).items[0]?.id ?? '';
}

test('an invitation is good for seven days, and its code is shown once', async () => {
  const email = newEmail('guest');
  const { id, code, url, expires_at } = await invite(email, { role: 'buyer' });
  assert.ok(url.endsWith(`#invitation=${code}`), url);
  assertNow(expires_at, weekSeconds);
  const shown = (await open()).find((invitation) => invitation.id === id);
  assert.deepEqual(shown, { ...shown, id, email, role: 'buyer', invited_by: founder.id, expires_at });
  const guest = await provedUser(email);
  const mine = await received(guest);
  assert.deepEqual(mine, [
    { id, tenant_id: founder.tenantId, tenant_code: founder.tenantCode, name: 'Acme', role: 'buyer', expires_at },
  ]);
  for (const text of [shown, mine]) assert.ok(!JSON.stringify(text).includes(code.slice(-43)));
});

test('who accepts is a member with the role and the policy of new members, and a fresh token is of the workspace', async () => {
  const email = newEmail('guest');
  const { code } = await invite(email.toUpperCase(), { role: 'buyer' });
  const guest = await provedUser(email);
  const accepted = await accept(guest, code);
  assert.deepEqual([accepted.status, accepted.body.tenant_id, accepted.body.name], [200, founder.tenantId, 'Acme']);
  assertProblem(await act(guest, 'GET', '/list/user'), 'workspace_required');
  const member = await refreshed(guest);
  assert.equal(member.tenantId, founder.tenantId);
  assert.equal((await act(member, 'GET', `/item/user/${guest.id}`)).body.role, 'buyer');
  const links = (await list(founder, 'useraclpolicy', `?user_id=${guest.id}`)).items;
  assert.deepEqual(
    links.map((link) => link.acl_policy_id),
    [await policyIdOf('vieweracl')],
  );
  assertProblem(await act(member, 'POST', '/create/group', { body: { name: 'x' } }), 'access_denied');
  assertProblem(await accept(guest, code), 'not_found');
  assert.deepEqual(await received(member), []);
  assert.equal((await tenantsOf(member)).length, 1);
});

test('of 32 acceptances of one code at once, one counts', async () => {
  const email = newEmail('guest');
  const { code } = await invite(email);
  const guest = await signIn(org, email);
  const replies = await Promise.all(Array.from({ length: 32 }, () => accept(guest, code)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) assertRefusal(reply, [404, 409]);
  assert.equal((await list(founder, 'useraclpolicy', `?user_id=${guest.id}`)).items.length, 1);
});

test('a code that never was, is another’s, or was taken back, opens nothing and tells nothing apart', async () => {
  const { id, code } = await invite(newEmail('guest'));
  const stranger = await signIn(org);
  const forged = `${founder.tenantCode}.${id}.${'a'.repeat(43)}`;
  const elsewhere = code.replace(/^[^.]+/, 'main');
  const bodies = [];
  for (const wrong of [code, forged, elsewhere, '', 'x', `${code}x`, `${code.slice(0, -1)}.`]) {
    const { request_id: _one, ...problem } = assertProblem(await accept(stranger, wrong), 'not_found');
    bodies.push(JSON.stringify(problem));
  }
  assert.equal(new Set(bodies).size, 1);
  for (const wrong of [7, null, undefined]) assertRefusal(await accept(stranger, wrong), [400]);
  assert.deepEqual(await tenantsOf(stranger), []);

  const email = newEmail('guest');
  const withdrawn = await invite(email);
  const removed = await act(founder, 'DELETE', `/user/invitations/${withdrawn.id}`);
  assert.equal(removed.status, 204, removed.text);
  const guest = await provedUser(email);
  assertProblem(await accept(guest, withdrawn.code), 'not_found');
  assert.deepEqual(await received(guest), []);
  for (const gone of [withdrawn.id, missing, 'x'])
    assertProblem(await act(founder, 'DELETE', `/user/invitations/${gone}`), 'not_found');
});

test('an invitation that is sent again has a new code, and the old one is invalid', async () => {
  const email = newEmail('guest');
  const first = await invite(email);
  const again = await act<Issued>(founder, 'POST', `/user/invitations/${first.id}/resend`);
  assert.equal(again.status, 200, again.text);
  assert.equal(again.body.id, first.id);
  const guest = await signIn(org, email);
  assertProblem(await accept(guest, first.code), 'not_found');
  assert.equal((await accept(guest, again.body.code)).status, 200);
  assertProblem(await act(founder, 'POST', `/user/invitations/${first.id}/resend`), 'not_found');
});

test('an invitation grants the policy that it names, in place of the one of new members', async () => {
  const policy = await create(founder, 'aclpolicy', { name: `p-${random()}`, statements: [allow('creategroup')] });
  const email = newEmail('guest');
  const { code } = await invite(email, { acl_policy_id: policy.id });
  const guest = await signIn(org, email);
  assert.equal((await accept(guest, code)).status, 200);
  const member = await refreshed(guest);
  assert.equal((await act(member, 'POST', '/create/group', { body: { name: `g-${random()}` } })).status, 201);
  assertProblem(await act(member, 'GET', '/list/group'), 'access_denied');
});

test('a member can neither grant more than it holds by an invitation, nor send such an invitation again', async () => {
  const { founder } = await foundedOrg(gateways);
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0]?.id;
  const inviter = await memberWith(founder, [allow(['createinvitation', 'listinvitation'])]);
  assertProblem(await post(inviter, { email: newEmail('guest'), acl_policy_id: admin }), 'escalation_refused');
  assert.deepEqual(await open(inviter), []);
  const own = await post(founder, { email: newEmail('guest'), acl_policy_id: admin });
  const path = `/user/invitations/${own.body.id}`;
  assertProblem(await act(inviter, 'POST', `${path}/resend`), 'escalation_refused');
  assertProblem(await act(inviter, 'DELETE', path), 'access_denied');
  assert.equal((await post(inviter, { email: newEmail('guest') })).status, 201);
  const unprivileged = await memberWith(founder, [allow('listorder')]);
  for (const [method, route] of [
    ['POST', ''],
    ['GET', ''],
    ['DELETE', `/${own.body.id}`],
    ['POST', `/${own.body.id}/resend`],
  ] as const) {
    const body = method === 'POST' && route === '' ? { body: { email: newEmail('x') } } : {};
    assertProblem(await act(unprivileged, method, `/user/invitations${route}`, body), 'access_denied');
  }
  assert.equal((await open(founder)).length, 2);
});

test('a policy that an open invitation grants is in use, and by force the invitation goes with it', async () => {
  const policy = await create(founder, 'aclpolicy', { name: `p-${random()}`, statements: [allow('listgroup')] });
  const email = newEmail('guest');
  const { id, code } = await invite(email, { acl_policy_id: policy.id });
  const path = `/delete/aclpolicy/${policy.id}`;
  const { held_by } = assertProblem(await act(founder, 'DELETE', path), 'in_use');
  assert.deepEqual(held_by, { users: 0, keys: 0, groups: 0, invitations: 1 });
  assert.ok((await open()).some((one) => one.id === id));
  assert.equal((await act(founder, 'DELETE', `${path}?force=true`)).status, 204);
  assert.ok(!(await open()).some((one) => one.id === id));
  const guest = await signIn(org, email);
  assertProblem(await accept(guest, code), 'not_found');
  assertProblem(await act(founder, 'POST', `/user/invitations/${id}/resend`), 'not_found');
  assert.deepEqual(await tenantsOf(guest), []);
  assert.equal((await refreshed(guest)).tenantId, null);
});

test('a member is not invited a second time, and one who was removed comes back by an invitation', async () => {
  const { founder, org } = await foundedOrg(gateways);
  const member = await signIn(org);
  const first = await post(founder, { email: member.email });
  assertProblem(await accept(member, first.body.code), 'conflict');
  assert.equal((await act(founder, 'DELETE', `/delete/user/${member.id}`)).status, 204);
  const outside = await signIn(org, member.email);
  assert.equal(outside.tenantId, null);
  assert.equal((await accept(outside, first.body.code)).status, 200);
  const back = await refreshed(outside);
  assert.equal(back.tenantId, founder.tenantId);
  assert.equal((await act(back, 'GET', '/list/user')).status, 200);
  // What he held before he was removed is not good again.
  assertRefusal(await act(member, 'GET', '/list/user'), [401]);
});

test('A44: nonsense creates no invitation', async () => {
  const other = await founderOf(org);
  const foreign = (await list(other, 'aclpolicy')).items[0]?.id;
  const before = await open();
  const email = newEmail('guest');
  const bad: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ['/email']],
    [{ email: 'x' }, ['/email']],
    [{ email: 7 }, ['/email']],
    [{ email, role: 'x'.repeat(65) }, ['/role']],
    [{ email, role: ['admin'] }, ['/role']],
    [{ email, acl_policy_id: missing }, ['/acl_policy_id']],
    [{ email, acl_policy_id: foreign }, ['/acl_policy_id']],
    [{ email, tenant_id: other.tenantId, user_id: other.id }, ['/tenant_id', '/user_id']],
    [[email], ['']],
  ];
  for (const [body, expected] of bad)
    assert.deepEqual(pointers(assertRefusal(await post(founder, body), [400])), expected, JSON.stringify(body));
  assertRefusal(await act(founder, 'POST', '/user/invitations?tenant_id=x', { body: { email } }), [400]);
  assert.deepEqual(await open(), before);
});

test('B11: invitations are for callers with an app JWT of this org, and those of another workspace are not there', async () => {
  const other = await founderOf(org);
  const beta = await foundedOrg(gateways);
  const { id, code } = await invite(newEmail('guest'));
  const routes = [
    ['POST', '/user/invitations', { email: newEmail('x') }],
    ['GET', '/user/invitations', undefined],
    ['DELETE', `/user/invitations/${id}`, undefined],
    ['POST', `/user/invitations/${id}/resend`, undefined],
    ['GET', '/user/invitations/mine', undefined],
    ['POST', '/user/acceptinvitation', { code }],
    ['POST', '/user/workspace', { name: 'x' }],
    ['PUT', '/user/workspace', { name: 'x' }],
    ['POST', '/user/switch-tenant', { tenant_id: founder.tenantId }],
    ['POST', '/user/leave', { tenant_id: founder.tenantId }],
  ] as const;
  for (const [method, path, body] of routes) {
    const sent = body === undefined ? {} : { body };
    assertProblem(await call(method, appUrl(org, path), sent), 'token_missing');
    for (const token of ['abc', org.builder.token, beta.founder.token])
      assertRefusal(await call(method, appUrl(org, path), { token, ...sent }), [401]);
  }
  assertProblem(await act(other, 'DELETE', `/user/invitations/${id}`), 'not_found');
  assertProblem(await act(other, 'POST', `/user/invitations/${id}/resend`), 'not_found');
  assert.deepEqual(await open(other), []);
  assert.ok((await open()).some((invitation) => invitation.id === id));
});

test('who only says that an address is his sees no workspace that it is invited to, until it is proved', async () => {
  const email = newEmail('guest');
  const { id } = await invite(email);
  const guest = await signUpUser(org, email);
  assert.deepEqual(await received(guest), []);
  assert.equal((await ask(org, '/verify-email', { code: await codeTo(gateways, email, 'verify-email') })).status, 204);
  assert.deepEqual(
    (await received(guest)).map((one) => one.id),
    [id],
  );
});

test('an invitation grants by what its sender may grant when it is accepted, and by who sends it again', async () => {
  const admin = await policyIdOf('adminacl');
  const inviter = await signedInMember({ acl_policy_id: admin });
  const email = newEmail('guest');
  const sent = await post(inviter, { email, acl_policy_id: admin });
  assert.equal(sent.status, 201, sent.text);
  const [link] = (await list(founder, 'useraclpolicy', `?user_id=${inviter.id}`)).items;
  assert.equal((await act(founder, 'DELETE', `/delete/useraclpolicy/${link?.id}`)).status, 204);
  const guest = await signIn(org, email);
  for (let attempt = 0; attempt < 2; attempt++)
    assertProblem(await accept(guest, sent.body.code), 'escalation_refused');
  assert.deepEqual(await tenantsOf(guest), []);
  assert.equal((await list(founder, 'useraclpolicy', `?user_id=${guest.id}`)).items.length, 0);
  const again = await act<Issued>(founder, 'POST', `/user/invitations/${sent.body.id}/resend`);
  assert.equal(again.status, 200, again.text);
  assert.equal((await accept(guest, again.body.code)).status, 200);
  assert.equal(
    (await act(await refreshed(guest), 'POST', '/create/userrole', { body: { name: random() } })).status,
    201,
  );
});

test('invitations of a suspended member or a removed service key admit no one', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0]?.id;
  const member = await memberWith(founder, [allow('*')]);
  const made = await manage<{ id: string; key: string }>(org, 'POST', '/org/service-keys', {
    body: { env: 'test', tenant_code: 'main', name: 'robot', policies: ['adminacl'] },
  });
  assert.equal(made.status, 201, made.text);
  const robot = { ...founder, token: made.body.key };
  const emails = [newEmail('one'), newEmail('two'), newEmail('three')] as const;
  const sent = [
    await post(member, { email: emails[0], acl_policy_id: admin }),
    await post(robot, { email: emails[1], acl_policy_id: admin }),
    await post(robot, { email: emails[2] }),
  ];
  assert.equal((await act(founder, 'PUT', `/update/user/${member.id}`, { body: { status: 'suspended' } })).status, 200);
  assert.equal((await manage(org, 'DELETE', `/org/service-keys/${made.body.id}`)).status, 204);
  for (const [index, reply] of sent.entries()) {
    assert.equal(reply.status, 201, reply.text);
    const guest = await multiGuest(org, emails[index] ?? '');
    assertProblem(await accept(guest, reply.body.code), 'escalation_refused');
  }
});

/** A person in the org, but not in the default workspace. */
async function multiGuest(of: typeof org, email: string): Promise<AppUser> {
  await putSetting(of, 'tenancy', 'tenancy_type', 'multi');
  return signIn(of, email);
}

test('earlier invitations of a removed member admit no one', async () => {
  const member = await signedInMember();
  const second = newEmail('second');
  const sent = await post(member, { email: second });
  assert.equal(sent.status, 201, sent.text);
  assert.equal((await act(founder, 'DELETE', `/delete/user/${member.id}`)).status, 204);
  assertProblem(await accept(await signIn(org, second), sent.body.code), 'escalation_refused');
  assert.ok((await open()).some(({ id }) => id === sent.body.id));
});

/** A member of the founder's workspace who may invite. */
async function signedInMember({ acl_policy_id = '' } = {}): Promise<AppUser> {
  const email = newEmail('inviter');
  const statements = [allow('createinvitation')];
  const policy = await create(founder, 'aclpolicy', { name: `inviting ${random()}`, statements });
  const { code } = await invite(email, { acl_policy_id: acl_policy_id === '' ? policy.id : acl_policy_id });
  const user = await signIn(org, email);
  const accepted = await accept(user, code);
  assert.equal(accepted.status, 200, accepted.text);
  return refreshed(user);
}

test('whom the workspace has invited is shown to those who may invite, and not to each who may list its records', async () => {
  const { founder: host } = await foundedOrg(gateways);
  const email = newEmail('guest');
  const { id } = (await post(host, { email, role: 'driver' })).body;
  const addresses = async (...actions: readonly string[]): Promise<string | undefined> => {
    const user = await memberWith(host, [allow(actions)]);
    const shown = (await open(user)).find((one) => one.id === id);
    assert.ok(shown !== undefined);
    return shown.email;
  };
  assert.equal(await addresses('list*'), undefined);
  assert.equal(await addresses('list*', 'get*', 'update*'), undefined);
  assert.equal(await addresses('listinvitation'), undefined);
  assert.equal(await addresses('listinvitation', 'createinvitation'), email);
  assert.equal((await open(host)).find((one) => one.id === id)?.email, email);
});
