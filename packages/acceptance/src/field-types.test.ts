import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage } from './org.ts';
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
