import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, create, defineEntity, definition, deny, foundedOrg, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const fields = ['title', 'holder', 'price'].map((name) => ({ name, colType: 'string' }));
await defineEntity(org, definition('order', fields));
const own = { Condition: { StringEquals: { 'record.holder': ['ann'] } } };
const ann = await memberWith(founder, [
  { Sid: 'Own', ...allow(['getorder', 'listorder', 'updateorder', 'createorder']), ...own },
  { Sid: 'Dear', ...deny('getorder'), Condition: { NumericGreaterThan: { 'record.price': ['100'] } } },
  { Sid: 'Night', ...deny('deleteorder'), Condition: { DateGreaterThan: { 'request.time': ['2030-01-01'] } } },
  { Sid: 'Inside', ...allow('deleteorder'), Condition: { IpAddress: { 'request.ip': ['10.0.0.0/8'] } } },
]);
const hers = await create(founder, 'order', { title: 'hers', holder: 'ann', price: '5' });
const other = await create(founder, 'order', { title: 'other', holder: 'bob' });

interface Simulated {
  readonly decision: string;
  readonly reason: string;
  readonly needs?: readonly string[];
  readonly fields?: readonly string[];
  readonly matched: readonly {
    readonly Sid?: string;
    readonly matched: boolean;
    readonly ambiguous?: readonly object[];
    readonly open?: true;
    readonly failed_condition?: object;
  }[];
}

