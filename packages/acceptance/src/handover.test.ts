import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type Statement,
  type StoredRecord,
  withCondition,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'subject' },
    { name: 'team', index: true },
    { name: 'assignee_id', index: true },
    { name: 'status' },
    { name: 'starts', colType: 'number' },
    { name: 'ends', colType: 'number' },
    { name: 'code' },
  ],
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
  checks: [{ cel: 'ends > starts', message: 'ends after it starts' }],
});
/** Its fields are called as the states of a record are. */
const move = await defineEntity(org, {
  entityName: 'move',
  UpdateParams: [{ name: 'before', colType: 'json' }, { name: 'After', colType: 'json' }, { name: 'note' }],
});

const me = '$' + '{user.id}';
const inTeam = { 'record.before.team': 'support', 'record.after.team': 'support' };

/** Reads all, works on his own tickets, hands them over within the team, takes unassigned ones, closes his own. */
const ofAgent: readonly Statement[] = [
  allow(['getticket', 'listticket']),
  withCondition(allow('updateticket'), { StringEquals: { ...inTeam, 'record.before.assignee_id': me } }),
  withCondition(allow('updateticket'), {
    StringEquals: { ...inTeam, 'record.after.assignee_id': me },
    Null: { 'record.before.assignee_id': true },
  }),
  withCondition(deny('updateticket'), {
    StringEquals: { 'record.after.status': 'closed' },
    StringNotEquals: { 'record.before.assignee_id': me },
  }),
];
const ann = await memberWith(founder, ofAgent);
const bob = await memberWith(founder, ofAgent);

const newTicket = (values: object = {}): Promise<StoredRecord> =>
  create(founder, 'ticket', { subject: 'Lamp', team: 'support', status: 'open', ...values });
const update = (user: AppUser, { id }: StoredRecord, body: object): Promise<Reply<StoredRecord>> =>
  act(user, 'PUT', `/update/ticket/${id}`, { body });
const stored = async ({ id }: StoredRecord): Promise<StoredRecord> =>
  (await act(founder, 'GET', `/item/ticket/${id}`)).body;

test('an agent hands his ticket over, and has no right to it any more', async () => {
  const ticket = await newTicket({ assignee_id: ann.id });
  assert.equal((await update(ann, ticket, { subject: 'Lamp 2' })).status, 200);
  assertProblem(await update(bob, ticket, { subject: 'mine' }), 'not_found');
  assert.equal((await update(ann, ticket, { assignee_id: bob.id })).body.assignee_id, bob.id);
  assertProblem(await update(ann, ticket, { subject: 'again' }), 'not_found');
  assert.equal((await update(bob, ticket, { subject: 'mine' })).status, 200);
});

test('an agent takes an unassigned ticket for himself, and for no other', async () => {
  const ticket = await newTicket();
  assertProblem(await update(ann, ticket, { subject: 'x' }), 'access_denied');
  assertProblem(await update(ann, ticket, { assignee_id: bob.id }), 'access_denied');
  assert.equal((await stored(ticket)).version, ticket.version);
  assert.equal((await update(ann, ticket, { assignee_id: ann.id })).status, 200);
  assertProblem(await update(bob, ticket, { assignee_id: bob.id }), 'not_found');
});

test('an agent closes his own ticket alone', async () => {
  const [his, free] = [await newTicket({ assignee_id: ann.id }), await newTicket()];
  assertProblem(await update(ann, free, { assignee_id: ann.id, status: 'closed' }), 'access_denied');
  assert.equal((await update(ann, his, { status: 'closed' })).status, 200);
  assert.equal((await stored(free)).status, 'open');
});

test('no agent moves a ticket out of the team, since no statement allows it after the update', async () => {
  const ticket = await newTicket({ assignee_id: ann.id });
  for (const team of ['sales', null]) assertProblem(await update(ann, ticket, { team }), 'access_denied');
  const foreign = await newTicket({ team: 'sales', assignee_id: ann.id });
  assertProblem(await update(ann, foreign, { team: 'support' }), 'not_found');
  assert.equal((await stored(ticket)).team, 'support');
});

