import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, create, defineEntity, deny, foundedOrg, manage, memberWith, newEmail } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { type ImportResult, transfer } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, {
  entityName: 'order',
  UpdateParams: [
    { name: 'code' },
    { name: 'at', colType: 'datetime', index: true },
    { name: 'ref', colType: 'guid', index: true },
    { name: 'amount', colType: 'number', index: true },
    { name: 'days', colType: 'array', items: { colType: 'datetime' } },
  ],
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
});

const ref = '018bcfe5-6800-7000-8000-00000000000a';
const keys = ['request.body', 'request.queryParameters'];
const when = (operator: string, name: string, value: string) =>
  keys.map((key) => ({ ...deny('*'), Condition: { [operator]: { [`${key}.${name}`]: [value] } } }));
const held = await memberWith(founder, [
  allow('*'),
  ...when('DateGreaterThan', 'at', '2026-05-31'),
  ...when('StringEquals', 'ref', ref),
  ...when('NumericGreaterThanEquals', 'amount', '1000'),
  ...when('ForAnyValue:DateEquals', 'days', '2026-06-01'),
]);
const statements = [allow('*'), ...when('DateGreaterThan', 'at', '2026-05-31')];

/** Each is what a Deny names, in a spelling of its own. */
const bodies: readonly Readonly<Record<string, unknown>>[] = [
  { at: '2026-06-01T00:00:00Z' },
  { at: '2026-06-01T00:00:00+01:00' },
  { at: '2026-06-01t00:00:00z' },
  { at: '2026-06-01T00:00:00-00:00' },
  { ref },
  { ref: ref.toUpperCase() },
  { amount: 1000 },
  { days: ['2026-01-01T00:00:00Z', '2026-06-01T01:00:00+01:00'] },
];
const queries = [
  'at=2026-06-01T00:00:00%2B01:00',
  'at=2026-06-01t00:00:00z&at_op=lte',
  'at=2026-01-01T00:00:00Z,2026-06-01T00:00:00-00:00&at_op=between',
  'at=2026&at_op=startswith',
  `ref=${ref.toUpperCase()}`,
  'amount=1e3',
  'amount=1000.0&amount_op=gte',
  'amount=5,1e3&amount_op=in',
  'days=2026-06-01T01:00:00%2B01:00&days_op=contains',
];

const existing = await create(founder, 'order', { code: 'stands' });

for (const body of bodies)
  test(`a Deny on the body is not evaded by ${JSON.stringify(body)}, on whatever way`, async () => {
    assertProblem(await act(held, 'POST', '/create/order', { body }), 'access_denied');
    assertProblem(await act(held, 'PUT', `/update/order/${existing.id}`, { body }), 'access_denied');
    for (const operation of [
      { action: 'create', entity: 'order', data: body },
      { action: 'update', entity: 'order', id: existing.id, data: body },
    ])
      assertProblem(
        await act(held, 'POST', '/batch', { body: { mode: 'atomic', operations: [operation] } }),
        'access_denied',
      );
    for (const action of ['create', 'update']) {
      const resource = { type: 'order', ...(action === 'update' ? { id: existing.id } : {}) };
      const question = { subject: { type: 'user', id: held.id }, action: { name: action, properties: body }, resource };
      const reply = await act<{ readonly decision: boolean }>(held, 'POST', '/access/v1/evaluation', {
        body: question,
      });
      assert.equal(reply.body.decision, false, reply.text);
    }
    for (const query of ['', '?upsert=by_code']) {
      const rows = `${JSON.stringify({ code: 'stands', ...body })}\n`;
      await assertNoneImported(query, rows, 'application/x-ndjson');
      const cells = Object.values(body).map((value) => `"${cellOf(value).replaceAll('"', '""')}"`);
      await assertNoneImported(query, `code,${Object.keys(body)}\r\nstands,${cells}\r\n`, 'text/csv');
    }
    assert.equal((await act(held, 'POST', '/create/order', { body: { code: 'other', at: null } })).status, 201);
    assert.equal((await act(founder, 'DELETE', `/delete/order/${(await other()).id}`)).status, 204);
  });

