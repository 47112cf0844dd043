/** The fate of production's records, and of values kept of them, while releases come and go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { Interleaving } from '../records/testing/interleaving.ts';
import { listAll, type Node, outcomeOf, verifyBench } from '../testing/record-bench.ts';
import type { DeployCheck } from './config-kind.ts';
import { command, org, TwoSpaces } from './testing/proof/two-spaces.ts';

const plain = { UpdateParams: [{ name: 'a' }, { name: 'text' }], UniqueIndexes: [], aggregates: [] };
const indexed = {
  UpdateParams: [
    { name: 'a', index: true },
    { name: 'text', search: true },
  ],
  UniqueIndexes: [{ indexName: 'one', fields: ['text'] }],
  aggregates: [{ name: 'by_a', group: ['a'], measures: ['count'] }],
};

function line(onDelete: string) {
  return { UpdateParams: [{ name: 'ref', colType: 'guid', lookup: { entity: 'order', onDelete } }] };
}

/** Makes test what is said, and production the same. */
async function release(spaces: TwoSpaces, entities: Readonly<Record<string, object | undefined>>): Promise<void> {
  for (const [name, members] of Object.entries(entities)) await spaces.editEntity(name, members);
  const { promotion } = spaces.node();
  await promotion.publish(command, { all: true }, { showsRecords: true });
  await promotion.activate(command, {});
}

async function goTo(spaces: TwoSpaces, version: number): Promise<void> {
  await spaces.node().promotion.rollback(command, { version });
}

/** All jobs are done, and what is dropped is erased. */
async function settle({ clock, bench }: TwoSpaces): Promise<void> {
  for (let round = 0; round < 3; round++) {
    clock.advance(6500);
    await bench.prod.workOff();
  }
}

async function assertClean(spaces: TwoSpaces, what: string): Promise<void> {
  const { drift, dangling } = await verifyBench(spaces.bench.prod);
  assert.deepEqual({ drift, dangling }, { drift: [], dangling: [] }, what);
}

async function founded(): Promise<TwoSpaces> {
  const spaces = await TwoSpaces.inMemory();
  await spaces.bench.prod.found(spaces.bench.prod.workspace);
  return spaces;
}

async function create(node: Node, entity: string, body: object): Promise<string> {
  return (await node.runtime.create(await node.call(entity), body)).data.id;
}

/** The rows of production's aggregate. */
async function countsOf({ bench }: TwoSpaces): Promise<readonly string[]> {
  const { entity, workspace } = await bench.prod.node().call('order');
  const [aggregate] = entity.aggregates;
  assert.equal(aggregate?.isReady, true);
  const rows = await workspace.scope.range(aggregate?.pk ?? '', { limit: 10 });
  return rows.map(({ value }) => {
    const { label, figures } = JSON.parse(value) as { readonly label: string; readonly figures: readonly string[] };
    return `${label} ${figures.join()}`;
  });
}

async function idsOf(node: Node, entity: string, query: Readonly<Record<string, string>> = {}) {
  return (await listAll(node, await node.call(entity), query)).map(({ id }) => id).toSorted();
}

test('an index and an aggregate come with a release, go with a rollback while they are built, and come again; a writer who knows none of it leaves records right', async () => {
  const spaces = await founded();
  const { prod } = spaces.bench;
  await release(spaces, { order: plain });
  const stale = prod.node();
  const ids = [];
  for (const text of ['red', 'green', 'blue']) ids.push(await create(stale, 'order', { a: 'x', text }));
  await release(spaces, { order: indexed });
  await assertClean(spaces, 'before anything is built');
  ids.push(await create(stale, 'order', { a: 'x', text: 'white' }));
  await goTo(spaces, 1);
  ids.push(await create(stale, 'order', { a: 'x', text: 'black' }));
  await assertClean(spaces, 'gone back while it is built');
  await goTo(spaces, 2);
  ids.push(await create(stale, 'order', { a: 'x', text: 'gray' }));
  await settle(spaces);
  await assertClean(spaces, 'built');
  assert.deepEqual(await countsOf(spaces), ['["x"] 6']);
  assert.deepEqual(await idsOf(prod.node(), 'order', { a: 'x' }), ids.toSorted());
  assert.equal((await idsOf(prod.node(), 'order', { q: 'gray' })).length, 1);
  assert.equal(await outcomeOf(create(prod.node(), 'order', { text: 'black' })), 'unique_violation');
  await goTo(spaces, 1);
  await settle(spaces);
  await assertClean(spaces, 'gone back, and erased');
});

test('an index that is dropped is kept for who still reads by it, also where its entity goes and comes back meanwhile', async () => {
  const spaces = await founded();
  const { prod } = spaces.bench;
  await release(spaces, { order: indexed });
  const stale = prod.node();
  const id = await create(stale, 'order', { a: 'x', text: 'red' });
  await release(spaces, { order: plain });
  await release(spaces, { order: undefined });
  await goTo(spaces, 2);
  await prod.workOff();
  assert.deepEqual(await idsOf(stale, 'order', { a: 'x' }), [id]);
  await settle(spaces);
  await assertClean(spaces, 'erased');
});

