import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, create, foundedOrg, manage, memberWith, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const reader = await memberWith(founder, [allow('get*'), allow('list*')]);
const makers = await create(founder, 'aclpolicy', { name: 'Order makers', statements: [allow('createorder')] });
const group = await create(founder, 'group', { name: 'makers', acl_policies: [makers.id] });
const link = await create(founder, 'usergroup', { user_id: reader.id, group_id: group.id });

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nexttoken: string | null;
}

interface Policy {
  readonly id: string;
  readonly name: string;
  readonly statements: unknown;
  readonly held_by?: unknown;
  readonly members: number;
  readonly groups: number;
  readonly is_of_platform: boolean;
}

interface Versioned {
  readonly version: number;
}

interface Group {
  readonly name: string;
  readonly members: number;
  readonly policies: unknown;
  readonly policy_names: readonly string[];
  readonly is_of_platform: boolean;
}

const workspace = `tenant_code=${founder.tenantCode}`;

async function read<Item>(path: string): Promise<Page<Item>> {
  const reply = await manage<Page<Item>>(org, 'GET', path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('policies are listed by name with who holds them, and those of the platform are marked', async () => {
  const { items } = await read<Policy>(`/acl/policies?${workspace}`);
  assert.deepEqual(
    items.map(({ name }) => name),
    items.map(({ name }) => name).toSorted(),
  );
  const named = new Map(items.map((policy) => [policy.name, policy]));
  const made = named.get('Order makers');
  assert.deepEqual([made?.statements, made?.members, made?.groups, made?.is_of_platform], [1, 0, 1, false]);
  const admins = named.get('adminacl');
  assert.deepEqual([admins?.members, admins?.groups, admins?.is_of_platform], [1, 1, true]);
});

test('groups are listed with their members and the names of their policies', async () => {
  const { items } = await read<Group>(`/acl/groups?${workspace}`);
  const made = items.find(({ name }) => name === 'makers');
  assert.deepEqual([made?.members, made?.policies, made?.policy_names], [1, 1, ['Order makers']]);
  assert.equal(items.find(({ name }) => name === 'default-admins')?.is_of_platform, true);
});

test('a part of the name finds policies in any case, on every page once', async () => {
  const { items } = await read<Policy>(`/acl/policies?${workspace}&q=ORDER%20M`);
  assert.deepEqual(
    items.map(({ name }) => name),
    ['Order makers'],
  );
  assert.deepEqual((await read<Policy>(`/acl/policies?${workspace}&q=none`)).items, []);
  const all = (await read<Policy>(`/acl/policies?${workspace}`)).items.map(({ id }) => id);
  const seen: string[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const next: string = token === '' ? '' : `&nexttoken=${token}`;
    const page: Page<Policy> = await read<Policy>(`/acl/policies?${workspace}&pagesize=1${next}`);
    seen.push(...page.items.map(({ id }) => id));
    token = page.nexttoken;
  }
  assert.deepEqual(seen, all);
});

test('the holders of a policy and the members of a group are listed with their links', async () => {
  const inGroup = await read<Record<string, string>>(`/acl/holders?${workspace}&group_id=${group.id}`);
  assert.deepEqual(
    inGroup.items.map(({ link_id, user_id, status }) => [link_id, user_id, status]),
    [[link.id, reader.id, 'active']],
  );
  const admins = (await read<Policy>(`/acl/policies?${workspace}&q=adminacl`)).items[0]?.id;
  const holders = await read<Record<string, string>>(`/acl/holders?${workspace}&policy_id=${admins}`);
  assert.deepEqual(
    holders.items.map(({ user_id }) => user_id),
    [founder.id],
  );
  assert.deepEqual((await read(`/acl/holders?${workspace}&policy_id=${group.id}`)).items, []);
});

test('a policy is shown with its statements, and a group with its policies, each with the version that updates take', async () => {
  const shown = await manage<Policy & Versioned>(org, 'GET', `/acl/policies/${makers.id}?${workspace}`);
  assert.deepEqual(shown.body.statements, [allow('createorder')]);
  assert.deepEqual(shown.body.held_by, [{ id: group.id, name: 'makers' }]);
  const headers = { 'If-Match': `"${shown.body.version}"` };
  const body = { statements: [allow('createorder'), allow('getorder')] };
  assert.equal((await act(founder, 'PUT', `/update/aclpolicy/${makers.id}`, { headers, body })).status, 200);
  assert.equal((await act(founder, 'PUT', `/update/aclpolicy/${makers.id}`, { headers, body })).status, 412);
  const { body: ofGroup } = await manage<Group & Versioned>(org, 'GET', `/acl/groups/${group.id}?${workspace}`);
  assert.deepEqual(ofGroup.policies, [{ id: makers.id, name: 'Order makers' }]);
  assert.equal(ofGroup.version, group.version);
  assertProblem(await manage(org, 'GET', `/acl/groups/${makers.id}?${workspace}`), 'not_found');
  assertProblem(await manage(org, 'GET', `/acl/policies/none?${workspace}`), 'not_found');
});

test('a removed member and a removed link are counted no more', async () => {
  const leaver = await memberWith(founder, [allow('getuser')]);
  const extra = await create(founder, 'usergroup', { user_id: leaver.id, group_id: group.id });
  const membersOf = async () =>
    (await read<Group>(`/acl/groups?${workspace}&q=makers`)).items.find(({ name }) => name === 'makers')?.members;
  assert.equal(await membersOf(), 2);
  assert.equal((await act(founder, 'DELETE', `/delete/usergroup/${extra.id}`)).status, 204);
  assert.equal(await membersOf(), 1);
});

test('another org, another workspace and a question without a subject are refused', async () => {
  const other = await signUp(gateways);
  for (const path of ['policies', 'groups', `holders`]) {
    const subject = path === 'holders' ? `&group_id=${group.id}` : '';
    assertProblem(await manage(other, 'GET', `/acl/${path}?${workspace}${subject}`), 'not_found');
    assertProblem(await manage(org, 'GET', `/acl/${path}?tenant_code=none${subject}`), 'not_found');
    const stale = await manage(org, 'GET', `/acl/${path}?${workspace}${subject}&nexttoken=x`);
    assertProblem(stale, 'invalid_cursor');
  }
  assertProblem(await manage(org, 'GET', `/acl/holders?${workspace}`), 'invalid_request');
  const both = await manage(org, 'GET', `/acl/holders?${workspace}&group_id=${group.id}&policy_id=${makers.id}`);
  assertProblem(both, 'invalid_request');
});
