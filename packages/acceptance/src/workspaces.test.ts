import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import {
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  type Exchanged,
  exchangeToken,
  foundedOrg,
  list,
  logIn,
  memberWith,
  random,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, makeWorkspace, multiOrg, refreshed, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();
const org = await multiOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));

test('A43: under `multi` a token has no workspace until there is one, and opens no data', async () => {
  const user = await signIn(org);
  assert.deepEqual([user.tenantId, user.tenantCode], [null, null]);
  assert.deepEqual(await tenantsOf(user), []);
  assert.equal((await act(user, 'GET', '/user/me')).status, 200);
  assertProblem(await act(user, 'GET', '/list/order'), 'workspace_required');
  assertProblem(await act(user, 'POST', '/create/order', { body: { title: 'a' } }), 'workspace_required');
  assertProblem(await act(user, 'PUT', '/user/workspace', { body: { name: 'a' } }), 'workspace_required');
  const made = await makeWorkspace(user, { name: 'Acme' });
  assert.equal(made.status, 201, made.text);
  assertProblem(await act(user, 'GET', '/list/order'), 'workspace_required');
  const fresh = await refreshed(user);
  assert.equal(fresh.tenantId, made.body.id);
  assert.deepEqual((await list(fresh, 'order')).items, []);
});

test('a workspace has the code that is asked for, and its founder what founders have', async () => {
  const user = await signIn(org);
  const code = `c-${random()}`;
  const made = await makeWorkspace(user, { name: 'Acme Inc.', code });
  assert.deepEqual([made.status, made.body], [201, { id: made.body.id, code, name: 'Acme Inc.', current: true }]);
  const founder = await refreshed(user);
  assert.equal(founder.tenantCode, code);
  const policies = (await list(founder, 'aclpolicy')).items;
  assert.deepEqual(policies.map(({ name }) => name).toSorted(), ['adminacl', 'vieweracl']);
  const admin = policies.find(({ name }) => name === 'adminacl');
  const links = (await list(founder, 'useraclpolicy')).items;
  assert.deepEqual(
    links.map(({ user_id, acl_policy_id }) => [user_id, acl_policy_id]),
    [[user.id, admin?.id]],
  );
  const [group] = (await list(founder, 'group')).items;
  assert.deepEqual([group?.name, group?.acl_policies], ['default-admins', [admin?.id]]);
  const [tenant, ...others] = await tenantsOf(founder);
  assert.deepEqual(
    [tenant?.id, tenant?.code, tenant?.name, tenant?.role, tenant?.current, others],
    [made.body.id, code, 'Acme Inc.', 'admin', true, []],
  );
});

test('a code is made from the name where none is asked for, another one where that is taken', async () => {
  const user = await signIn(org);
  const name = `Étoile ${random()} GmbH & Co.`;
  const [first, second] = [await makeWorkspace(user, { name }), await makeWorkspace(user, { name })];
  assert.match(first.body.code, /^etoile-[0-9a-f]+-gmbh-co$/);
  assert.match(second.body.code, /^etoile-[0-9a-f]+-gmbh-co-[0-9a-f]{8}$/);
  assert.match((await makeWorkspace(user, { name: '株式会社' })).body.code, /^workspace/);
  assert.notEqual((await makeWorkspace(user, { name: 'Main' })).body.code, 'main');
});

test('of 64 people who want one code at once, one gets it and the others make nothing', async () => {
  const code = `one-${random()}`;
  const users = await Promise.all(Array.from({ length: 8 }, () => signIn(org)));
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, index) => makeWorkspace(users[index % 8] ?? assert.fail(), { name: 'One', code })),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'conflict');
  const found = (await Promise.all(users.map(tenantsOf))).flat();
  assert.deepEqual(
    found.map((tenant) => [tenant.code, tenant.role]),
    [[code, 'admin']],
  );
});

test('of 64 workspaces that are made at once without a code, each is one of its own', async () => {
  const user = await signIn(org);
  const replies = await Promise.all(Array.from({ length: 64 }, () => makeWorkspace(user, { name: `Many` })));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
  assert.equal(new Set(replies.map(({ body }) => body.code)).size, 64);
  assert.equal((await tenantsOf(user)).length, 64);
});

