import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { everyType, everyValue } from './every-type.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  deny,
  foundedOrg,
  manage,
  memberWith,
  type StoredRecord,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, everyType);
await defineEntity(org, {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'subject' },
    { name: 'status' },
    { name: 'code' },
    { name: 'minutes', colType: 'number' },
    { name: 'meta', colType: 'json' },
    { name: 'cost', colType: 'number' },
  ],
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
});

const agent = await memberWith(founder, [
  withFields(allow('getticket'), '!cost'),
  withFields(allow('updateticket'), 'status'),
]);
const values = { subject: 'Broken lamp', status: 'open', minutes: 1, meta: { a: 1, b: [2] }, cost: 7 };
const newTicket = (more: object = {}): Promise<StoredRecord> => create(founder, 'ticket', { ...values, ...more });
const stored = async (id: string): Promise<StoredRecord> => (await act(founder, 'GET', `/item/ticket/${id}`)).body;

test('a caller who may change one field sends the record back as he read it, with that field changed', async () => {
  const { id } = await newTicket();
  const read = await act(agent, 'GET', `/item/ticket/${id}`);
  const written = await act(agent, 'PUT', `/update/ticket/${id}`, { body: { ...read.body, status: 'done' } });
  assert.equal(written.status, 200, written.text);
  assert.equal(written.body.status, 'done');
  assert.ok(!('cost' in written.body));
  const { updated_at, updated_by, version, ...record } = await stored(id);
  assert.deepEqual(
    { ...record, status: 'open' },
    { ...values, id, created_at: record.created_at, created_by: founder.id },
  );
  assert.equal(updated_by, agent.id);
  assert.ok(Number(version) > Number(read.body.version) && updated_at !== undefined);
});

test('of a record that is sent back with another field changed, that field alone is refused, and nothing is written', async () => {
  const { id } = await newTicket();
  const { body: read } = await act(agent, 'GET', `/item/ticket/${id}`);
  const body = { ...read, status: 'done', minutes: 2, meta: { a: 1, b: [3] }, created_by: agent.id };
  const problem = assertProblem(await act(agent, 'PUT', `/update/ticket/${id}`, { body }), 'access_denied');
  assert.deepEqual(problem.errors?.map(({ pointer }) => pointer).sort(), ['/created_by', '/meta', '/minutes']);
  assert.equal((await stored(id)).version, read.version);
});

