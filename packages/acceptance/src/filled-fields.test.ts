/** A new field reaches the records that stand: by a default, by an expression over their other fields, or as a formula. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { change, cost, fields, hours, put, settled, status } from './filled-fields.ts';
import { act, create, defineEntity, definition, foundedOrg, list } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, deploy, prodFounder, provisionedOrg, publish, rollback } from './promotion.ts';

const gateways = await platformForTests();

async function entries() {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('entry', fields));
  return { org, founder };
}

test('records get the default of a new required field, the value of a backfill and a formula, and lists are sorted by them', async () => {
  const { org, founder } = await entries();
  const made = [];
  for (const minutes of [90, 30, 60]) made.push(await create(founder, 'entry', { minutes }));
  const { fills } = await change(org, [status, hours, cost]);
  assert.deepEqual(
    fills?.map(({ field, state, total }) => [field, state, total]),
    ['status', 'hours', 'cost'].map((field) => [field, 'filling', 3]),
  );
  assert.deepEqual(await settled(org), []);
  const { items } = await list(founder, 'entry', '?sortby=hours&sortdir=asc&status=open');
  assert.deepEqual(
    items.map((item) => [item.hours, item.cost]),
    [
      [0.5, 60],
      [1, 120],
      [1.5, 180],
    ],
  );
  assert.deepEqual((await list(founder, 'entry', '?cost=120')).items.length, 1);
  const stamps = (records: readonly { id: string; updated_at: string }[]) =>
    new Map(records.map(({ id, updated_at }) => [id, updated_at]));
  assert.deepEqual(stamps(items), stamps(made));
});

test('a changed formula reaches the records that stand', async () => {
  const { org, founder } = await entries();
  await change(org, [cost]);
  await create(founder, 'entry', { minutes: 5 });
  await change(org, [{ ...cost, formula: { cel: 'minutes * 3', type: 'integer' } }]);
  assert.deepEqual(await settled(org), []);
  assert.deepEqual((await list(founder, 'entry', '?cost=15')).items.length, 1);
});

test('a write of a record that lacks a value is not refused for it, and fills it', async () => {
  const { org, founder } = await entries();
  const { id } = await create(founder, 'entry', { minutes: 120 });
  await change(org, [status, hours]);
  const { status: code, body } = await act(founder, 'PUT', `/update/entry/${id}`, { body: { title: 'x' } });
  assert.deepEqual([code, body.status, body.hours], [200, 'open', 2]);
  assert.deepEqual(await settled(org), []);
});

test('records for which a backfill gives no value that fits are counted and named, and stay without one', async () => {
  const { org, founder } = await entries();
  const none = await create(founder, 'entry', {});
  await create(founder, 'entry', { minutes: 6000 });
  await create(founder, 'entry', { minutes: 60 });
  await change(org, [{ ...hours, validate: true, required: true, max: 24 }]);
  const [fill] = await settled(org);
  assert.deepEqual([fill?.state, fill?.failed?.records, fill?.failed?.examples.length], ['failed', 2, 2]);
  assert.ok(fill?.failed?.examples.some((one) => 'id' in one && one.id === none.id));
  const kept = await act(founder, 'PUT', `/update/entry/${none.id}`, { body: { title: 'x' } });
  assert.deepEqual([kept.status, kept.body.hours], [200, undefined]);
  await change(org, [{ name: 'hours', backfill: '1.0' }]);
  assert.deepEqual(await settled(org), []);
});

const refused = [
  ['an unknown field', { ...hours, backfill: 'seconds / 60.0' }, 'invalid_expression'],
  ['a value of another type', { ...hours, backfill: 'title' }, 'invalid_expression'],
  ['the field itself', { ...hours, backfill: 'hours + 1.0' }, 'invalid_expression'],
  ['a field that the platform fills', { ...cost, backfill: '1' }, 'hint_without_meaning'],
  ['an array', { name: 'list', colType: 'array', backfill: 'title' }, 'hint_without_meaning'],
] as const;
for (const [what, field, code] of refused)
  test(`a backfill of ${what} is refused at its place`, async () => {
    const { org } = await entries();
    const problem = assertProblem(await put(org, { UpdateParams: [...fields, field] }), 'validation_failed');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/UpdateParams/2/backfill'], code]);
  });

test('a required field without a default or a backfill is refused as before, and nothing happens', async () => {
  const { org, founder } = await entries();
  await create(founder, 'entry', {});
  const { default: _, ...bare } = status;
  assert.equal(assertProblem(await put(org, { UpdateParams: [bare] }), 'conflict').would_fail, 1);
  assert.deepEqual(await settled(org), []);
});

test('production fills its own records by the release, and keeps what was written under it through a roll back', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('entry', fields));
  await deploy(org);
  const user = await prodFounder(org);
  const previous = await create(user, 'entry', { minutes: 60 });
  await change(org, [status, hours, cost]);
  const { checks } = await publish(org);
  assert.ok(checks.some(({ check, message }) => check === 'records' && message.includes('`hours`')));
  await activate(org);
  assert.deepEqual(await settled(org, 'prod'), []);
  const shown = async (id: string) => (await act(user, 'GET', `/item/entry/${id}`)).body;
  const filled = await shown(previous.id);
  assert.deepEqual([filled.status, filled.hours, filled.cost], ['open', 1, 120]);
  await act(user, 'PUT', `/update/entry/${previous.id}`, { body: { status: 'done', hours: 7 } });
  await rollback(org);
  const back = await act(user, 'PUT', `/update/entry/${previous.id}`, { body: { minutes: 30 } });
  assert.deepEqual([back.body.status, back.body.hours, back.body.cost], [undefined, undefined, undefined]);
  const between = await create(user, 'entry', { minutes: 90 });
  await publish(org);
  await activate(org);
  assert.deepEqual(await settled(org, 'prod'), []);
  const [again, late] = [await shown(previous.id), await shown(between.id)];
  assert.deepEqual([again.status, again.hours, again.cost], ['done', 7, 60]);
  assert.deepEqual([late.status, late.hours, late.cost], ['open', 1.5, 180]);
});