test('A44: a body that names anything else, or names it badly, makes no workspace', async () => {
  const user = await signIn(org);
  const bad: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ['/name']],
    [{ name: '' }, ['/name']],
    [{ name: '   ' }, ['/name']],
    [{ name: 'x'.repeat(129) }, ['/name']],
    [{ name: 7 }, ['/name']],
    [{ name: 'a', code: 'A' }, ['/code']],
    [{ name: 'a', code: '-a' }, ['/code']],
    [{ name: 'a', code: 'a'.repeat(64) }, ['/code']],
    [{ name: 'a', code: 'a#b' }, ['/code']],
    [{ name: 'a', code: 'main' }, ['/code']],
    [{ name: 'a', user_id: user.id, tenant_id: user.id, org: 'beta' }, ['/org', '/tenant_id', '/user_id']],
    [[], ['']],
  ];
  for (const [body, expected] of bad) {
    const problem = assertRefusal(await makeWorkspace(user, body), [400]);
    assert.deepEqual(pointers(problem), expected, JSON.stringify(body));
  }
  assertRefusal(await act(user, 'POST', '/user/workspace?user_id=x', { body: { name: 'a' } }), [400]);
  assert.deepEqual(await tenantsOf(user), []);
});

test('one workspace never sees the records of another, under the same person or another', async () => {
  const [one, two] = [await founderOf(org), await founderOf(org)];
  const order = await create(one, 'order', { title: 'secret' });
  assert.deepEqual((await list(two, 'order')).items, []);
  assertProblem(await act(two, 'GET', `/item/order/${order.id}`), 'not_found');
  assertProblem(await act(two, 'PUT', `/update/order/${order.id}`, { body: { title: 'x' } }), 'not_found');
  const made = await makeWorkspace(one, { name: 'Second' });
  const second = await refreshed(one);
  assert.equal(second.tenantId, made.body.id);
  assert.deepEqual((await list(second, 'order')).items, []);
  assertProblem(await act(second, 'GET', `/item/order/${order.id}`), 'not_found');
  assert.equal((await list(one, 'order')).items.length, 1);
});

test('B20: a link names a policy and a user of its own workspace only', async () => {
  const [one, two] = [await founderOf(org), await founderOf(org)];
  const foreign = (await list(two, 'aclpolicy')).items[0]?.id;
  const own = (await list(one, 'aclpolicy')).items.find(({ name }) => name === 'vieweracl')?.id;
  for (const body of [
    { user_id: one.id, acl_policy_id: foreign },
    { user_id: two.id, acl_policy_id: own },
  ])
    assertRefusal(await act(one, 'POST', '/create/useraclpolicy', { body }), [400, 404]);
  assert.equal((await list(one, 'useraclpolicy')).items.length, 1);
});

test('a switch holds for the tokens to come, and the token in hand keeps its workspace', async () => {
  const first = await founderOf(org, 'First');
  const made = await makeWorkspace(first, { name: 'Second' });
  const second = await refreshed(first);
  const byCode = await act(second, 'POST', '/user/switch-tenant', { body: { tenant_code: first.tenantCode } });
  assert.deepEqual([byCode.status, byCode.body], [200, { tenant_id: first.tenantId, tenant_code: first.tenantCode }]);
  const current = (await tenantsOf(second)).find((tenant) => tenant.current);
  assert.equal(current?.id, made.body.id);
  assert.equal((await refreshed(second)).tenantId, first.tenantId);
  const byId = await act(second, 'POST', '/user/switch-tenant', { body: { tenant_id: second.tenantId } });
  assert.equal(byId.status, 200, byId.text);
  const login = await logIn(org, first.email);
  assert.equal((await exchangeToken(org, login.body.token)).body.tenant_id, second.tenantId);
});

test('a token is asked for by the code of its workspace, and the workspace that was chosen stays', async () => {
  const user = await signIn(org);
  const first = await makeWorkspace(user, { name: 'First' });
  const second = await makeWorkspace(user, { name: 'Second' });
  const headers = { oauthtoken: user.token, client_id: org.clientId };
  const tokenFor = (query: string) => call<Exchanged>('GET', appUrl(org, `/token${query}`), { headers });
  const named = await tokenFor(`?tenant_code=${first.body.code}`);
  assert.deepEqual([named.status, named.body.tenant_id], [200, first.body.id], named.text);
  assert.equal((await tokenFor('')).body.tenant_id, second.body.id);
  const others = await makeWorkspace(await signIn(org), { name: 'Theirs' });
  for (const code of [others.body.code, 'nowhere', '', first.body.id])
    assertProblem(await tokenFor(`?tenant_code=${code}`), 'not_found');
  assertProblem(await tokenFor('?tenant=x'), 'invalid_request');
});