test('values are compared as they are stored, and an object whose members come in another order stays as it is', async () => {
  const { id } = await newTicket({ minutes: 1.0 });
  const body = '{"status": "done", "meta": {"b": [2.0], "a": 1}, "minutes": 1.00, "code": null}';
  const reply = await act(agent, 'PUT', `/update/ticket/${id}`, {
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(reply.status, 200, reply.text);
  assert.match((await act(founder, 'GET', `/item/ticket/${id}`)).text, /"meta":\{"a":1,"b":\[2\]\}/);
});

test('a body that names nothing that the caller may write is refused, whatever stands', async () => {
  const { id } = await newTicket();
  const reply = await act(agent, 'PUT', `/update/ticket/${id}`, { body: { id, minutes: 1 } });
  assert.deepEqual(
    assertProblem(reply, 'access_denied').errors?.map(({ pointer }) => pointer),
    ['/minutes'],
  );
});

test('of a field that the caller may not read the right value is refused like a wrong one', async () => {
  const { id } = await newTicket();
  const alerts = async (cost: unknown): Promise<string> => {
    const reply = await act(agent, 'PUT', `/update/ticket/${id}`, { body: { status: 'done', cost } });
    assertProblem(reply, 'access_denied');
    return reply.text.replace(/"(?:request_id|decision_id)":"[^"]*"/g, '');
  };
  assert.equal(await alerts(7), await alerts(8));
  assert.equal(await alerts(7), await alerts(null));
  assert.equal(await alerts(7), await alerts('no number'));
  assert.equal((await stored(id)).status, 'open');
});

test('a caller who may write a field and not read it does not learn its value by sending it', async () => {
  await defineEntity(org, {
    entityName: 'payslip',
    UpdateParams: [
      { name: 'subject' },
      { name: 'meta', colType: 'json' },
      { name: 'pay', colType: 'number' },
      { name: 'number', colType: 'autoincrement' },
      { name: 'bonus', colType: 'formula', formula: { cel: 'pay * 2', type: 'number' } },
    ],
  });
  const blind = await memberWith(founder, [withFields(allow('getpayslip'), 'subject'), allow('updatepayslip')]);
  const { id } = await create(founder, 'payslip', { pay: 7, meta: { a: 1, b: [2] } });
  const ofPlatform = async (name: string, value: unknown): Promise<string> => {
    const reply = await act(blind, 'PUT', `/update/payslip/${id}`, { body: { subject: 'x', [name]: value } });
    assertProblem(reply, 'unknown_field');
    return reply.text.replace(/"request_id":"[^"]*"/g, '');
  };
  assert.equal(await ofPlatform('created_by', founder.id), await ofPlatform('created_by', blind.id));
  assert.equal(await ofPlatform('number', 1), await ofPlatform('number', 1000));
  assert.equal(await ofPlatform('bonus', 14), await ofPlatform('bonus', 15));
  const shown = async (meta: string): Promise<string> => {
    const reply = await act(blind, 'PUT', `/update/payslip/${id}`, {
      body: `{"meta": ${meta}}`,
      headers: { 'Content-Type': 'application/json' },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.text;
  };
  assert.match(await shown('{"b":[2],"a":1}'), /"meta":\{"b":\[2\],"a":1\}/);
  assert.match(await shown('{"b":[3],"a":1}'), /"meta":\{"b":\[3\],"a":1\}/);
});

test('what the caller may read is asked of this very record', async () => {
  const own = { StringEquals: { 'record.code': '$' + '{user.email}' } };
  const user = await memberWith(founder, [
    { ...allow('getticket'), Condition: own },
    withFields(allow('updateticket'), 'status'),
    { ...withFields(deny('getticket'), 'minutes'), Condition: { StringEquals: { 'record.status': 'kept' } } },
  ]);
  const body = { minutes: 1, status: 'done' };
  const mine = await newTicket({ code: user.email });
  const other = await newTicket();
  assert.equal((await act(user, 'PUT', `/update/ticket/${mine.id}`, { body })).status, 200);
  assertProblem(await act(user, 'PUT', `/update/ticket/${other.id}`, { body }), 'access_denied');
  await act(founder, 'PUT', `/update/ticket/${mine.id}`, { body: { status: 'kept' } });
  assertProblem(await act(user, 'PUT', `/update/ticket/${mine.id}`, { body }), 'access_denied');
});

test('every type of field is sent back as it was read, but for encrypted values, which are not compared', async () => {
  const user = await memberWith(founder, [allow('getthing'), withFields(allow('updatething'), 'title')]);
  const { pin, ...sent } = everyValue;
  const { id } = await create(founder, 'thing', { ...sent, pin, owner_id: founder.id });
  const { body: read } = await act(user, 'GET', `/item/thing/${id}`);
  assert.ok('label' in read && 'number' in read && !('pin' in read));
  const written = await act(user, 'PUT', `/update/thing/${id}`, { body: { ...read, title: 'new' } });
  assert.equal(written.status, 200, written.text);
  const again = { ...sent, title: 'newer', at: '2026-11-20T10:30:00+01:00', ref: sent.ref.toUpperCase() };
  assert.equal((await act(user, 'PUT', `/update/thing/${id}`, { body: again })).status, 200);
  for (const refused of [{ pin }, { pin: null }, { pin: 'other' }, { label: 'x' }, { number: 99 }, { version: 1 }]) {
    const reply = await act(user, 'PUT', `/update/thing/${id}`, { body: { title: 'x', ...refused } });
    assertProblem(reply, 'version' in refused ? 'version_mismatch' : 'access_denied');
  }
});

test('a batch, an import with upsert and an evaluation decide by the same rule', async () => {
  const user = await memberWith(founder, [
    withFields(allow('getticket'), '!cost'),
    withFields(allow('updateticket'), 'status'),
    allow('createticket'),
  ]);
  const { id } = await newTicket({ code: 'i1' });
  const { body: read } = await act(user, 'GET', `/item/ticket/${id}`);
  const operations = [{ action: 'update', entity: 'ticket', id, data: { ...read, status: 'done' } }];
  const batch = await act(user, 'POST', '/batch', { body: { mode: 'atomic', operations } });
  assert.equal(batch.status, 200, batch.text);
  const rows = (...lines: readonly object[]) => ({
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  const { version: _, ...form } = { ...read, status: 'imported' };
  for (const [line, expected] of [
    [form, 1],
    [{ ...form, cost: 7 }, 0],
    [{ ...form, minutes: 9 }, 0],
  ] as const) {
    const reply = await act<{ updated: number }>(user, 'POST', '/import/ticket?upsert=by_code', rows(line));
    assert.deepEqual([reply.status, reply.body.updated], [200, expected], reply.text);
  }
  const request = (properties: object) =>
    act<{ decision: boolean }>(user, 'POST', '/access/v1/evaluation', {
      body: {
        subject: { type: 'user', id: user.id },
        action: { name: 'update' },
        resource: { type: 'ticket', id, properties },
      },
    });
  const now = (await act(user, 'GET', `/item/ticket/${id}`)).body;
  assert.equal((await request({ ...now, status: 'x' })).body.decision, true);
  assert.equal((await request({ ...now, minutes: 9 })).body.decision, false);
  assert.equal((await request({ ...now, cost: 7 })).body.decision, false);
});

test('a simulation tells the same of a record that is sent back', async () => {
  const { id } = await newTicket();
  const { body: read } = await act(agent, 'GET', `/item/ticket/${id}`);
  const simulated = async (body: object): Promise<string> => {
    const request = { tenant_code: agent.tenantCode, user_id: agent.id, method: 'PUT', path: `/update/ticket/${id}` };
    const reply = await manage<{ decision: string }>(org, 'POST', '/acl/simulate', {
      body: { ...request, record: { id }, context: { request: { body } } },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.decision;
  };
  assert.equal(await simulated({ ...read, status: 'x' }), 'allowed');
  assert.equal(await simulated({ ...read, minutes: 9 }), 'implicit_deny');
  assert.equal(await simulated({ ...read, cost: 7 }), 'implicit_deny');
});