test('`record` still stands for both states: what it says must hold before and after', async () => {
  const user = await memberWith(founder, [
    withCondition(allow('updateticket'), { StringEquals: { 'record.assignee_id': me } }),
    withCondition(deny('updateticket'), { StringEquals: { 'record.status': 'closed' } }),
  ]);
  const ticket = await newTicket({ assignee_id: user.id });
  assertProblem(await update(user, ticket, { assignee_id: ann.id }), 'access_denied');
  assertProblem(await update(user, ticket, { status: 'closed' }), 'access_denied');
  assert.equal((await update(user, ticket, { subject: 'x' })).status, 200);
});

test('batches, imports and evaluations decide by the states too', async () => {
  const [his, free] = [await newTicket({ assignee_id: ann.id, code: 'h1' }), await newTicket({ code: 'h2' })];
  const operations = [
    { action: 'update', entity: 'ticket', id: free.id, data: { assignee_id: bob.id } },
    { action: 'update', entity: 'ticket', id: free.id, data: { subject: 'x', assignee_id: ann.id } },
  ];
  for (const [operation, status] of [
    [operations[0], 403],
    [operations[1], 200],
  ] as const) {
    const body = { mode: 'independent', operations: [operation] };
    const reply = await act<{ results: { status: number }[] }>(ann, 'POST', '/batch', { body });
    assert.equal(reply.body.results[0]?.status, status, reply.text);
  }
  const importer = await memberWith(founder, [
    allow('createticket'),
    withCondition(allow('updateticket'), {
      StringEquals: { 'record.before.code': 'h1', 'record.after.status': 'open' },
    }),
  ]);
  const rows = [
    { code: 'h1', status: 'closed' },
    { code: 'h1', subject: 'imported' },
    { code: 'h2', subject: 'imported' },
  ];
  const imported = await act<{ updated: number; errors: { row: number }[] }>(
    importer,
    'POST',
    '/import/ticket?upsert=by_code',
    { body: rows.map((row) => JSON.stringify(row)).join('\n'), headers: { 'Content-Type': 'application/x-ndjson' } },
  );
  assert.deepEqual([imported.body.updated, imported.body.errors.map(({ row }) => row)], [1, [1, 3]], imported.text);
  const request = async (properties?: object): Promise<boolean> => {
    const resource = { type: 'ticket', id: his.id, ...(properties === undefined ? {} : { properties }) };
    const body = { subject: { type: 'user', id: ann.id }, action: { name: 'update' }, resource };
    return (await act<{ decision: boolean }>(ann, 'POST', '/access/v1/evaluation', { body })).body.decision;
  };
  assert.deepEqual(
    [await request({ assignee_id: bob.id }), await request({ team: 'sales' }), await request()],
    [true, false, false],
  );
});

test('a create has no state before it and a delete none after it; reads have neither', async () => {
  const user = await memberWith(founder, [
    withCondition(allow('createticket'), { StringEquals: { 'record.after.status': 'open' } }),
    withCondition(allow('createticket'), { StringEquals: { 'record.before.status': 'new' } }),
    withCondition(allow('deleteticket'), { StringEquals: { 'record.before.status': 'open' } }),
    withCondition(allow('deleteticket'), { StringEquals: { 'record.after.status': 'closed' } }),
    withCondition(allow(['getticket', 'listticket']), { StringEquals: { 'record.before.status': 'open' } }),
    withCondition(allow('countticket'), { StringNotEquals: { 'record.after.status': 'open' } }),
  ]);
  const body = { subject: 'x', status: 'new', team: 'count' };
  assertProblem(await act(user, 'POST', '/create/ticket', { body }), 'access_denied');
  assert.equal((await act(user, 'POST', '/create/ticket', { body: { ...body, status: 'open' } })).status, 201);
  const [open, closed] = [await newTicket(), await newTicket({ status: 'closed' })];
  assertProblem(await act(user, 'DELETE', `/delete/ticket/${closed.id}`), 'not_found');
  assertProblem(await act(user, 'GET', `/item/ticket/${open.id}`), 'not_found');
  assert.deepEqual((await list(user, 'ticket')).items, []);
  assert.equal((await act<{ count: number }>(user, 'GET', '/count/ticket?team=count')).body.count, 1);
  assert.equal((await act(user, 'DELETE', `/delete/ticket/${open.id}`)).status, 204);
});