test('C13: no user switches to, or leaves, a workspace without being a member', async () => {
  const [one, two] = [await founderOf(org), await founderOf(org)];
  const missing = { tenant_id: '01890000-0000-7000-8000-000000000000' };
  for (const path of ['/user/switch-tenant', '/user/leave'])
    for (const body of [{ tenant_id: two.tenantId }, { tenant_code: two.tenantCode }, missing])
      assertProblem(await act(one, 'POST', path, { body }), 'not_found');
  for (const body of [{}, { tenant_id: 1 }, { tenant_id: two.tenantId, tenant_code: two.tenantCode }, { org: 'x' }])
    assertRefusal(await act(one, 'POST', '/user/switch-tenant', { body }), [400]);
  assert.deepEqual(
    (await tenantsOf(one)).map(({ id }) => id),
    [one.tenantId],
  );
  assert.equal((await refreshed(one)).tenantId, one.tenantId);
});

test('the last admin cannot leave; who leaves is out at once, and arrives in the workspace joined last', async () => {
  const first = await founderOf(org, 'First');
  const leave = (tenant_id: string) => act(first, 'POST', '/user/leave', { body: { tenant_id } });
  assertProblem(await leave(first.tenantId), 'last_admin');
  assert.equal((await tenantsOf(first)).length, 1);

  const single = await foundedOrg(gateways);
  const member = await signIn(single.org);
  const own = await makeWorkspace(member, { name: 'Own' });
  const left = await act(member, 'POST', '/user/leave', { body: { tenant_code: 'main' } });
  assert.equal(left.status, 204, left.text);
  assertRefusal(await act(member, 'GET', '/list/user'), [401]);
  assert.ok(!(await list(single.founder, 'user')).items.some(({ id }) => id === member.id));
  const again = await signIn(single.org, member.email);
  assert.equal(again.tenantId, own.body.id);
});

test('the name is changed by who may, and is what the members see', async () => {
  const founder = await founderOf(org, 'Before');
  const changed = await act(founder, 'PUT', '/user/workspace', { body: { name: ' After ' } });
  assert.equal(changed.status, 200, changed.text);
  const { id, code, name, default_member_access } = changed.body;
  assert.deepEqual(
    [id, code, name, default_member_access],
    [founder.tenantId, founder.tenantCode, 'After', 'vieweracl'],
  );
  assert.equal((await tenantsOf(founder))[0]?.name, 'After');
  for (const [body, expected] of [
    [{}, ['']],
    [{ name: '' }, ['/name']],
    [{ default_member_access: 'none' }, ['/default_member_access']],
    [{ name: 'a', code: 'b' }, ['/code']],
  ] as const)
    assert.deepEqual(pointers(assertRefusal(await act(founder, 'PUT', '/user/workspace', { body }), [400])), expected);
  assert.equal((await tenantsOf(founder))[0]?.name, 'After');
});

test('what new members get is the workspace’s to say, by one who may grant it', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const put = (user: typeof founder, default_member_access: string) =>
    act(user, 'PUT', '/user/workspace', { body: { default_member_access } });
  const member = await memberWith(founder, [allow('*', ['/list/*', '/user/workspace'])]);
  const unprivileged = await memberWith(founder, [allow('*', '/list/*')]);
  assertProblem(await put(unprivileged, 'vieweracl'), 'access_denied');
  assertProblem(await put(member, 'adminacl'), 'escalation_refused');
  const policy = await create(founder, 'aclpolicy', { name: 'writers', statements: [allow('createorder')] });
  const changed = await put(founder, 'writers');
  assert.equal(changed.body.default_member_access, 'writers');
  const late = await signIn(org);
  const links = (await list(founder, 'useraclpolicy', '?pagesize=200')).items.filter(
    (link) => link.user_id === late.id,
  );
  assert.deepEqual(
    links.map((link) => link.acl_policy_id),
    [policy.id],
  );
});
