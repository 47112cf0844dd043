import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  grant,
  joinOrg,
  manage,
  memberWith,
  type Statement,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const order = await create(founder, 'order', { title: 'first' });
const viewer = await memberWith(founder, [
  { Sid: 'Read', ...allow(['get*', 'list*']) },
  { Sid: 'NoUsers', ...deny('*user', '*') },
]);

interface Simulated {
  readonly decision: string;
  readonly reason: string;
  readonly needs?: readonly string[];
  readonly user?: { readonly id: string; readonly email: string; readonly status: string };
  readonly action: string;
  readonly resource: string;
  readonly considered: number;
  readonly matched: readonly {
    readonly source: string;
    readonly group?: string;
    readonly policy: string;
    readonly Sid?: string;
    readonly Effect: string;
    readonly matched: boolean;
  }[];
}

function simulate(body: unknown): Promise<Reply<Simulated>> {
  return manage<Simulated>(org, 'POST', '/acl/simulate', { body });
}

async function simulated(body: Readonly<Record<string, unknown>>): Promise<Simulated> {
  const reply = await simulate(body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const asViewer = { env: 'test', tenant_code: viewer.tenantCode, user_id: viewer.id };

test('a simulation says what a member may do, by which statement of which policy', async () => {
  const request = { action: 'getorder', resource: `/item/order/${order.id}` };
  const allowed = await simulated({ ...asViewer, ...request });
  assert.equal(allowed.decision, 'allowed');
  assert.match(allowed.reason, /`Read`/);
  assert.deepEqual(allowed.user, { id: viewer.id, email: viewer.email, status: 'active' });
  const [statement] = allowed.matched;
  assert.deepEqual(
    [statement?.source, statement?.Sid, statement?.Effect, statement?.matched],
    ['direct', 'Read', 'Allow', true],
  );
  const denied = await simulated({ ...asViewer, action: 'getuser', resource: `/item/user/${viewer.id}` });
  assert.equal(denied.decision, 'explicit_deny');
  assert.match(denied.reason, /`NoUsers`/);
  const missing = await simulated({ ...asViewer, action: 'createorder', resource: '/create/order' });
  assert.deepEqual([missing.decision, missing.matched], ['implicit_deny', []]);
});

const calls: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', `/item/order/${order.id}`],
  ['GET', '/list/order?pagesize=1'],
  ['GET', '/count/order'],
  ['GET', '/export/order'],
  ['POST', '/create/order', { title: 'x' }],
  ['PUT', `/update/order/${order.id}`, {}],
  ['DELETE', `/delete/order/${order.id}`],
  ['GET', '/list/user'],
  ['GET', '/user/invitations'],
];

for (const [method, path, body] of calls) {
  test(`a simulation of ${method} ${path.replace(order.id, '{id}')} says what the call is answered`, async () => {
    const reply = await act(viewer, method, path, body === undefined ? {} : { body });
    const expected = reply.status === 403 ? JSON.parse(reply.text).reason : 'allowed';
    for (const prefix of ['', `/app/${org.code}`])
      assert.equal((await simulated({ ...asViewer, method, path: prefix + path })).decision, expected);
  });
}

test('a policy held through a group is shown with the group', async () => {
  const member = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', {
    name: 'of-a-group',
    statements: [{ Sid: 'G', ...allow('getorder') }],
  });
  const group = await create(founder, 'group', { name: 'readers', acl_policies: [policy.id] });
  await create(founder, 'usergroup', { user_id: member.id, group_id: group.id });
  const { matched, reason } = await simulated({
    ...asViewer,
    user_id: member.id,
    action: 'getorder',
    resource: '/item/order/1',
  });
  assert.deepEqual(
    matched.map(({ source, group: name, policy: of, Sid }) => [source, name, of, Sid]),
    [['group', 'readers', 'of-a-group', 'G']],
  );
  assert.match(reason, /`readers`/);
});

test('a draft is decided though it is in no policy, and with no member and no workspace', async () => {
  const statements: readonly Statement[] = [{ Sid: 'Draft', ...allow('get*', '/item/order/*') }];
  const { decision, matched } = await simulated({ statements, method: 'GET', path: '/item/order/1' });
  assert.deepEqual([decision, matched[0]?.source, matched[0]?.Sid], ['allowed', 'draft', 'Draft']);
  assert.equal((await simulated({ statements, method: 'GET', path: '/list/order' })).decision, 'implicit_deny');
  assert.equal((await simulated({ statements: [], method: 'GET', path: '/list/order' })).decision, 'implicit_deny');
});

test('a change of what a member holds shows in the next simulation', async () => {
  const member = await memberWith(founder, []);
  const request = { ...asViewer, user_id: member.id, action: 'getorder', resource: '/item/order/1' };
  assert.equal((await simulated(request)).decision, 'implicit_deny');
  await grant(founder, member, [allow('getorder')]);
  assert.equal((await simulated(request)).decision, 'allowed');
});

test('a draft is held to what a policy is held to, each mistake with its place', async () => {
  const statements = [
    { Effect: 'allow', Action: ['getorder'], Resource: ['*'] },
    { Effect: 'Allow', Action: ['grab'] },
  ];
  const problem = assertProblem(
    await simulate({ statements, method: 'GET', path: '/list/order' }),
    'validation_failed',
  );
  assert.deepEqual(pointers(problem), ['/statements/0/Effect', '/statements/1/Action/0', '/statements/1/Resource']);
});

