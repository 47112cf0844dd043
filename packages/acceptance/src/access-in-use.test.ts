import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic } from './batches.ts';
import { act, allow, create, defineEntity, definition, foundedOrg, grant, list, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title' }]));

const remove = (path: string) => act(founder, 'DELETE', `/delete/${path}`);
const named = (name: string) => create(founder, 'aclpolicy', { name, statements: [allow('listorder')] });

test('a policy names how many users, keys, groups and invitations hold it, and goes from all of them by force', async () => {
  const policy = await named('held');
  const member = await memberWith(founder, []);
  await create(founder, 'useraclpolicy', { user_id: member.id, acl_policy_id: policy.id });
  const group = await create(founder, 'group', { name: 'holders', acl_policies: [policy.id] });
  const body = { email: 'guest@held.example', acl_policy_id: policy.id };
  assert.equal((await act(founder, 'POST', '/user/invitations', { body })).status, 201);
  const key = { env: 'test', tenant_code: 'main', name: 'robot', policies: ['held'] };
  assert.equal((await manage(org, 'POST', '/org/service-keys', { body: key })).status, 201);
  const problem = assertProblem(await remove(`aclpolicy/${policy.id}`), 'in_use');
  assert.deepEqual(problem.held_by, { users: 1, keys: 1, groups: 1, invitations: 1 });
  assert.match(problem.detail, /^1 user, 1 key, 1 group, 1 open invitation hold it/);
  assert.equal((await act(member, 'GET', '/list/order')).status, 200);
  assert.equal((await remove(`aclpolicy/${policy.id}?force=true`)).status, 204);
  assert.equal((await act(member, 'GET', '/list/order')).status, 403);
  const left = await act(founder, 'GET', `/item/group/${group.id}`);
  assert.deepEqual(left.body.acl_policies, []);
  assert.equal(left.body.updated_by, founder.id);
});

test('the policy of new members stays, and that of a group with members goes with them', async () => {
  const policy = await named('newcomers');
  const before = await act<{ default_member_access: string }>(founder, 'PUT', '/user/workspace', {
    body: { default_member_access: 'newcomers' },
  });
  assert.equal(before.status, 200, before.text);
  for (const query of ['', '?force=true'])
    assert.match(
      assertProblem(await remove(`aclpolicy/${policy.id}${query}`), 'in_use').detail,
      /default_member_access/,
    );
  await act(founder, 'PUT', '/user/workspace', { body: { default_member_access: 'vieweracl' } });
  assert.equal((await remove(`aclpolicy/${policy.id}`)).status, 204);

  const group = await create(founder, 'group', { name: 'crowd', acl_policies: [] });
  await create(founder, 'usergroup', { user_id: founder.id, group_id: group.id });
  assert.deepEqual(assertProblem(await remove(`group/${group.id}`), 'in_use').held_by, { users: 1, keys: 0 });
  assert.equal((await remove(`group/${group.id}?force=true`)).status, 204);
});

test('a template of the org keeps the policies and groups that it names', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const [policy, group] = [
    await create(founder, 'aclpolicy', { name: 'clerk', statements: [] }),
    await create(founder, 'group', { name: 'clerks', acl_policies: [] }),
  ];
  const setting = (value: object) =>
    manage(org, 'PUT', '/org/settings', { body: { group: 'tenancy', name: 'workspace_templates', value } });
  const value = {
    policies: [{ name: 'clerk', statements: [] }],
    groups: [{ name: 'clerks', acl_policies: ['clerk'] }],
  };
  assert.equal((await setting(value)).status, 200);
  const paths = [`/delete/aclpolicy/${policy.id}`, `/delete/group/${group.id}`];
  for (const path of paths)
    for (const query of ['', '?force=true'])
      assert.match(assertProblem(await act(founder, 'DELETE', path + query), 'in_use').detail, /workspace_templates/);
  assert.equal((await setting({ policies: [], groups: [] })).status, 200);
  for (const path of paths) assert.equal((await act(founder, 'DELETE', path)).status, 204);
});

test('`force` is taken by policies and groups alone, as a parameter and in a batch', async () => {
  const order = await create(founder, 'order', { title: 'a' });
  assertProblem(await remove(`order/${order.id}?force=true`), 'invalid_request');
  const [link] = (await list(founder, 'useraclpolicy')).items;
  assertProblem(await remove(`useraclpolicy/${link?.id}?force=true`), 'invalid_request');
  const member = await memberWith(founder, []);
  const policy = await grant(founder, member, [allow('listorder')]);
  for (const wrong of ['yes', '', 'TRUE', '1'])
    assertProblem(await remove(`aclpolicy/${policy.id}?force=${wrong}`), 'invalid_request');
  const operation = { action: 'delete', entity: 'aclpolicy', id: policy.id };
  const problem = assertProblem(
    await atomic(founder, [{ ...operation, entity: 'order', force: true }]),
    'validation_failed',
  );
  assert.deepEqual(pointers(problem), ['/operations/0/force']);
  assertProblem(await atomic(founder, [operation]), 'in_use');
  const each = await apart(founder, [operation, { ...operation, force: true }]);
  assert.deepEqual(
    each.map(({ status }) => status),
    [409, 204],
  );
});

test('the document describes `force` for both, and for nothing else', async () => {
  const { body } = await act<{ paths: Record<string, { delete?: { parameters?: { name?: string }[] } }> }>(
    founder,
    'GET',
    '/openapi.json',
  );
  const forced = Object.entries(body.paths)
    .filter(([, { delete: operation }]) => operation?.parameters?.some(({ name }) => name === 'force'))
    .map(([path]) => path.replace(/^.*\/delete\//, ''));
  assert.deepEqual(forced.sort(), ['aclpolicy/{id}', 'group/{id}']);
});
