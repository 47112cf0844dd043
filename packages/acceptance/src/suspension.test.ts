/** A member who is suspended: out of the workspace from the next call on, and in nothing else worse off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  list,
  logIn,
  memberWith,
  newEmail,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, makeWorkspace, multiOrg, refreshed, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));

function setStatus(admin: AppUser, { id }: AppUser, status: unknown) {
  return act(admin, 'PUT', `/update/user/${id}`, { body: { status } });
}

async function suspend(admin: AppUser, member: AppUser): Promise<void> {
  const reply = await setStatus(admin, member, 'suspended');
  assert.equal(reply.status, 200, reply.text);
}

/** The exchange is refused and says why. */
async function assertSuspended(oauthtoken: string): Promise<void> {
  const reply = await exchangeToken(org, oauthtoken);
  assert.match(assertProblem(reply, 'token_invalid').detail, /suspended/);
  assert.equal(reply.headers.get('x-service-token'), null);
}

/** A person who is in another person's workspace, with a token of it. */
async function guestOf(host: AppUser): Promise<AppUser> {
  const email = newEmail('guest');
  const invited = await act(host, 'POST', '/user/invitations', { body: { email } });
  assert.equal(invited.status, 201, invited.text);
  const guest = await signIn(host.org, email);
  const accepted = await act(guest, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assert.equal(accepted.status, 200, accepted.text);
  return refreshed(guest);
}

test('A34: the tokens of a suspended member open nothing from the next call on, and no fresh one is given', async () => {
  const member = await memberWith(founder, [allow('*')]);
  const other = await signIn(org, member.email);
  for (const { token } of [member, other])
    assert.equal((await act(member, 'GET', '/list/order', { token })).status, 200);
  const pending = (await logIn(org, member.email)).body.token;
  await suspend(founder, member);
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/list/order'],
    ['POST', '/create/order', { title: 'planted' }],
    ['GET', '/user/me'],
    ['PUT', '/user/me', { fn: 'Eve' }],
    ['GET', '/user/tenants'],
    ['GET', '/user/permissions'],
    ['POST', '/user/workspace', { name: 'Own' }],
    ['POST', '/user/leave', { tenant_code: 'main' }],
    ['PUT', `/update/user/${member.id}`, { status: 'active' }],
  ];
  for (const { token } of [member, other])
    for (const [method, path, body] of calls)
      assertProblem(
        await act(member, method, path, { token, ...(body === undefined ? {} : { body }) }),
        'token_invalid',
      );
  for (const token of [pending, member.token, other.token, (await logIn(org, member.email)).body.token])
    await assertSuspended(token);
  const record = (await act(founder, 'GET', `/item/user/${member.id}`)).body;
  assert.deepEqual([record.status, record.fn ?? ''], ['suspended', '']);
  assert.deepEqual((await list(founder, 'order')).items, []);
});

test('A34: a suspended member who is let in again comes back with what was held, by a fresh token', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  await suspend(founder, member);
  assertProblem(await act(member, 'GET', '/list/order'), 'token_invalid');
  assert.equal((await setStatus(founder, member, 'active')).status, 200);
  const back = await signIn(org, member.email);
  assert.deepEqual([back.id, back.tenantId], [member.id, member.tenantId]);
  assert.equal((await act(back, 'GET', '/list/order')).status, 200);
  assertProblem(await act(back, 'GET', '/list/user'), 'access_denied');
});

test('A34: neither a fresh invitation nor an older one undoes a suspension', async () => {
  const host = await founderOf(await multiOrg(gateways));
  const guest = await guestOf(host);
  await suspend(host, guest);
  const outside = await refreshed(guest);
  const invited = await act(host, 'POST', '/user/invitations', { body: { email: guest.email } });
  if (invited.status === 201) {
    const body = { code: invited.body.code };
    assertProblem(await act(outside, 'POST', '/user/acceptinvitation', { body }), 'conflict');
  } else assertProblem(invited, 'conflict');
  assert.equal((await act(host, 'GET', `/item/user/${guest.id}`)).body.status, 'suspended');
  assert.deepEqual(await tenantsOf(outside), []);
});