test('a right that depends on how the update leaves a record tells nothing of its values', async () => {
  const user = await memberWith(founder, [
    { ...withCondition(allow('updateticket'), { StringEquals: { 'record.after.assignee_id': me } }), Fields: ['ends'] },
  ]);
  const ticket = await newTicket({ starts: 5, ends: 9 });
  for (const ends of [1, 6]) assertProblem(await update(user, ticket, { ends }), 'access_denied');
});

test('an explanation names the state that failed', async () => {
  interface Explained {
    readonly record_state?: string;
    readonly matched: readonly { readonly failed_condition?: { readonly key: string; readonly state?: string } }[];
  }
  const explained = async (reply: Reply): Promise<readonly unknown[]> => {
    const path = `/acl/decisions?request_id=${reply.headers.get('x-request-id')}`;
    const { body } = await manage<Explained>(org, 'GET', path);
    const [first] = body.matched.flatMap(({ failed_condition }) => failed_condition ?? []);
    return [body.record_state, first?.key, first?.state];
  };
  const user = await memberWith(founder, [
    withCondition(allow('updateticket'), {
      StringEquals: { 'record.before.assignee_id': me, 'record.after.team': 'support' },
    }),
  ]);
  const both = await memberWith(founder, [
    withCondition(allow('updateticket'), { StringEquals: { 'record.assignee_id': me } }),
  ]);
  const [mine, other] = [await newTicket({ assignee_id: user.id }), await newTicket({ assignee_id: both.id })];
  assert.deepEqual(await explained(await update(user, other, {})), ['before', 'record.before.assignee_id', 'before']);
  assert.deepEqual(await explained(await update(user, mine, { team: 'x' })), ['before', 'record.after.team', 'after']);
  assert.deepEqual(await explained(await update(both, mine, {})), ['before', 'record.assignee_id', 'before']);
  const moved = await update(both, other, { assignee_id: user.id });
  assert.deepEqual(await explained(moved), ['after', 'record.assignee_id', 'after']);
  const simulated = await manage<Explained & { decision: string; needs?: unknown }>(org, 'POST', '/acl/simulate', {
    body: {
      ...{ tenant_code: user.tenantCode, user_id: user.id, method: 'PUT', path: `/update/ticket/${mine.id}` },
      ...{ record: { id: mine.id }, context: { request: { body: { team: 'x' } } } },
    },
  });
  const { decision, matched } = simulated.body;
  assert.deepEqual([decision, matched[0]?.failed_condition?.state], ['implicit_deny', 'after']);
});

test('a field that is called like a state keeps its meaning in policies, and its definition a warning', async () => {
  assert.match(move.text, /field `before`: in policies/);
  assert.match(move.text, /field `After`: in policies/);
  const user = await memberWith(founder, [
    withCondition(allow('updatemove'), {
      StringEquals: { 'record.before.place': 'here', 'record.after.place': 'there' },
    }),
    withCondition(deny('updatemove'), { StringEquals: { 'record.before.note': 'kept' } }),
  ]);
  const { id } = await create(founder, 'move', { before: { place: 'here' }, After: { place: 'there' }, note: 'kept' });
  const path = `/update/move/${id}`;
  assert.equal((await act(user, 'PUT', path, { body: { note: 'new' } })).status, 200);
  assertProblem(await act(user, 'PUT', path, { body: { before: { place: 'away' } } }), 'access_denied');
  assertProblem(await act(user, 'PUT', path, { body: { before: { place: 'here', note: 'kept' } } }), 'access_denied');
});