async function other() {
  const reply = await act<{ readonly items: readonly { readonly id: string }[] }>(
    founder,
    'GET',
    '/list/order?code=other',
  );
  return reply.body.items[0] ?? { id: '' };
}

function cellOf(value: unknown): string {
  if (value === 1000) return '1e3';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function assertNoneImported(query: string, rows: string, type: string): Promise<void> {
  const options = { method: 'POST', body: rows, headers: { 'content-type': type } };
  const reply = await transfer<ImportResult>(held, `/import/order${query}`, options);
  const codes = reply.body.errors.flatMap(({ errors }) => errors.map(({ code }) => code));
  assert.deepEqual([reply.body.failed, codes], [1, ['access_denied']], reply.text);
}

for (const query of queries)
  test(`a Deny on the query is not evaded by ${query}`, async () => {
    for (const path of ['list', 'count', 'export']) {
      assertProblem(await act(held, 'GET', `/${path}/order?${query}`), 'access_denied');
      assert.equal((await act(founder, 'GET', `/${path}/order?${query}`)).status, 200);
    }
    assert.equal((await act(held, 'GET', '/list/order?at=2026-05-31T00:30:00%2B01:00')).status, 200);
  });

test('an id in capitals names no record, whatever the policies are', async () => {
  const id = existing.id.toUpperCase();
  for (const [method, path] of [
    ['GET', 'item'],
    ['PUT', 'update'],
    ['DELETE', 'delete'],
  ] as const)
    for (const user of [held, founder])
      assertProblem(await act(user, method, `/${path}/order/${id}`, method === 'PUT' ? { body: {} } : {}), 'not_found');
});

test('a link of access control is judged by the ids that it is stored with', async () => {
  const policy = await create(founder, 'aclpolicy', { name: 'reader', statements: [allow('get*')] });
  const body = { user_id: held.id.toUpperCase(), acl_policy_id: policy.id.toUpperCase() };
  const denied = { ...deny('*'), Condition: { StringEquals: { 'request.body.acl_policy_id': [policy.id] } } };
  const admin = await memberWith(founder, [allow('*'), denied]);
  assertProblem(await act(admin, 'POST', '/create/useraclpolicy', { body }), 'access_denied');
});

test('an invitation is judged by the address that it is for, and a workspace by the name that it gets', async () => {
  const email = newEmail('boss');
  const toBoss = { StringEquals: { 'request.body.email': [email] } };
  const toShop = { StringEquals: { 'request.body.name': ['Shop'] } };
  const admin = await memberWith(founder, [
    allow('*'),
    { ...deny('createinvitation'), Condition: toBoss },
    { ...deny('updateworkspace'), Condition: toShop },
  ]);
  const invite = (address: string) => act(admin, 'POST', '/user/invitations', { body: { email: address } });
  assertProblem(await invite(email.toUpperCase()), 'access_denied');
  assertProblem(await act(admin, 'PUT', '/user/workspace', { body: { name: ' Shop ' } }), 'access_denied');
  assert.equal((await invite(newEmail('aide'))).status, 201);
});

test('a simulation judges values as the call would', async () => {
  const alerts = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
    const reply = await manage<{ readonly decision: string }>(org, 'POST', '/acl/simulate', { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.decision;
  };
  const at = '2026-06-01t00:00:00+00:30';
  const call = { statements, method: 'POST', path: '/create/order' };
  assert.equal(await alerts({ ...call, context: { request: { body: { at } } } }), 'explicit_deny');
  const earlier = '2026-06-01T00:00:00+01:00';
  const onRecord = { ...deny('*'), Condition: { DateLessThan: { 'record.at': ['2026-06-01'] } } };
  const read = { statements: [allow('*'), onRecord], method: 'GET', path: `/item/order/${existing.id}` };
  assert.equal(await alerts({ ...read, record: { at: earlier } }), 'explicit_deny');
  assert.equal(await alerts({ ...read, record: { at: '2026-06-01T00:00:00-01:00' } }), 'allowed');
  const query = `/list/order?at=${encodeURIComponent('2026-06-01T02:00:00+01:00')}`;
  assert.equal(await alerts({ statements, method: 'GET', path: query, record: {} }), 'explicit_deny');
});
