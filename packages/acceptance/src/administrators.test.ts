import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type AppUser, act, allow, count, create, deny, foundedOrg, grant, list, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

async function adminPolicy(founder: AppUser) {
  const policy = (await list(founder, 'aclpolicy')).items.find(({ name }) => name === 'adminacl');
  assert.ok(policy !== undefined);
  return policy;
}

async function isAdmin(user: AppUser): Promise<boolean> {
  const reply = await act(user, 'POST', '/create/userrole', { body: { name: `r-${random()}` } });
  assert.ok([201, 401, 403].includes(reply.status), reply.text);
  return reply.status === 201;
}

function named(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { name: `n-${random()}`, ...change };
}

test('a clerk that may write policies raises itself by no route, and grants what it has', async () => {
  const { founder } = await foundedOrg(gateways);
  const admin = await adminPolicy(founder);
  const [admins] = (await list(founder, 'group')).items;
  const clerk = await memberWith(founder, [allow(['create*', 'update*', 'list*', 'count*', 'get*'])]);
  const clerkLink = (await list(founder, 'useraclpolicy')).items.find((link) => link.user_id === clerk.id);
  const own = await create(clerk, 'aclpolicy', named({ statements: [allow('listorder')] }));
  const group = await create(clerk, 'group', named({ acl_policies: [own.id] }));
  await create(clerk, 'usergroup', { user_id: clerk.id, group_id: group.id });

  const attempts = [
    ['POST', '/create/aclpolicy', named({ statements: [allow('*')] })],
    ['POST', '/create/aclpolicy', named({ statements: [allow('deleteorder')] })],
    ['POST', '/create/aclpolicy', named({ statements: [allow('listorder'), allow('d*')] })],
    ['PUT', `/update/aclpolicy/${own.id}`, { statements: [allow('*')] }],
    ['PUT', `/update/aclpolicy/${clerkLink?.acl_policy_id}`, { statements: [allow('*')] }],
    ['POST', '/create/useraclpolicy', { user_id: clerk.id, acl_policy_id: admin.id }],
    ['PUT', `/update/useraclpolicy/${clerkLink?.id}`, { acl_policy_id: admin.id }],
    ['POST', '/create/usergroup', { user_id: clerk.id, group_id: admins?.id }],
    ['POST', '/create/group', named({ acl_policies: [admin.id] })],
    ['PUT', `/update/group/${group.id}`, { acl_policies: [own.id, admin.id] }],
  ] as const;
  for (const [method, path, body] of attempts) {
    assertProblem(await act(clerk, method, path, { body }), 'escalation_refused');
  }
  assert.equal((await act(clerk, 'DELETE', '/delete/order/01890000-0000-7000-8000-000000000000')).status, 403);
  assert.equal(await count(founder, 'useraclpolicy'), 2);
});

test('one whom a Deny limits cannot take it away, narrow it or hand out what it forbids', async () => {
  const { founder } = await foundedOrg(gateways);
  const user = await memberWith(founder, [allow('*')]);
  const limit = await grant(founder, user, [deny('deleteorder')]);
  const links = (await list(founder, 'useraclpolicy')).items;
  const link = links.find((each) => each.user_id === user.id && each.acl_policy_id === limit.id);
  const attempts = [
    ['DELETE', `/delete/useraclpolicy/${link?.id}`, undefined],
    ['DELETE', `/delete/aclpolicy/${limit.id}`, undefined],
    ['PUT', `/update/aclpolicy/${limit.id}`, { statements: [deny('deleteinvoice')] }],
    ['POST', '/create/aclpolicy', named({ statements: [allow('deleteorder')] })],
    ['POST', '/create/aclpolicy', named({ statements: [allow('*')] })],
  ] as const;
  for (const [method, path, body] of attempts) {
    const reply = await act(user, method, path, body === undefined ? {} : { body });
    assertProblem(reply, 'escalation_refused');
  }
  assertProblem(await act(user, 'DELETE', '/delete/order/01890000-0000-7000-8000-000000000000'), 'access_denied');
});

test('the only administrator is not lost by any route', async () => {
  const { founder } = await foundedOrg(gateways);
  const admin = await adminPolicy(founder);
  const [membership] = (await list(founder, 'usergroup')).items;
  const [link] = (await list(founder, 'useraclpolicy')).items;
  const first = await act(founder, 'DELETE', `/delete/usergroup/${membership?.id}`);
  assert.equal(first.status, 204, first.text);
  const other = await create(founder, 'aclpolicy', named({ statements: [allow('get*')] }));
  const attempts = [
    ['DELETE', `/delete/useraclpolicy/${link?.id}`, undefined],
    ['PUT', `/update/useraclpolicy/${link?.id}`, { acl_policy_id: other.id }],
    ['DELETE', `/delete/user/${founder.id}`, undefined],
    ['DELETE', `/delete/aclpolicy/${admin.id}`, undefined],
    ['PUT', `/update/aclpolicy/${admin.id}`, { statements: [allow('get*')] }],
    ['PUT', `/update/aclpolicy/${admin.id}`, { statements: [allow('*'), deny('*')] }],
  ] as const;
  for (const [method, path, body] of attempts) {
    const reply = await act(founder, method, path, body === undefined ? {} : { body });
    assertRefusal(reply, [400, 403, 409]);
  }
  assert.equal(await isAdmin(founder), true);
});

test('an administrator may go when there is another', async () => {
  const { founder } = await foundedOrg(gateways);
  const second = await memberWith(founder, []);
  await create(founder, 'useraclpolicy', { user_id: second.id, acl_policy_id: (await adminPolicy(founder)).id });
  const reply = await act(second, 'DELETE', `/delete/user/${founder.id}`);
  assert.equal(reply.status, 204, reply.text);
  assert.equal(await isAdmin(founder), false);
  assert.equal(await isAdmin(second), true);
});

test('two administrators that remove each other at once do not both go', async () => {
  for (let round = 0; round < 5; round++) {
    const { founder } = await foundedOrg(gateways);
    const second = await memberWith(founder, []);
    await create(founder, 'useraclpolicy', { user_id: second.id, acl_policy_id: (await adminPolicy(founder)).id });
    const replies = await Promise.all([
      act(founder, 'DELETE', `/delete/user/${second.id}`),
      act(second, 'DELETE', `/delete/user/${founder.id}`),
    ]);
    assert.ok(replies.some((reply) => reply.status === 204));
    const left = await Promise.all([isAdmin(founder), isAdmin(second)]);
    assert.equal(left.filter(Boolean).length, 1, JSON.stringify(replies.map((reply) => reply.status)));
  }
});
