import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  grant,
  list,
  logIn,
  memberWith,
  newEmail,
  random,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const missing = '01890000-0000-7000-8000-000000000000';

async function policyOf(action: string): Promise<string> {
  return (await create(founder, 'aclpolicy', { name: `p-${random()}`, statements: [allow(action)] })).id;
}

async function linksOf(user: AppUser) {
  return (await list(founder, 'useraclpolicy', `?pagesize=200&user_id=${user.id}`)).items;
}

test('A34: the token of a removed member opens nothing from the next request on', async () => {
  const member = await memberWith(founder, [allow('*')]);
  assert.equal((await act(member, 'GET', '/list/order')).status, 200);
  const removed = await act(founder, 'DELETE', `/delete/user/${member.id}`);
  assert.equal(removed.status, 204, removed.text);
  for (const path of ['/list/order', '/user/me', '/user/tenants']) {
    assertRefusal(await act(member, 'GET', path), [401]);
  }
  assertRefusal(await act(member, 'POST', '/create/order', { body: { title: 'planted' } }), [401]);
  assert.deepEqual(await linksOf(member), []);
});

test('a removed member does not come back by signing in again', async () => {
  const member = await memberWith(founder, [allow('*')]);
  await act(founder, 'DELETE', `/delete/user/${member.id}`);
  const login = await logIn(org, member.email);
  const exchanged = login.status === 200 ? await exchangeToken(org, login.body.token) : login;
  const token = exchanged.headers.get('x-service-token');
  if (token === null) assertRefusal(exchanged, [401, 403]);
  else assertRefusal(await act(member, 'GET', '/list/order', { token }), [401, 403]);
  assert.ok(!(await list(founder, 'user', '?pagesize=200')).items.some((user) => user.id === member.id));
});

test('a member is made by signing in, and by no data route', async () => {
  const before = (await list(founder, 'user', '?pagesize=200')).items.length;
  const bodies = [{ email: newEmail('made') }, { id: missing, email: newEmail('made') }, { fn: 'Ann' }];
  for (const body of bodies) assertRefusal(await act(founder, 'POST', '/create/user', { body }), [400, 403]);
  assert.equal((await list(founder, 'user', '?pagesize=200')).items.length, before);
});

test('one policy is linked to one user once', async () => {
  const member = await memberWith(founder, []);
  const acl_policy_id = await policyOf('listorder');
  const body = { user_id: member.id, acl_policy_id };
  await create(founder, 'useraclpolicy', body);
  assertRefusal(await act(founder, 'POST', '/create/useraclpolicy', { body }), [409]);
  assert.equal((await linksOf(member)).length, 1);
});

test('a link can be turned to another policy, at once, and to no other user', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  const other = await memberWith(founder, []);
  const [link] = await linksOf(member);
  const path = `/update/useraclpolicy/${link?.id}`;
  const turned = await act(founder, 'PUT', path, { body: { acl_policy_id: await policyOf('countorder') } });
  assert.equal(turned.status, 200, turned.text);
  assert.equal((await act(member, 'GET', '/list/order')).status, 403);
  assert.equal((await act(member, 'GET', '/count/order')).status, 200);
  assertRefusal(await act(founder, 'PUT', path, { body: { user_id: other.id } }), [400]);
  assert.equal((await act(other, 'GET', '/count/order')).status, 403);
});

test('I08: a user takes so many links and no more, and goes on working with them', async () => {
  const member = await memberWith(founder, [allow('listorder')]);
  const replies: Reply<unknown>[] = [];
  for (let link = 0; link < 110; link++) {
    const body = { user_id: member.id, acl_policy_id: await policyOf('countorder') };
    replies.push(await act(founder, 'POST', '/create/useraclpolicy', { body }));
  }
  assert.ok(replies.some((reply) => reply.status === 201));
  const refused = replies.filter((reply) => reply.status !== 201);
  assert.ok(refused.length >= 10, 'more links were taken than one page can show');
  for (const reply of refused) assertProblem(reply, 'conflict');
  assert.equal((await act(member, 'GET', '/list/order')).status, 200);
  assert.equal((await act(member, 'GET', '/count/order')).status, 200);
});

test('a policy keeps its statements when only its name is changed, and cannot lose them', async () => {
  const member = await memberWith(founder, []);
  const policy = await grant(founder, member, [allow('listorder')]);
  const path = `/update/aclpolicy/${policy.id}`;
  assert.equal((await act(founder, 'PUT', path, { body: { name: `n-${random()}` } })).status, 200);
  assert.equal((await act(member, 'GET', '/list/order')).status, 200);
  const emptied = assertRefusal(await act(founder, 'PUT', path, { body: { statements: null } }), [400]);
  assert.deepEqual(pointers(emptied), ['/statements']);
});

test('a group that names a policy which does not exist is refused', async () => {
  const body = { name: `g-${random()}`, acl_policies: [await policyOf('listorder'), missing] };
  const problem = assertRefusal(await act(founder, 'POST', '/create/group', { body }), [400, 404]);
  assert.deepEqual(pointers(problem), ['/acl_policies/1']);
});