test('A34: under `multi` who is suspended in one workspace still reaches the others, and this one by no way', async () => {
  const multi = await multiOrg(gateways);
  const host = await founderOf(multi);
  const guest = await guestOf(host);
  await makeWorkspace(guest, { name: 'Own' });
  const own = await refreshed(guest);
  const back = await act(own, 'POST', '/user/switch-tenant', { body: { tenant_id: host.tenantId } });
  assert.equal(back.status, 200, back.text);
  await suspend(host, guest);
  assertProblem(await act(guest, 'GET', '/list/user'), 'token_invalid');
  assert.equal((await act(own, 'GET', '/list/user')).status, 200);
  for (const fresh of [await refreshed(guest), await refreshed(own), await signIn(multi, guest.email)])
    assert.equal(fresh.tenantId, own.tenantId);
  assert.deepEqual(
    (await tenantsOf(own)).map(({ id }) => id),
    [own.tenantId],
  );
  for (const path of ['/user/switch-tenant', '/user/leave'])
    assertProblem(await act(own, 'POST', path, { body: { tenant_id: host.tenantId } }), 'not_found');
  assert.equal((await setStatus(host, guest, 'active')).status, 200);
  assert.equal((await act(own, 'POST', '/user/switch-tenant', { body: { tenant_id: host.tenantId } })).status, 200);
  assert.equal((await refreshed(own)).tenantId, host.tenantId);
});

test('A34: under `multi` who is suspended in the only workspace is a person without one', async () => {
  const host = await founderOf(await multiOrg(gateways));
  const guest = await guestOf(host);
  await suspend(host, guest);
  const outside = await refreshed(guest);
  assert.equal(outside.tenantId, null);
  assertProblem(await act(outside, 'GET', '/list/user'), 'workspace_required');
  assert.equal((await makeWorkspace(outside, { name: 'Own' })).status, 201);
});

test('A34: the last admin cannot be suspended by anyone, and one of two admins can', async () => {
  const { org: of, founder: admin } = await foundedOrg(gateways);
  const second = await memberWith(admin, [allow('*')]);
  for (const by of [admin, second]) assertProblem(await setStatus(by, admin, 'suspended'), 'last_admin');
  assert.equal((await act(admin, 'GET', '/list/user')).status, 200);
  const adminacl = (await list(admin, 'aclpolicy')).items.find(({ name }) => name === 'adminacl');
  await create(admin, 'useraclpolicy', { user_id: second.id, acl_policy_id: adminacl?.id });
  await suspend(second, admin);
  assertProblem(await act(admin, 'GET', '/list/user'), 'token_invalid');
  assertProblem(await setStatus(second, second, 'suspended'), 'last_admin');
  const login = await logIn(of, admin.email);
  assertProblem(await exchangeToken(of, login.body.token), 'token_invalid');
});

test('A34: two admins who suspend each other at once leave one of them', async () => {
  const { founder: admin } = await foundedOrg(gateways);
  const second = await memberWith(admin, []);
  const adminacl = (await list(admin, 'aclpolicy')).items.find(({ name }) => name === 'adminacl');
  await create(admin, 'useraclpolicy', { user_id: second.id, acl_policy_id: adminacl?.id });
  const replies = await Promise.all([setStatus(admin, second, 'suspended'), setStatus(second, admin, 'suspended')]);
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  const alive = await Promise.all([admin, second].map((user) => act(user, 'GET', '/list/user')));
  assert.deepEqual(alive.map(({ status }) => status).sort(), [200, 401]);
});

test('A34: a status that is cleared suspends: it opens nothing, gives no token, and is refused to the last admin', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  assert.equal((await setStatus(founder, member, null)).status, 200);
  assertProblem(await act(member, 'GET', '/list/order'), 'token_invalid');
  await assertSuspended(member.token);
  assertProblem(await setStatus(founder, founder, null), 'last_admin');
});

test('A34: an invalid status is refused, and a member without the right changes no status', async () => {
  const member = await memberWith(founder, [allow(['listuser', 'getuser'])]);
  for (const status of ['Suspended', 'deleted', '', true, ['suspended'], { $ne: 'active' }])
    assertRefusal(await setStatus(founder, member, status), [400]);
  for (const target of [member, founder]) assertProblem(await setStatus(member, target, 'suspended'), 'access_denied');
  assert.equal((await act(member, 'GET', '/user/me')).status, 200);
});