test('records of an entity that a release takes away stay, are right and come back with a rollback, and go for good where that is asked for', async () => {
  const spaces = await founded();
  const { prod } = spaces.bench;
  const { promotion } = spaces.node();
  await release(spaces, { order: indexed, line: line('restrict') });
  const stale = prod.node();
  const order = await create(stale, 'order', { a: 'x', text: 'red' });
  const held = await create(stale, 'line', { ref: order });
  await release(spaces, { line: undefined });
  await settle(spaces);
  await assertClean(spaces, 'without lines');
  assert.deepEqual(
    (await promotion.retired(org, 'entity')).map(({ name, records }) => [name, records]),
    [['line', 1]],
  );
  await goTo(spaces, 1);
  await settle(spaces);
  await assertClean(spaces, 'with lines');
  assert.deepEqual(await idsOf(prod.node(), 'line', { ref: order }), [held]);
  await goTo(spaces, 2);
  await promotion.removeRetired(command, { kind: 'entity', name: 'line' });
  await settle(spaces);
  await assertClean(spaces, 'with lines removed');
  await goTo(spaces, 1);
  assert.deepEqual(await idsOf(prod.node(), 'line'), []);
  assert.deepEqual(await idsOf(prod.node(), 'order'), [order]);
  await create(prod.node(), 'line', { ref: order });
  await settle(spaces);
  await assertClean(spaces, 'with new lines');
});

for (const [what, other] of Object.entries({ 'comes back': undefined, 'is held otherwise': line('setnull') }))
  test(`who knows late that a reference ${what} removes nothing that is held`, async () => {
    const spaces = await founded();
    const { prod } = spaces.bench;
    await release(spaces, { order: plain, line: line('restrict') });
    const order = await create(prod.node(), 'order', {});
    await create(prod.node(), 'line', { ref: order });
    await release(spaces, { line: other });
    const stale = prod.node();
    await create(stale, 'order', {});
    await goTo(spaces, 1);
    await prod.workOff();
    const removal = stale.runtime.remove(await stale.call('order'), { id: order });
    assert.equal(await outcomeOf(removal), 'dangling_reference');
    await assertClean(spaces, 'with what is held');
  });

const withMore = {
  UpdateParams: [
    { name: 'a', index: true },
    { name: 'text' },
    { name: 'severity', index: true, search: true },
    { name: 'secret', colType: 'encrypted' },
    { name: 'number', colType: 'autoincrement' },
    { name: 'label', colType: 'formula', formula: '{text}!' },
    { name: 'ref', colType: 'guid', lookup: { entity: 'customer', onDelete: 'restrict' } },
  ],
  UniqueIndexes: [{ indexName: 'one', fields: ['severity'] }],
};

/** Production at release 2 with a record that has all of it, and a node that has seen no other release. */
async function withValues() {
  const spaces = await founded();
  const { prod } = spaces.bench;
  const customer = { UpdateParams: [{ name: 'name' }] };
  await release(spaces, { customer, order: { ...plain, UpdateParams: [...plain.UpdateParams] } });
  await release(spaces, { order: withMore });
  await settle(spaces);
  const node = prod.node();
  const ref = await create(node, 'customer', { name: 'who' });
  const body = { a: 'x', text: 'red', severity: 'high', secret: 'hush', ref };
  const id = await create(node, 'order', body);
  return { spaces, node, id, ref };
}

/** The sealed values that lie beside the record, by field. */
async function sealedOf({ bench: { prod } }: TwoSpaces, id: string): Promise<readonly string[]> {
  const found = (await prod.contents()).find(({ pk, sk }) => pk === 'sealed#order' && sk === id);
  return Object.keys(JSON.parse(found?.value ?? '{}'));
}

