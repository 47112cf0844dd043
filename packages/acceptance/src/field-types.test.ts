import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, create, defineEntity, definition, type FieldDefinition, foundedOrg, list, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'seats', colType: 'integer', validate: true, min: 1, index: true },
  { name: 'day', colType: 'date', index: true },
  { name: 'begins_at', colType: 'datetime', index: true },
  { name: 'page', colType: 'url' },
];
await defineEntity(org, definition('event', fields));

const first = await create(founder, 'event', {
  seats: 10,
  day: '2026-11-20',
  begins_at: '2026-11-20T00:30:00+01:00',
  page: 'https://example.com/first',
});
const second = await create(founder, 'event', { seats: 9, day: '2027-01-01', begins_at: '2026-11-19T23:30:00.001Z' });

const tagged = [
  { name: 'contact', colType: 'email', index: true },
  { name: 'code', validate: true, required: false, pattern: '^[A-Z]{2}-\\d+$' },
  { name: 'tags', colType: 'array', validate: true, required: false, maxlength: 3, items: { maxlength: 5 } },
  { name: 'slots', colType: 'array', items: { colType: 'datetime' } },
];
await defineEntity(org, definition('booking', tagged));

const booked = await create(founder, 'booking', {
  contact: 'Ann@Example.com',
  code: 'AB-1',
  tags: ['red', 'blue'],
  slots: ['2026-11-20T00:30:00+01:00', '2026-11-21T00:00:00Z'],
});
await create(founder, 'booking', { contact: 'ann@example.com', tags: [] });

test('a time is kept in UTC, and integers, dates and addresses as they were sent', () => {
  assert.deepEqual(
    [first.seats, first.day, first.begins_at, first.page],
    [10, '2026-11-20', '2026-11-19T23:30:00.000Z', 'https://example.com/first'],
  );
});

test('lists filter and sort by the values, however they are written', async () => {
  const ids = async (query: string) => (await list(founder, 'event', query)).items.map(({ id }) => id);
  assert.deepEqual(await ids('?begins_at=2026-11-20T00:30:00%2B01:00'), [first.id]);
  assert.deepEqual(await ids('?begins_at=2026-11-19T23:30:00Z&begins_at_op=gt'), [second.id]);
  assert.deepEqual(await ids('?sortby=seats'), [second.id, first.id]);
  assert.deepEqual(await ids('?day=2026-01-01,2026-12-31&day_op=between'), [first.id]);
});