async function simulated(body: Readonly<Record<string, unknown>>): Promise<Simulated> {
  const who = 'statements' in body ? {} : { tenant_code: ann.tenantCode, user_id: ann.id };
  const reply = await manage<Simulated>(org, 'POST', '/acl/simulate', { body: { ...who, ...body } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const get = (id: string) => ({ method: 'GET', path: `/item/order/${id}` });

test('without the record that it depends on a simulation is undecided, and says what it needs', async () => {
  const { decision, needs, matched } = await simulated(get(hers.id));
  assert.deepEqual([decision, needs], ['undecided', ['record']]);
  assert.deepEqual(
    matched.map(({ Sid, matched: is, open }) => [Sid, is, open]),
    [
      ['Own', false, true],
      ['Dear', false, true],
    ],
  );
});

test('a Deny is not avoided by a second spelling of what it asks for, and the spellings are shown', async () => {
  const secret = { StringEquals: { 'record.meta.level': ['secret'] } };
  const statements = [allow('getorder'), { Sid: 'Secret', ...deny('getorder'), Condition: secret }];
  const record = { meta: { LEVEL: 'secret', level: 'x' } };
  const { decision, matched } = await simulated({ statements, ...get(hers.id), record });
  assert.equal(decision, 'explicit_deny');
  const reported = matched.find(({ Sid }) => Sid === 'Secret');
  assert.deepEqual(reported?.ambiguous, [{ key: 'record.meta.level', members: ['meta.LEVEL', 'meta.level'] }]);
});

test('a Deny is not avoided by a second spelling of what its variable asks for, and the spellings are shown', async () => {
  const key = 'record.meta.blocked';
  const Condition = { StringEquals: { 'record.holder': [`$\u007b${key}}`] } };
  const statements = [allow('getorder'), { Sid: 'Blocked', ...deny('getorder'), Condition }];
  const ask = (meta: object) => simulated({ statements, ...get(hers.id), record: { holder: 'ann', meta } });
  assert.equal((await ask({ blocked: 'bob' })).decision, 'allowed');
  const { decision, matched } = await ask({ blocked: 'ann', Blocked: null });
  assert.equal(decision, 'explicit_deny');
  const reported = matched.find(({ Sid }) => Sid === 'Blocked');
  assert.deepEqual(reported?.ambiguous, [{ key, members: ['meta.blocked', 'meta.Blocked'] }]);
});

test('a condition that fails is shown with the expected and the actual value', async () => {
  const { decision, matched } = await simulated({ ...get(other.id), record: { id: other.id } });
  assert.equal(decision, 'implicit_deny');
  const failed = matched.find(({ Sid }) => Sid === 'Own')?.failed_condition;
  assert.deepEqual(failed, { operator: 'StringEquals', key: 'record.holder', expected: ['ann'], actual: ['bob'] });
});

test('a record is taken from the workspace or as it is given', async () => {
  assert.equal((await simulated({ ...get(hers.id), record: { id: hers.id } })).decision, 'allowed');
  assert.equal((await simulated({ ...get('x'), record: { holder: 'ann' } })).decision, 'allowed');
  const dear = await simulated({ ...get('x'), record: { holder: 'ann', price: '101' } });
  assert.equal(dear.decision, 'explicit_deny');
  assert.match(dear.reason, /`Dear`/);
});

test('a list holds the records whose get is not denied', async () => {
  const list = { method: 'GET', path: '/list/order' };
  assert.deepEqual((await simulated(list)).needs, ['record']);
  assert.equal((await simulated({ ...list, record: { id: hers.id } })).decision, 'allowed');
  assert.equal((await simulated({ ...list, record: { id: other.id } })).decision, 'implicit_deny');
  const dear = await simulated({ ...list, record: { id: 'x', holder: 'ann', price: '101' } });
  assert.deepEqual([dear.decision, /`Dear`/.test(dear.reason)], ['explicit_deny', true]);
  const unread = { statements: [allow('listorder')], record: { holder: 'ann' } };
  assert.equal((await simulated({ ...list, ...unread })).decision, 'allowed');
});

test('a write is judged by the record as it becomes', async () => {
  const update = { method: 'PUT', path: `/update/order/${hers.id}`, record: { id: hers.id } };
  const body = (value: object) => ({ context: { request: { body: value } } });
  assert.equal((await simulated({ ...update, ...body({ title: 'x' }) })).decision, 'allowed');
  assert.equal((await simulated({ ...update, ...body({ holder: 'bob' }) })).decision, 'implicit_deny');
  assert.equal((await simulated({ ...update, ...body({ holder: null }) })).decision, 'implicit_deny');
  const make = { method: 'POST', path: '/create/order' };
  assert.equal((await simulated({ ...make, ...body({ holder: 'ann' }) })).decision, 'allowed');
  assert.equal((await simulated({ ...make, ...body({ holder: 'bob' }) })).decision, 'implicit_deny');
});

test('browsing and what is about the workspace wait for no record', async () => {
  const statements = [{ ...allow(['browseorder', 'createinvitation']), ...own }];
  const browse = await simulated({ statements, action: 'browseorder', resource: '/list/order' });
  assert.deepEqual([browse.decision, browse.matched[0]?.open], ['implicit_deny', undefined]);
  const request = { body: {} };
  const invite = { statements, method: 'POST', path: '/user/invitations', context: { request } };
  assert.equal((await simulated(invite)).decision, 'implicit_deny');
});

test('address and time are what the simulation says', async () => {
  const remove = { method: 'DELETE', path: `/delete/order/${hers.id}` };
  const at = (ip: string, time: string) => ({ ...remove, context: { request: { ip, time } } });
  assert.equal((await simulated(at('10.1.2.3', '2029-12-31T23:59:59Z'))).decision, 'allowed');
  assert.equal((await simulated(at('11.1.2.3', '2029-12-31T23:59:59Z'))).decision, 'implicit_deny');
  assert.equal((await simulated(at('10.1.2.3', '2030-01-02T00:00:00Z'))).decision, 'explicit_deny');
});

test('a draft is decided with the person, the claims and the query that are given', async () => {
  const statements = [
    {
      ...allow('listorder'),
      Condition: {
        StringEquals: {
          'user.id': ['u1'],
          'tenant.code': ['main'],
          'jwt.plan': ['pro'],
          'request.queryParameters.q': ['a'],
        },
      },
    },
  ];
  const context = { user: { id: 'u1' }, tenant: { code: 'main' }, jwt: { plan: 'pro' } };
  const list = { statements, method: 'GET' };
  assert.equal((await simulated({ ...list, path: '/list/order?q=a', context })).decision, 'allowed');
  assert.equal((await simulated({ ...list, path: '/list/order?q=b', context })).decision, 'implicit_deny');
  assert.equal((await simulated({ ...list, path: '/list/order?q=a' })).decision, 'implicit_deny');
});

test('the fields that are left are named, and a body beyond them is denied', async () => {
  const statements = [{ ...allow(['getorder', 'updateorder']), Fields: ['*', '!price'] }];
  const read = await simulated({ statements, ...get('1') });
  assert.deepEqual([read.decision, read.fields], ['allowed', ['title', 'holder']]);
  const update = { statements, method: 'PUT', path: '/update/order/1', record: { title: 'a' } };
  const write = await simulated({ ...update, context: { request: { body: { price: '1' } } } });
  assert.equal(write.decision, 'implicit_deny');
  assert.match(write.reason, /`price`/);
});

test('a denial that looks like a missing record is found by the id of its request, with what was compared', async () => {
  const problem = assertProblem(await act(ann, 'GET', `/item/order/${other.id}`), 'not_found');
  assert.equal('decision_id' in problem, false);
  const reply = await manage<Simulated>(org, 'GET', `/acl/decisions?request_id=${problem.request_id}`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.decision, 'implicit_deny');
  const failed = reply.body.matched.find(({ Sid }) => Sid === 'Own')?.failed_condition;
  assert.deepEqual(failed, { operator: 'StringEquals', key: 'record.holder', expected: ['ann'], actual: ['bob'] });
  assert.doesNotMatch(reply.text, /"other"/);
  assert.doesNotMatch(reply.text, /"conditions"/);
});

test('a simulation shows all conditions of each statement, and its place in the policy', async () => {
  const reply = await manage<{ readonly matched: readonly Readonly<Record<string, unknown>>[] }>(
    org,
    'POST',
    '/acl/simulate',
    {
      body: {
        tenant_code: ann.tenantCode,
        user_id: ann.id,
        action: 'deleteorder',
        resource: `/delete/order/${hers.id}`,
      },
    },
  );
  assert.deepEqual(
    reply.body.matched.map(({ Sid, index, conditions }) => [Sid, index, conditions]),
    [
      ['Night', 2, [{ operator: 'DateGreaterThan', key: 'request.time', expected: ['2030-01-01'] }]],
      ['Inside', 3, [{ operator: 'IpAddress', key: 'request.ip', expected: ['10.0.0.0/8'] }]],
    ],
  );
});

test('a condition that holds now makes a cell of the matrix conditional, and a condition that can only deny does not', async () => {
  const always = { Condition: { StringEquals: { 'tenant.code': [ann.tenantCode] } } };
  const later = { Condition: { DateGreaterThan: { 'request.time': ['2030-01-01'] } } };
  const member = await memberWith(founder, [
    { Sid: 'Here', ...allow('browseorder', '/list/order'), ...always },
    { Sid: 'Later', ...deny('createorder'), ...later },
  ]);
  const reply = await manage<{ readonly items: readonly { readonly entities: Cells }[] }>(
    org,
    'GET',
    `/acl/matrix?tenant_code=${ann.tenantCode}&entity=order&user_id=${member.id}`,
  );
  const cells = reply.body.items[0]?.entities.order;
  assert.deepEqual([cells?.browse?.decision, cells?.browse?.conditional], ['allowed', true]);
  assert.deepEqual(cells?.create, { decision: 'implicit_deny' });
});

type Cells = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

test('the matrix says where a condition may decide', async () => {
  const query = `tenant_code=${ann.tenantCode}&entity=order`;
  const reply = await manage<{
    readonly items: readonly {
      readonly user_id: string;
      readonly entities: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
    }[];
  }>(org, 'GET', `/acl/matrix?${query}`);
  const cells = reply.body.items.find(({ user_id }) => user_id === ann.id)?.entities.order;
  assert.deepEqual([cells?.get?.decision, cells?.get?.Sid, cells?.get?.conditional], ['undecided', 'Own', true]);
  assert.deepEqual([cells?.delete?.decision, cells?.delete?.conditional], ['implicit_deny', true]);
});
