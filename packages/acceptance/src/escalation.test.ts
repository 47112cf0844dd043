import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  deny,
  foundedOrg,
  grant,
  list,
  memberWith,
  random,
  type StoredRecord,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const iam = ['aclpolicy', 'group', 'useraclpolicy', 'usergroup'] as const;
const managing = iam.flatMap((entity) => ['create', 'update', 'delete'].map((verb) => `${verb}${entity}`));

/** Does a write that must be refused as an escalation, and leaves everything as it stood. */
async function refused(write: () => Promise<Reply<unknown>>, admin = founder): Promise<void> {
  const before = await everything(admin);
  assertProblem(await write(), 'escalation_refused');
  assert.deepEqual(await everything(admin), before);
}

async function everything(admin: AppUser): Promise<unknown> {
  return Promise.all(iam.map((entity) => list(admin, entity, '?pagesize=200')));
}

async function policyNamed(admin: AppUser, name: string): Promise<StoredRecord> {
  const { items } = await list(admin, 'aclpolicy', `?name=${name}`);
  assert.ok(items[0] !== undefined);
  return items[0];
}

function policyBody(...statements: readonly unknown[]): Record<string, unknown> {
  return { name: `p-${random()}`, statements };
}

function post(user: AppUser, entity: string, body: unknown): Promise<Reply<StoredRecord>> {
  return act(user, 'POST', `/create/${entity}`, { body });
}

function put(user: AppUser, entity: string, id: unknown, body: unknown): Promise<Reply<StoredRecord>> {
  return act(user, 'PUT', `/update/${entity}/${id}`, { body });
}

function remove(user: AppUser, entity: string, id: unknown): Promise<Reply<StoredRecord>> {
  return act(user, 'DELETE', `/delete/${entity}/${id}`);
}

test('a user may only grant what it may do itself', async () => {
  const clerk = await memberWith(founder, [allow(['create*', 'list*'])]);
  const before = await count(founder, 'aclpolicy');
  const wide = { name: `wide-${random()}`, statements: [allow('*')] };
  assertProblem(await post(clerk, 'aclpolicy', wide), 'escalation_refused');
  const admin = await policyNamed(founder, 'adminacl');
  const link = { user_id: clerk.id, acl_policy_id: admin.id };
  assertProblem(await post(clerk, 'useraclpolicy', link), 'escalation_refused');
  const own = { name: `own-${random()}`, statements: [allow('listorder')] };
  assert.equal((await post(clerk, 'aclpolicy', own)).status, 201);
  assert.equal(await count(founder, 'aclpolicy'), before + 1);
});

test('a refused grant says which statement is not covered', async () => {
  const clerk = await memberWith(founder, [allow(['create*', 'get*'])]);
  const statements = [allow('getorder'), { Sid: 'Wide', ...allow('delete*', '/delete/*') }];
  const problem = assertProblem(await post(clerk, 'aclpolicy', { name: 'wide', statements }), 'escalation_refused');
  for (const word of ['`Wide`', '`wide`', '`delete*`', '`/delete/*`']) assert.ok(problem.detail.includes(word));
});

test('each way of granting is held to what the user may do: policy, link, group, membership', async () => {
  const clerk = await memberWith(founder, [allow([...managing, 'get*'])]);
  const other = await memberWith(founder, []);
  const [small, wide] = [
    await create(founder, 'aclpolicy', policyBody(allow('getorder'))),
    await create(founder, 'aclpolicy', policyBody(allow(['getorder', 'deleteorder']))),
  ];
  const crew = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [wide.id] });
  await refused(() => put(clerk, 'aclpolicy', small.id, { statements: [allow('*')] }));
  await refused(() => post(clerk, 'useraclpolicy', { user_id: other.id, acl_policy_id: wide.id }));
  await refused(() => post(clerk, 'usergroup', { user_id: clerk.id, group_id: crew.id }));
  await refused(() => post(clerk, 'group', { name: `g-${random()}`, acl_policies: [wide.id] }));
  const link = await create(clerk, 'useraclpolicy', { user_id: other.id, acl_policy_id: small.id });
  await refused(() => put(clerk, 'useraclpolicy', link.id, { acl_policy_id: wide.id }));
  const group = await create(clerk, 'group', { name: `g-${random()}`, acl_policies: [small.id] });
  await refused(() => put(clerk, 'group', group.id, { acl_policies: [small.id, wide.id] }));
  await create(clerk, 'usergroup', { user_id: other.id, group_id: group.id });
});