test('what a record has of a field that a release does not know stays through every write of it, unseen, and comes back with the field', async () => {
  const { spaces, id, ref } = await withValues();
  const { prod } = spaces.bench;
  await goTo(spaces, 1);
  const old = prod.node();
  const written = await old.runtime.update(await old.call('order'), { id, body: { a: 'y', text: 'blue' } });
  assert.equal(written.data.severity, 'high');
  const { views, hidden } = (await old.call('order')).entity;
  assert.notEqual(views.of('list', 'default'), 'stored');
  assert.deepEqual(hidden.toSorted(), ['label', 'number', 'ref', 'severity']);
  for (const query of [{ severity: 'high' }, { sortby: 'severity' }])
    assert.notEqual(await outcomeOf(idsOf(old, 'order', query)), 'done', JSON.stringify(query));
  await settle(spaces);
  await assertClean(spaces, 'written without the fields');
  await goTo(spaces, 2);
  await settle(spaces);
  await assertClean(spaces, 'with the fields again');
  const node = prod.node();
  const [back] = await listAll(node, await node.call('order'));
  assert.deepEqual(
    { severity: back?.severity, number: back?.number, ref: back?.ref, a: back?.a },
    { severity: 'high', number: 1, ref, a: 'y' },
  );
  assert.equal(back?.label, 'blue!', 'what is made of other fields is made again, not kept as it was');
  assert.deepEqual(await sealedOf(spaces, id), ['secret']);
  for (const query of [{ severity: 'high' }, { q: 'high' }, { ref }])
    assert.deepEqual(await idsOf(node, 'order', query), [id], JSON.stringify(query));
  assert.equal(await outcomeOf(create(node, 'order', { severity: 'high' })), 'unique_violation');
  const removal = node.runtime.remove(await node.call('customer'), { id: ref });
  assert.equal(await outcomeOf(removal), 'dangling_reference');
});

test('a release without a field tells how many records have values of it, and one with another type for it is held to them', async () => {
  const { spaces } = await withValues();
  const { promotion } = spaces.node();
  await spaces.editEntity('order', plain);
  await promotion.publish(command, { all: true }, { showsRecords: true });
  const { checks } = await promotion.activate(command, {});
  const warnings = checks.find(({ hides }) => hides !== undefined);
  assert.deepEqual(
    [warnings?.level, warnings?.hides, warnings?.checked, warnings?.complete],
    ['warning', ['severity', 'secret', 'number', 'ref'].map((name) => ({ name, records: 1 })), 1, true],
  );
  await settle(spaces);
  await spaces.editEntity('order', {
    ...plain,
    UpdateParams: [...plain.UpdateParams, { name: 'severity', colType: 'integer' }],
  });
  await promotion.publish(command, { all: true }, { showsRecords: true });
  assert.equal(await outcomeOf(promotion.activate(command, {})), 'conflict');
});

for (const to of [{ colType: 'encrypted' }, { colType: 'formula', formula: '<{a}>' }])
  test(`a release that makes values of a field ${to.colType} is refused with how many records lose one, until it is forced`, async () => {
    const { spaces, id } = await withValues();
    const { prod } = spaces.bench;
    const { promotion } = spaces.node();
    const UpdateParams = withMore.UpdateParams.map((field) =>
      field.name === 'text' ? { name: 'text', ...to } : field,
    );
    const others = { UpdateParams: UpdateParams.filter(({ name }) => name !== 'label') };
    await spaces.editEntity('order', { ...withMore, ...others });
    await promotion.publish(command, { all: true }, { showsRecords: true });
    const stored = async () => (await prod.contents()).find(({ sk }) => sk.endsWith(id))?.value;
    const before = await stored();
    await assert.rejects(promotion.activate(command, {}), (problem: unknown) => {
      assert.ok(problem instanceof Problem && problem.code === 'conflict', String(problem));
      const checks = problem.details.checks as readonly DeployCheck[];
      const lost = checks.find(({ would_lose }) => would_lose !== undefined);
      assert.deepEqual([lost?.level, lost?.would_lose], ['error', [{ name: 'text', records: 1 }]]);
      return true;
    });
    assert.equal(await stored(), before);
    const { checks } = await promotion.activate(command, { force: true });
    assert.equal(checks.find(({ would_lose }) => would_lose !== undefined)?.level, 'warning');
  });

test('records are looked at by what production is when something becomes live, not by what it was when that began', async () => {
  const needed = { UpdateParams: [{ name: 'a', validate: true }], UniqueIndexes: [] };
  const free = { UpdateParams: [{ name: 'a' }], UniqueIndexes: [] };
  const outcomes = new Set<string>();
  for (let at = 0, isHeld = true; isHeld; at++) {
    const spaces = await founded();
    await release(spaces, { order: free });
    await release(spaces, { order: needed });
    await spaces.editEntity('order', { ...needed, UpdateParams: [...needed.UpdateParams, { name: 'b' }] });
    const { test: own, prod } = spaces.stores;
    await spaces.node().promotion.publish(command, { all: true }, { showsRecords: true });
    const interleaving = new Interleaving(at, Number.POSITIVE_INFINITY);
    const [activating] = interleaving.stores(prod);
    const { promotion } = spaces.node({ test: own, prod: activating });
    const [outcome] = await interleaving.run(
      () => outcomeOf(promotion.activate(command, {})),
      async () => {
        await goTo(spaces, 1);
        await create(spaces.bench.prod.node(), 'order', {});
      },
    );
    [isHeld] = interleaving.wasHeld;
    const { items } = await spaces.node().promotion.history(org, { pageSize: 1, nexttoken: undefined });
    outcomes.add(`${outcome}, then ${items[0]?.action}`);
  }
  assert.deepEqual([...outcomes].toSorted(), ['conflict, then rollback', 'done, then rollback']);
});
