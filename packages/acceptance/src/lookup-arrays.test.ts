/** Arrays of lookups: the tags of a help desk's tickets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type StoredRecord,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const missing = '01890000-0000-7000-8000-000000000000';

const lookups = (name: string, entity: string, onDelete?: string) => ({
  name,
  colType: 'array',
  items: { colType: 'guid', lookup: { entity, ...(onDelete === undefined ? {} : { onDelete }) } },
});
await defineEntity(org, definition('tag', [{ name: 'name' }]));
await defineEntity(org, definition('agent', [{ name: 'name' }]));
const ticketDefinition = definition('ticket', [
  { name: 'subject' },
  lookups('tag_ids', 'tag', 'setnull'),
  lookups('agent_ids', 'agent'),
]);
await defineEntity(org, ticketDefinition);

interface Tagged extends StoredRecord {
  readonly tag_ids?: readonly string[];
  readonly expand: Readonly<Record<string, readonly (StoredRecord | null)[] & Page>>;
}

interface Page {
  readonly items: readonly StoredRecord[];
  readonly nexttoken: string | null;
}

const make = (entity: string, body: unknown) => act(founder, 'POST', `/create/${entity}`, { body });
const change = (id: string, body: unknown) => act<Tagged>(founder, 'PUT', `/update/ticket/${id}`, { body });
const remove = (entity: string, id: string) => act<{ id: string }>(founder, 'DELETE', `/delete/${entity}/${id}`);
const ticket = async (id: string, query = '') => (await act<Tagged>(founder, 'GET', `/item/ticket/${id}${query}`)).body;
const tag = (name: string) => create(founder, 'tag', { name });
const tagged = (id: string) => `?tag_ids=${id}&tag_ids_op=contains`;
const idsOf = (records: readonly { readonly id: string }[] | undefined) => records?.map(({ id }) => id);

test('tickets are found by each of their tags, newest first, page by page, and counted', async () => {
  const [urgent, billing] = [await tag('urgent'), await tag('billing')];
  const tickets: StoredRecord[] = [];
  for (let index = 0; index < 5; index++)
    tickets.unshift(
      await create(founder, 'ticket', { tag_ids: index % 2 === 0 ? [urgent.id, billing.id] : [billing.id] }),
    );
  assert.deepEqual(idsOf((await list(founder, 'ticket', tagged(billing.id))).items), idsOf(tickets));
  const first = await list(founder, 'ticket', `${tagged(urgent.id)}&pagesize=2`);
  const rest = await list(founder, 'ticket', `${tagged(urgent.id)}&pagesize=2&nexttoken=${first.nexttoken}`);
  assert.deepEqual(
    [...first.items, ...rest.items].map(({ id }) => id),
    [0, 2, 4].map((index) => tickets[index]?.id),
  );
  assert.equal(await count(founder, 'ticket', tagged(urgent.id)), 3);
  assert.deepEqual((await change(tickets[0]?.id ?? '', { tag_ids: [billing.id.toUpperCase()] })).body.tag_ids, [
    billing.id,
  ]);
  assert.equal(await count(founder, 'ticket', tagged(urgent.id)), 2);
});

test('each element is checked as a lookup is, with a pointer to it', async () => {
  const [known, agent] = [await tag('known'), await create(founder, 'agent', {})];
  const before = await count(founder, 'ticket');
  for (const id of [missing, agent.id]) {
    const problem = assertProblem(await make('ticket', { tag_ids: [known.id, id, known.id] }), 'validation_failed');
    assert.deepEqual(pointers(problem), ['/tag_ids/1']);
    assert.deepEqual((problem.errors as readonly { code: string }[])[0]?.code, 'unknown_reference');
  }
  assert.deepEqual(
    pointers(assertProblem(await make('ticket', { tag_ids: [known.id, 7, null] }), 'validation_failed')),
    ['/tag_ids/1', '/tag_ids/2'],
  );
  assert.equal(await count(founder, 'ticket'), before);
});

test('an array holds at most 100 elements, some of them twice', async () => {
  const [one, two] = [await tag('one'), await tag('two')];
  const full = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? one.id : two.id));
  const { id, tag_ids } = await create(founder, 'ticket', { tag_ids: full });
  assert.deepEqual(tag_ids, full);
  assert.deepEqual(idsOf((await list(founder, 'ticket', tagged(one.id))).items), [id]);
  const problem = assertProblem(await change(id, { tag_ids: [...full, one.id] }), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/tag_ids']);
  assert.match(problem.detail + JSON.stringify(problem.errors), /at most 100 elements/);
});

test('a removed tag is taken out of every ticket, also as the last of its tags', async () => {
  const [urgent, billing] = [await tag('urgent'), await tag('billing')];
  const both = await create(founder, 'ticket', { tag_ids: [billing.id, urgent.id, billing.id] });
  const only = await create(founder, 'ticket', { tag_ids: [billing.id] });
  assert.equal((await remove('tag', billing.id)).status, 204);
  assert.deepEqual((await ticket(both.id)).tag_ids, [urgent.id]);
  assert.deepEqual((await ticket(only.id)).tag_ids, []);
  assert.equal(await count(founder, 'ticket', tagged(billing.id)), 0);
  assert.equal(await count(founder, 'ticket', tagged(urgent.id)), 1);
});

test('an agent stays as long as a ticket names him among others', async () => {
  const [ann, bea] = [await create(founder, 'agent', {}), await create(founder, 'agent', {})];
  const { id } = await create(founder, 'ticket', { agent_ids: [ann.id, bea.id] });
  const problem = assertProblem(await remove('agent', bea.id), 'dangling_reference');
  assert.match(problem.detail, /`ticket`.*`agent_ids`/);
  assert.equal((await change(id, { agent_ids: [ann.id] })).status, 200);
  assert.equal((await remove('agent', bea.id)).status, 204);
});

test('a tag of more than 200 tickets is taken out of them by a job', async () => {
  const [many, other] = [await tag('many'), await tag('other')];
  const row = `${JSON.stringify({ tag_ids: [other.id, many.id] })}\n`;
  const headers = { 'content-type': 'application/x-ndjson' };
  assert.equal((await act(founder, 'POST', '/import/ticket', { body: row.repeat(201), headers })).status, 200);
  const { status, body } = await remove('tag', many.id);
  assert.equal(status, 202);
  await eventually('the end of the job', async () => {
    const job = (await act<{ readonly state: string }>(founder, 'GET', `/jobs/${body.id}`)).body;
    assert.ok(['queued', 'running', 'done'].includes(job.state), JSON.stringify(job));
    return job.state === 'done';
  });
  assert.equal(await count(founder, 'ticket', tagged(many.id)), 0);
  const { items } = await list(founder, 'ticket', `${tagged(other.id)}&pagesize=200`);
  assert.deepEqual(
    new Set(items.map((record) => JSON.stringify(record.tag_ids))),
    new Set([JSON.stringify([other.id])]),
  );
  assert.equal(await count(founder, 'ticket', tagged(other.id)), 201);
});

test('`expand` shows the tags of a ticket in their order, and the tickets of a tag', async () => {
  const [red, blue] = [await tag('red'), await tag('blue')];
  const tickets: StoredRecord[] = [];
  for (let index = 0; index < 22; index++)
    tickets.unshift(await create(founder, 'ticket', { tag_ids: [blue.id, red.id, blue.id] }));
  const [newest] = tickets;
  const shown = await ticket(newest?.id ?? '', '?expand=tag_ids.ticket_via_tag_ids');
  const elements = shown.expand.tag_ids as readonly (Tagged | null)[] | undefined;
  assert.deepEqual(
    elements?.map((one) => one?.name),
    ['blue', 'red', 'blue'],
  );
  const page = elements?.[1]?.expand.ticket_via_tag_ids;
  assert.deepEqual(idsOf(page?.items), idsOf(tickets.slice(0, 20)));
  const rest = await list(founder, 'ticket', `${tagged(red.id)}&nexttoken=${page?.nexttoken}`);
  assert.deepEqual(idsOf(rest.items), idsOf(tickets.slice(20)));
  const bare = await create(founder, 'ticket', { tag_ids: [] });
  const none = await create(founder, 'ticket', {});
  assert.deepEqual((await ticket(bare.id, '?expand=tag_ids')).expand, { tag_ids: [] });
  assert.deepEqual((await ticket(none.id, '?expand=tag_ids')).expand, {});
});

test('tags that the caller may not get are `null`, and tickets are not found by tags that he may not read', async () => {
  const [open, closed] = [await tag('open'), await tag('closed')];
  const { id } = await create(founder, 'ticket', { subject: 'Lamp', tag_ids: [open.id, closed.id] });
  const reader = await memberWith(founder, [
    allow(['getticket', 'listticket', 'gettag']),
    deny('gettag', `*${closed.id}`),
  ]);
  const seen = (await act<Tagged>(reader, 'GET', `/item/ticket/${id}?expand=tag_ids`)).body.expand.tag_ids;
  assert.deepEqual(
    seen?.map((one) => one?.id ?? null),
    [open.id, null],
  );
  const partly = await memberWith(founder, [
    { ...allow(['getticket', 'listticket']), Fields: ['subject'] },
    allow('gettag'),
  ]);
  assert.deepEqual((await act<Tagged>(partly, 'GET', `/item/ticket/${id}?expand=tag_ids`)).body.expand, {});
  assertProblem(await act(partly, 'GET', `/list/ticket${tagged(open.id)}`), 'invalid_request');
  const backward = await act<Tagged>(partly, 'GET', `/item/tag/${open.id}?expand=ticket_via_tag_ids`);
  assert.deepEqual(backward.body.expand, { ticket_via_tag_ids: { items: [], nexttoken: null } });
});

test('records that stand are found by an array once it becomes one of lookups', async () => {
  await defineEntity(org, definition('note', [{ name: 'tag_ids', colType: 'array', items: { colType: 'guid' } }]));
  const kept = await tag('kept');
  const note = await create(founder, 'note', { tag_ids: [kept.id, missing] });
  const body = { UpdateParams: [lookups('tag_ids', 'tag', 'setnull')] };
  assertProblem(await manage(org, 'PUT', '/api/create-note', { body }), 'conflict');
  assert.equal((await act(founder, 'PUT', `/update/note/${note.id}`, { body: { tag_ids: [kept.id] } })).status, 200);
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body })).status, 200);
  await eventually(
    'the index',
    async () => !(await manage(org, 'GET', '/api/entity?entityName=note')).text.includes('"building"'),
  );
  assert.deepEqual(idsOf((await list(founder, 'note', tagged(kept.id))).items), [note.id]);
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=tag'), 'dangling_reference');
  assert.equal((await remove('tag', kept.id)).status, 204);
  const left = await act<Tagged>(founder, 'GET', `/item/note/${note.id}`);
  assert.deepEqual(left.body.tag_ids, []);
});

const bad: readonly (readonly [string, object, string])[] = [
  [
    '`cascade`',
    { items: { colType: 'guid', lookup: { entity: 'user', onDelete: 'cascade' } } },
    '/items/lookup/onDelete',
  ],
  [
    'an entity that does not exist',
    { items: { colType: 'guid', lookup: { entity: 'nothing' } } },
    '/items/lookup/entity',
  ],
  ['numbers', { items: { colType: 'number', lookup: { entity: 'user' } } }, '/items/lookup'],
  ['a lookup beside its items', { items: { colType: 'guid' }, lookup: { entity: 'user' } }, '/lookup'],
  ['a greater bound', { maxlength: 101, items: { colType: 'guid', lookup: { entity: 'user' } } }, ''],
  [
    'elements that it must have',
    { validate: true, minlength: 1, items: { colType: 'guid', lookup: { entity: 'user', onDelete: 'setnull' } } },
    '/items/lookup/onDelete',
  ],
];

for (const [what, field, pointer] of bad)
  test(`an array of lookups with ${what} is refused in a definition`, async () => {
    const own = await signUp(gateways);
    const body = definition('odd', [{ name: 'refs', colType: 'array', ...field }]);
    const reply = await manage(own, 'POST', '/api/create-odd', { body });
    assert.deepEqual(pointers(assertRefusal(reply, [400])), [`/UpdateParams/0${pointer}`]);
  });

test('an entity has at most 4 arrays of lookups', async () => {
  const own = await signUp(gateways);
  const fields = Array.from({ length: 5 }, (_, index) => lookups(`refs${index}`, 'user'));
  const reply = await manage(own, 'POST', '/api/create-odd', { body: definition('odd', fields) });
  const problem = assertProblem(reply, 'validation_failed');
  assert.match(JSON.stringify(problem.errors), /at most 4 fields may be arrays of lookups/);
});