test('an update that takes away needs no cover, one that gives does', async () => {
  const clerk = await memberWith(founder, [allow('updateaclpolicy')]);
  const policy = await create(founder, 'aclpolicy', policyBody(allow(['get*', 'delete*'])));
  assert.equal((await put(clerk, 'aclpolicy', policy.id, { statements: [allow('getorder')] })).status, 200);
  await refused(() => put(clerk, 'aclpolicy', policy.id, { statements: [allow('get*')] }));
});

test('what is denied to a user is not its to grant', async () => {
  const clerk = await memberWith(founder, [allow('*'), deny('*', '/item/secret/*')]);
  await refused(() => post(clerk, 'aclpolicy', policyBody(allow('get*'))));
  assert.equal((await post(clerk, 'aclpolicy', policyBody(allow('get*', '/item/order/*')))).status, 201);
});

test('a user does not get rid of a Deny that limits it', async () => {
  const clerk = await memberWith(founder, [allow('*')]);
  const brake = await grant(founder, clerk, [deny('deleteorder')]);
  const { items } = await list(founder, 'useraclpolicy', `?user_id=${clerk.id}`);
  const link = items.find((item) => item.acl_policy_id === brake.id);
  await refused(() => put(clerk, 'aclpolicy', brake.id, { statements: [] }));
  await refused(() => put(clerk, 'aclpolicy', brake.id, { statements: [deny('deleteorder', '/delete/order/1')] }));
  await refused(() => remove(clerk, 'aclpolicy', brake.id));
  await refused(() => remove(clerk, 'useraclpolicy', link?.id));
  assert.equal((await remove(founder, 'useraclpolicy', link?.id)).status, 204);
});

test('a user does not leave a group to get rid of its Deny', async () => {
  const clerk = await memberWith(founder, [allow('*')]);
  const brake = await create(founder, 'aclpolicy', policyBody(deny('deleteorder')));
  const group = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [brake.id] });
  const membership = await create(founder, 'usergroup', { user_id: clerk.id, group_id: group.id });
  await refused(() => remove(clerk, 'usergroup', membership.id));
  const byForce = `${group.id}?force=true`;
  await refused(() => remove(clerk, 'group', byForce));
  await refused(() => put(clerk, 'group', group.id, { acl_policies: [] }));
  assertProblem(await remove(founder, 'group', group.id), 'in_use');
  assert.equal((await remove(founder, 'group', byForce)).status, 204);
});

test('a user may lift a Deny that limits others alone', async () => {
  const clerk = await memberWith(founder, [allow(['updateaclpolicy', 'deleteuseraclpolicy'])]);
  const other = await memberWith(founder, []);
  const brake = await grant(founder, other, [deny('deleteorder')]);
  const { items } = await list(founder, 'useraclpolicy', `?user_id=${other.id}`);
  assert.equal((await put(clerk, 'aclpolicy', brake.id, { statements: [] })).status, 200);
  assert.equal((await remove(clerk, 'useraclpolicy', items[0]?.id)).status, 204);
});

test('the last holder of `adminacl` cannot lose it', async () => {
  const alone = await foundedOrg(gateways);
  const links = (await list(alone.founder, 'useraclpolicy')).items;
  const memberships = (await list(alone.founder, 'usergroup')).items;
  const first = await act(alone.founder, 'DELETE', `/delete/usergroup/${memberships[0]?.id}`);
  assert.equal(first.status, 204, first.text);
  assertProblem(await act(alone.founder, 'DELETE', `/delete/useraclpolicy/${links[0]?.id}`), 'last_admin');
  assert.equal((await list(alone.founder, 'useraclpolicy')).items.length, 1);
});