test('every wrong value is named at once, and nothing is written', async () => {
  const body = { seats: 1.5, day: '2026-02-30', begins_at: 'yesterday', page: 'javascript:alert(1)' };
  const problem = assertProblem(await act(founder, 'POST', '/create/event', { body }), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/begins_at', '/day', '/page', '/seats']);
  assert.equal((await list(founder, 'event')).items.length, 2);
});

test('the example of the create route is a body that the route takes', async () => {
  const { body } = await manage<{ endpoints: { action: string; example: string }[] }>(
    org,
    'GET',
    '/api/entity/endpoints?entity=event',
  );
  const example = body.endpoints.find(({ action }) => action === 'create')?.example ?? '';
  const sent: unknown = JSON.parse(/-d '(.*)'$/.exec(example)?.[1] ?? '');
  assert.equal((await act(founder, 'POST', '/create/event', { body: sent })).status, 201);
});

test('an address is kept as it was sent, and an array with each element as a field of its type would be', async () => {
  const { body } = await act(founder, 'GET', `/item/booking/${booked.id}`);
  assert.equal(body.contact, 'Ann@Example.com');
  assert.deepEqual(body.tags, ['red', 'blue']);
  assert.deepEqual(body.slots, ['2026-11-19T23:30:00.000Z', '2026-11-21T00:00:00.000Z']);
});

test('a list filters by an address, and by an element of an array', async () => {
  const ids = async (query: string) => (await list(founder, 'booking', query)).items.map(({ id }) => id);
  assert.deepEqual(await ids('?contact=Ann@Example.com'), [booked.id]);
  assert.deepEqual(await ids('?tags=blue&tags_op=contains'), [booked.id]);
  assert.deepEqual(await ids('?tags=blu&tags_op=contains'), []);
  assert.deepEqual(await ids('?slots=2026-11-19T23:30:00Z&slots_op=contains'), [booked.id]);
  assert.deepEqual(await ids('?slots=2026-11-19T23:30:00.000999Z&slots_op=contains'), [booked.id]);
  assert.deepEqual(await ids('?slots=true&slots_op=exists'), [booked.id]);
});

const unfit: readonly (readonly [query: string, pointer: string])[] = [
  ['tags=blue', '/tags'],
  ['slots=yesterday&slots_op=contains', '/slots'],
  ['contact=ann', '/contact'],
];

for (const [query, pointer] of unfit)
  test(`the filter ${query} is refused`, async () => {
    const problem = assertProblem(await act(founder, 'GET', `/list/booking?${query}`), 'invalid_request');
    assert.deepEqual(pointers(problem), [pointer]);
  });

test('each wrong element of an array has a place of its own, beside every other mistake', async () => {
  const body = {
    contact: 'ann',
    code: 'xAB-1',
    tags: ['red', 1, 'blue', null],
    slots: ['soon', '2026-11-21T00:00:00Z'],
  };
  const create = assertProblem(await act(founder, 'POST', '/create/booking', { body }), 'validation_failed');
  assert.deepEqual(pointers(create), ['/code', '/contact', '/slots/0', '/tags/1', '/tags/3']);
  const update = await act(founder, 'PUT', `/update/booking/${booked.id}`, { body: { tags: ['a', 'too long'] } });
  assert.deepEqual(pointers(assertProblem(update, 'validation_failed')), ['/tags/1']);
  const many = await act(founder, 'PUT', `/update/booking/${booked.id}`, { body: { tags: ['a', 'b', 'c', 'd'] } });
  assert.deepEqual(pointers(assertProblem(many, 'validation_failed')), ['/tags']);
  assert.equal((await list(founder, 'booking')).items.length, 2);
});

test('a pattern is enforced where the checks are on, and elsewhere the definition’s reply warns of it', async () => {
  const reply = await defineEntity(org, definition('note', [{ name: 'text', pattern: '^a' }]));
  assert.match(JSON.stringify(reply.body.warnings), /`text`.*`pattern`/);
  await create(founder, 'note', { text: 'b' });
});

test('a pattern that makes others’ engines stall is judged in a moment', async () => {
  await defineEntity(org, definition('trap', [{ name: 'text', validate: true, pattern: '^(a+)+$' }]));
  const reply = await act(founder, 'POST', '/create/trap', { body: { text: `${'a'.repeat(5000)}!` } });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/text']);
});

const refusedFields: readonly (readonly [field: FieldDefinition, place: string])[] = [
  [{ name: 'x', colType: 'file' }, 'colType not_supported'],
  [{ name: 'x', colType: 'array', index: true }, 'index not_indexable'],
  [{ name: 'x', colType: 'encrypted', index: true }, 'index not_indexable'],
  [{ name: 'x', colType: 'encrypted', search: true }, 'search not_searchable'],
  [{ name: 'x', colType: 'encrypted', default: 'a' }, 'default hint_without_meaning'],
  [{ name: 'x', colType: 'array', items: { colType: 'array' } }, 'items/colType unknown_type'],
  [{ name: 'x', pattern: '(?=a)' }, ' invalid_hints'],
  [{ name: 'x', colType: 'formula', formula: '{nothing}' }, 'formula unknown_token'],
  [{ name: 'x', lookup: { entity: 'useraclpolicy' } }, 'lookup/entity invalid_name'],
  [{ name: 'x', validate: true, lookup: { entity: 'event', onDelete: 'setnull' } }, 'lookup/onDelete contradiction'],
];

for (const [field, place] of refusedFields)
  test(`the field ${JSON.stringify(field)} is refused, and no entity is made`, async () => {
    const reply = await manage(org, 'POST', '/api/create-broken', { body: definition('broken', [field]) });
    const { errors = [] } = assertProblem(reply, 'validation_failed');
    const [path, code] = place.split(' ');
    assert.deepEqual(
      errors.map((error) => [error.pointer, error.code]),
      [[`/UpdateParams/0${path === '' ? '' : `/${path}`}`, code]],
    );
    assertProblem(await manage(org, 'GET', '/api/entity?entityName=broken'), 'not_found');
  });

test('the keys of a JSON value are kept in their order, but whole numbers come first', async () => {
  await defineEntity(org, definition('sheet', [{ name: 'cells', colType: 'json' }]));
  const cells = JSON.parse('{"b":1,"10":2,"a":3,"2":{"z":1,"1":2}}');
  const { id } = await create(founder, 'sheet', { cells });
  const { text } = await act(founder, 'GET', `/item/sheet/${id}`);
  assert.ok(text.includes('"cells":{"2":{"1":2,"z":1},"10":2,"b":1,"a":3}'), text);
});