const request = { action: 'getorder', resource: '/item/order/1' };

const refused: readonly (readonly [name: string, body: unknown, places: readonly string[]])[] = [
  ['no object', [], ['', '/action', '/user_id']],
  ['nothing', {}, ['/action', '/user_id']],
  ['an unknown member', { ...asViewer, ...request, role: 'admin' }, ['/role']],
  ['an unknown environment', { ...asViewer, ...request, env: 'dev' }, ['/env']],
  ['a member without a workspace', { user_id: viewer.id, ...request }, ['/tenant_code']],
  ['a member and a draft', { ...asViewer, ...request, statements: [] }, ['/user_id']],
  ['an action without a resource', { ...asViewer, action: 'getorder' }, ['/action']],
  ['both ways to ask', { ...asViewer, ...request, method: 'GET', path: '/list/order' }, ['/action']],
  ['a record that is none', { ...asViewer, ...request, record: 'x' }, ['/record']],
  ['a context that is none', { ...asViewer, ...request, context: 'x' }, ['/context']],
  ['an unknown member of the context', { ...asViewer, ...request, context: { role: 'x' } }, ['/context/role']],
  [
    'a context of the wrong kinds',
    {
      ...asViewer,
      ...request,
      context: { request: { ip: 'here', time: 'now', queryParameters: { a: 1 }, verb: 'x' } },
    },
    ['/context/request/ip', '/context/request/queryParameters/a', '/context/request/time', '/context/request/verb'],
  ],
  ['another person than the member', { ...asViewer, ...request, context: { user: { id: 'x' } } }, ['/context/user']],
  ['a stored record of a draft in no workspace', { statements: [], ...request, record: { id: 'x' } }, ['/tenant_code']],
];

for (const [name, body, places] of refused) {
  test(`a simulation of ${name} is refused with the places that are wrong`, async () => {
    const reply = await simulate(body);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(pointers(assertProblem(reply, JSON.parse(reply.text).code)), places);
  });
}

const unrequested: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/user/me'],
  ['POST', '/batch'],
  ['POST', '/login'],
  ['GET', '/list//order'],
  ['GET', '/app/another/list/order'],
  ['GET', 'list/order'],
];

for (const [method, path] of unrequested) {
  test(`policies do not decide about ${method} ${path}`, async () => {
    assertProblem(await simulate({ ...asViewer, method, path }), 'invalid_request');
  });
}

test('a route that is not there is distinguished from one that takes another method', async () => {
  assertProblem(await simulate({ ...asViewer, method: 'GET', path: '/nowhere' }), 'not_found');
  assertProblem(await simulate({ ...asViewer, method: 'PATCH', path: '/list/order' }), 'method_not_allowed');
  for (const action of ['grab', 'get', 'order', 'get order', 'get*'])
    assertProblem(await simulate({ ...asViewer, action, resource: '/x' }), 'invalid_request');
});

test('a workspace, a member and a record that do not exist are named', async () => {
  const stranger = (await foundedOrg(gateways)).founder;
  const missing = '01900000-0000-7000-8000-000000000000';
  const cases: readonly (readonly [body: Readonly<Record<string, unknown>>, word: RegExp])[] = [
    [{ ...asViewer, tenant_code: 'nowhere' }, /workspace `nowhere`/],
    [{ ...asViewer, tenant_code: 'a#b' }, /workspace/],
    [{ ...asViewer, env: 'prod' }, /in `prod`/],
    [{ ...asViewer, user_id: missing }, /member/],
    [{ ...asViewer, user_id: stranger.id }, /member/],
    [{ ...asViewer, record: { id: missing } }, /record/],
    [{ ...asViewer, record: { id: 'x' } }, /record/],
  ];
  for (const [body, word] of cases)
    assert.match(assertProblem(await simulate({ ...request, ...body }), 'not_found').detail, word);
  assertProblem(await simulate({ ...request, ...asViewer, user_id: 'x#y' }), 'validation_failed');
});

test('a builder simulates in his own org alone', async () => {
  const other = await signUp(gateways);
  const reply = await manage(other, 'POST', '/acl/simulate', { body: { ...asViewer, ...request } });
  assertProblem(reply, 'not_found');
  assert.doesNotMatch(reply.text, new RegExp(viewer.email));
});

test('stored records of production are for admins of the org, whatever statements are drafted to show them', async () => {
  const { token } = await joinOrg(org, 'developer');
  const statements = [{ ...allow('*'), Condition: { StringEquals: { 'record.title': ['guess'] } } }];
  const body = {
    env: 'prod',
    tenant_code: viewer.tenantCode,
    statements,
    action: 'getorder',
    resource: '/item/order/1',
  };
  const simulateRecord = (record: unknown) =>
    manage(org, 'POST', '/acl/simulate', { body: { ...body, record }, token });
  assertProblem(await simulateRecord({ id: order.id }), 'role_required');
  assertProblem(await simulate({ ...body, record: { id: order.id } }), 'not_found');
});
