/** Where people arrive, what a workspace starts with, and how it ends: what the org settles, and what it comes to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { act, allow, foundedOrg, list, manage, newEmail, signIn, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, makeWorkspace, multiOrg, putSetting, refreshed } from './workspaces.ts';

const gateways = await platformForTests();
const org = await multiOrg(gateways);

test('under `single` everybody arrives in the default workspace, and may make another one', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const made = await makeWorkspace(founder, { name: 'Branch' });
  assert.equal(made.status, 201, made.text);
  assert.equal((await refreshed(founder)).tenantId, made.body.id);
  const member = await signIn(org);
  assert.equal(member.tenantCode, 'main');
});

test('a workspace is founded with the org’s templates, which are refused whole where anything is wrong', async () => {
  const org = await multiOrg(gateways);
  const statements = [allow('createorder', '/create/order')];
  await putSetting(org, 'tenancy', 'workspace_templates', {
    policies: [{ name: 'sellers', statements }],
    groups: [{ name: 'Sales', acl_policies: ['sellers', 'vieweracl'] }],
  });
  await putSetting(org, 'tenancy', 'default_member_access', 'sellers');
  const founder = await founderOf(org);
  const policies = new Map((await list(founder, 'aclpolicy')).items.map((policy) => [policy.name, policy]));
  assert.deepEqual(policies.get('sellers')?.statements, statements);
  const sales = (await list(founder, 'group')).items.find(({ name }) => name === 'Sales');
  assert.deepEqual(sales?.acl_policies, [policies.get('sellers')?.id, policies.get('vieweracl')?.id]);
  const bad: readonly (readonly [unknown, string])[] = [
    [[], '/value'],
    [{ policies: {} }, '/value/policies'],
    [{ policies: [{ name: 'a' }] }, '/value/policies/0/statements'],
    [
      { policies: [{ name: 'a', statements: [{ Effect: 'allow', Action: ['*'], Resource: ['*'] }] }] },
      '/value/policies/0/statements/0/Effect',
    ],
    [{ policies: [{ name: 'AdminACL', statements: [] }] }, '/value/policies/0/name'],
    [{ policies: [{ name: '', statements: [] }] }, '/value/policies/0/name'],
    [{ groups: [{ name: 'g', acl_policies: ['other'] }] }, '/value/groups/0/acl_policies/0'],
    [{ groups: [{ name: 'default-admins' }] }, '/value/groups/0/name'],
    [{ groups: [{ name: 'g', users: [] }] }, '/value/groups/0/users'],
  ];
  for (const [value, pointer] of bad) {
    const body = { group: 'tenancy', name: 'workspace_templates', value };
    const problem = assertRefusal(await manage(org, 'PUT', '/org/settings', { body }), [400]);
    assert.deepEqual(pointers(problem), [pointer], JSON.stringify(value));
  }
});

test('an org that goes over to `multi` keeps its people where they are', async () => {
  const org = await signUp(gateways);
  const founder = await signIn(org);
  const member = await signIn(org);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  for (const user of [founder, member]) assert.equal((await refreshed(user)).tenantId, founder.tenantId);
  assert.equal((await signIn(org)).tenantId, null);
  const body = { group: 'tenancy', name: 'tenancy_type', value: 'many' };
  assert.deepEqual(pointers(assertRefusal(await manage(org, 'PUT', '/org/settings', { body }), [400])), ['/value']);
});

test('a workspace is removed by who may, with its code typed, and has no members any more', async () => {
  const founder = await founderOf(org);
  const path = '/user/workspace';
  const email = newEmail('guest');
  const { code } = (await act<{ code: string }>(founder, 'POST', '/user/invitations', { body: { email } })).body;
  const guest = await signIn(org, email);
  assert.equal((await act(guest, 'POST', '/user/acceptinvitation', { body: { code } })).status, 200);
  const member = await refreshed(guest);
  const body = { code: founder.tenantCode };
  assertProblem(await act(member, 'DELETE', path, { body }), 'access_denied');
  for (const wrong of [{}, { code: 'other' }, { code: founder.tenantCode, tenant_id: founder.tenantId }])
    assertRefusal(await act(founder, 'DELETE', path, { body: wrong }), [400]);
  assert.equal((await list(member, 'user')).items.length, 2);

  const removed = await act(founder, 'DELETE', path, { body });
  assert.equal(removed.status, 204, removed.text);
  for (const user of [founder, member]) {
    assertProblem(await act(user, 'GET', '/list/user'), 'token_invalid');
    assert.equal((await signIn(org, user.email)).tenantId, null);
  }
  assertProblem(await makeWorkspace(await signIn(org), { name: 'Again', code: founder.tenantCode }), 'conflict');
});

test('under `single` the default workspace cannot be removed', async () => {
  const { founder } = await foundedOrg(gateways);
  assertProblem(await act(founder, 'DELETE', '/user/workspace', { body: { code: 'main' } }), 'conflict');
  assert.equal((await act(founder, 'GET', '/list/user')).status, 200);
});