test('nor by leaving the group, by its end, or as a person', async () => {
  const { founder: alone } = await foundedOrg(gateways);
  const [link] = (await list(alone, 'useraclpolicy')).items;
  const [membership] = (await list(alone, 'usergroup')).items;
  const [group] = (await list(alone, 'group')).items;
  assert.equal((await remove(alone, 'useraclpolicy', link?.id)).status, 204);
  const before = await everything(alone);
  assertProblem(await remove(alone, 'usergroup', membership?.id), 'last_admin');
  assertProblem(await remove(alone, 'group', group?.id), 'last_admin');
  assertProblem(await put(alone, 'group', group?.id, { acl_policies: [] }), 'last_admin');
  assertProblem(await remove(alone, 'user', alone.id), 'last_admin');
  assertProblem(await put(alone, 'user', alone.id, { status: 'suspended' }), 'last_admin');
  assert.deepEqual(await everything(alone), before);
});

test('the policy `adminacl` itself stays as it is', async () => {
  const admin = await policyNamed(founder, 'adminacl');
  assertProblem(await remove(founder, 'aclpolicy', admin.id), 'last_admin');
  assertProblem(await put(founder, 'aclpolicy', admin.id, { name: `other-${random()}` }), 'last_admin');
  assertProblem(await put(founder, 'aclpolicy', admin.id, { statements: [allow('get*')] }), 'last_admin');
  assert.deepEqual(await policyNamed(founder, 'adminacl'), admin);
});

test('an admin may go once there is another, and not before', async () => {
  const { founder: first, org: own } = await foundedOrg(gateways);
  const second = await signIn(own);
  assertProblem(await remove(first, 'user', first.id), 'last_admin');
  const admin = await policyNamed(first, 'adminacl');
  await create(first, 'useraclpolicy', { user_id: second.id, acl_policy_id: admin.id });
  assert.equal((await remove(first, 'user', first.id)).status, 204);
  assertProblem(await remove(second, 'user', second.id), 'last_admin');
});

test('two admins who remove each other at the same time do not both succeed', async () => {
  for (let round = 0; round < 10; round++) {
    const { founder: first, org: own } = await foundedOrg(gateways);
    const second = await signIn(own);
    const admin = await policyNamed(first, 'adminacl');
    await create(first, 'useraclpolicy', { user_id: second.id, acl_policy_id: admin.id });
    const replies = await Promise.all([remove(first, 'user', second.id), remove(second, 'user', first.id)]);
    const gone = replies.filter(({ status }) => status === 204);
    assert.equal(gone.length, 1, replies.map(({ text }) => text).join('\n'));
    const left = replies[0]?.status === 204 ? first : second;
    assert.equal((await list(left, 'user')).items.length, 1);
  }
});

test('a policy that groups and people hold is in use; by force its links go with it', async () => {
  const user = await signIn(org);
  const policy = await grant(founder, user, [allow('getorder')]);
  const group = await create(founder, 'group', { name: `g-${random()}`, acl_policies: [policy.id] });
  const problem = assertProblem(await remove(founder, 'aclpolicy', policy.id), 'in_use');
  assert.match(problem.detail, /^1 user, 1 group hold it/);
  assert.equal((await put(founder, 'group', group.id, { acl_policies: [] })).status, 200);
  assertProblem(await remove(founder, 'aclpolicy', policy.id), 'in_use');
  assert.equal((await remove(founder, 'aclpolicy', `${policy.id}?force=true`)).status, 204);
  const { items } = await list(founder, 'useraclpolicy', `?user_id=${user.id}`);
  assert.ok(items.every((item) => item.acl_policy_id !== policy.id));
});
