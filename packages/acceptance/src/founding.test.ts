import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { assertNow } from './moments.ts';
import { act, create, defineEntity, definition, foundedOrg, list, newEmail, signIn, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

test('the founder of the workspace gets `adminacl`, the role label `admin` and the group `default-admins`', async () => {
  const { founder } = await foundedOrg(gateways);
  const policies = (await list(founder, 'aclpolicy')).items;
  const admin = policies.find((policy) => policy.name === 'adminacl');
  assert.ok(admin !== undefined);
  const [statement, ...others] = admin.statements as { Effect: string; Action: string[]; Resource: string[] }[];
  assert.deepEqual(others, []);
  assert.deepEqual([statement?.Effect, statement?.Action, statement?.Resource], ['Allow', ['*'], ['*']]);

  const [group, ...otherGroups] = (await list(founder, 'group')).items;
  assert.deepEqual([group?.name, group?.acl_policies, otherGroups], ['default-admins', [admin.id], []]);

  const links = (await list(founder, 'useraclpolicy')).items;
  assert.deepEqual(
    links.map(({ user_id, acl_policy_id }) => [user_id, acl_policy_id]),
    [[founder.id, admin.id]],
  );
  const memberships = (await list(founder, 'usergroup')).items;
  assert.deepEqual(
    memberships.map(({ user_id, group_id }) => [user_id, group_id]),
    [[founder.id, group?.id]],
  );
  assert.equal((await act(founder, 'GET', `/item/user/${founder.id}`)).body.role, 'admin');
});

test('`vieweracl` lets get, list and count everything', async () => {
  const { founder } = await foundedOrg(gateways);
  const viewer = (await list(founder, 'aclpolicy')).items.find((policy) => policy.name === 'vieweracl');
  const statements = (viewer?.statements ?? []) as { Effect: string; Action: string[]; Resource: string[] }[];
  const reading = statements.find((statement) => statement.Action.includes('get*'));
  assert.deepEqual(reading?.Action.toSorted(), ['count*', 'get*', 'list*']);
  assert.deepEqual([reading?.Effect, reading?.Resource], ['Allow', ['*']]);
});

test('a later user joins the workspace with `vieweracl`, by an ordinary link, and founds nothing', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const member = await signIn(org);
  assert.equal(member.tenantId, founder.tenantId);
  assert.notEqual(member.id, founder.id);
  const viewer = (await list(founder, 'aclpolicy')).items.find((policy) => policy.name === 'vieweracl');
  const links = (await list(founder, 'useraclpolicy')).items.filter((link) => link.user_id === member.id);
  assert.deepEqual(
    links.map((link) => link.acl_policy_id),
    [viewer?.id],
  );
  assert.equal((await list(founder, 'group')).items.length, 1);
});

test('a member with `vieweracl` reads and cannot write', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
  const order = await create(founder, 'order', { title: 'a' });
  const member = await signIn(org);
  assert.equal((await list(member, 'order')).items.length, 1);
  assert.equal((await act(member, 'GET', `/item/order/${order.id}`)).status, 200);
  assert.equal((await act(member, 'GET', '/count/order')).status, 200);
  const problems = [
    assertProblem(await act(member, 'POST', '/create/order', { body: { title: 'b' } }), 'access_denied'),
    assertProblem(await act(member, 'PUT', `/update/order/${order.id}`, { body: { title: 'b' } }), 'access_denied'),
    assertProblem(await act(member, 'DELETE', `/delete/order/${order.id}`), 'access_denied'),
  ];
  for (const problem of problems) assert.equal(problem.reason, 'implicit_deny');
  assert.deepEqual((await list(founder, 'order')).items, [order]);
});

test('of parallel first sign-ins exactly one founds the workspace, and all of them are in it', async () => {
  const org = await signUp(gateways);
  const users = await Promise.all(Array.from({ length: 16 }, () => signIn(org, newEmail('first'))));
  assert.equal(new Set(users.map((user) => user.tenantId)).size, 1);
  const probes = await Promise.all(users.map((user) => act(user, 'POST', '/create/aclpolicy', { body: {} })));
  // Only the founder gets past the policies, and then gets an error about the body.
  assert.deepEqual(probes.map((probe) => probe.status).sort(), [400, ...Array.from({ length: 15 }, () => 403)]);
  const founder = users[probes.findIndex((probe) => probe.status === 400)];
  assert.ok(founder !== undefined);
  const names = (await list(founder, 'aclpolicy')).items.map((policy) => policy.name);
  assert.deepEqual(names.toSorted(), ['adminacl', 'vieweracl']);
  assert.equal((await list(founder, 'group')).items.length, 1);
  assert.equal((await list(founder, 'user', '?pagesize=200')).items.length, 16);
  assert.equal((await list(founder, 'useraclpolicy', '?pagesize=200')).items.length, 16);
});

test('parallel first sign-ins of one user make one user and one membership', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const email = newEmail('twin');
  const users = await Promise.all(Array.from({ length: 8 }, () => signIn(org, email)));
  assert.equal(new Set(users.map((user) => user.id)).size, 1);
  assert.equal((await list(founder, 'user', '?pagesize=200')).items.length, 2);
  assert.equal((await list(founder, 'useraclpolicy', '?pagesize=200')).items.length, 2);
});

test('`GET /user/me` tells the caller who it is', async () => {
  const { founder } = await foundedOrg(gateways);
  const reply = await act<{ id: string; email: string; role: string }>(founder, 'GET', '/user/me');
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.body.id, reply.body.email, reply.body.role], [founder.id, founder.email, 'admin']);
});

test('`GET /user/tenants` lists the workspaces of the caller and marks the active one', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const member = await signIn(org);
  for (const [user, role] of [
    [founder, 'admin'],
    [member, ''],
  ] as const) {
    const reply = await act<{ items: readonly Record<string, unknown>[] }>(user, 'GET', '/user/tenants');
    assert.equal(reply.status, 200, reply.text);
    const [tenant, ...others] = reply.body.items;
    assert.deepEqual(others, []);
    assert.deepEqual([tenant?.id, tenant?.code, tenant?.current], [founder.tenantId, 'main', true]);
    assert.equal(tenant?.role ?? '', role);
    assertNow(String(tenant?.joined_at));
  }
});
