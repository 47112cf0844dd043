import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Crash, crashing } from '../../store/testing/failing-store.ts';
import { type StoreKind, storeKinds } from '../../store/testing/open-test-store.ts';
import { listAll, type Node, openBench, type RecordBench, verifyParts } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { verifyStore } from '../verify-store.ts';
import { maintainEntity } from './maintain-entity.ts';

const work = { orgCode: 'acme', entityName: 'order', version: 0 };
const plain = [{ name: 'title' }, { name: 'n', colType: 'integer' }];

async function started(context: TestContext, kind: StoreKind = 'memory') {
  const bench = await openBench(context, kind);
  const workspaces = [bench.workspace, bench.workspaceOf('second')];
  for (const workspace of workspaces) await bench.found(workspace);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: plain });
  return { bench, node, workspaces };
}

async function make(node: Node, body: object, workspace?: RecordBench['workspace']): Promise<string> {
  const call = await node.call('order', workspace === undefined ? {} : { workspace });
  return (await node.runtime.create(call, body)).data.id;
}

async function read(node: Node, id: string): Promise<RecordData> {
  const found = (await listAll(node, await node.call('order'))).find((record) => record.id === id);
  if (found === undefined) throw new Error('there is no such record');
  return found;
}

async function change({ admin }: Node, fields: readonly object[], others: object = {}) {
  return admin.change('acme', { api: 'create-order', body: { UpdateParams: fields, ...others } });
}

async function maintain(bench: RecordBench, node: Node, store = bench.opened.store, recordsPerStep = 3): Promise<void> {
  const parts = { store, configs: bench.node(store).configs, clock: bench.clock, recordsPerStep };
  await maintainEntity.run(parts, work, async () => undefined);
  await node.configs.refresh('acme');
}

const status = { name: 'status', validate: true, default: 'open', index: true };
const twice = { name: 'twice', colType: 'integer', backfill: 'n * 2', index: true };
const next = { name: 'next', colType: 'formula', formula: { cel: 'n + 1', type: 'integer' }, index: true };

for (const kind of storeKinds)
  test(`values, formulas and their indexes reach the records of all workspaces, and their stamps stay (${kind})`, async (context) => {
    const { bench, node, workspaces } = await started(context, kind);
    for (const workspace of workspaces) for (let n = 0; n < 7; n++) await make(node, { title: `t${n}`, n }, workspace);
    const before = await listAll(node, await node.call('order'));
    bench.clock.advance(60_000);
    const { fills } = await change(node, [status, twice, next]);
    assert.deepEqual(
      fills,
      ['status', 'twice', 'next'].map((field) => ({ field, state: 'filling', done: 0, total: 14 })),
    );
    await maintain(bench, node);
    const shown = await node.admin.show('acme', 'order');
    assert.equal(shown.fills, undefined);
    assert.ok(shown.indexes.every(({ state }) => state === 'ready'));
    for (const workspace of workspaces) {
      const call = await node.call('order', { workspace });
      const records = await listAll(node, call, { sortby: 'twice', status: 'open' });
      assert.deepEqual(
        records.map(({ n, twice, next, status }) => [n, twice, next, status]),
        [0, 1, 2, 3, 4, 5, 6].map((n) => [n, 2 * n, n + 1, 'open']),
      );
      assert.deepEqual(
        (await listAll(node, call, { next: '4' })).map(({ n }) => n),
        [3],
      );
    }
    const after = await listAll(node, await node.call('order'));
    assert.deepEqual(
      after.map(({ id, updated_at, updated_by }) => [id, updated_at, updated_by]),
      before.map(({ id, updated_at, updated_by }) => [id, updated_at, updated_by]),
    );
    assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  });

test('a record that has a value keeps it, and one that is written meanwhile is filled by its writer', async (context) => {
  const { bench, node } = await started(context);
  await node.admin.change('acme', { api: 'create-order', body: { UpdateParams: [{ name: 'status' }] } });
  const kept = await make(node, { n: 1, status: 'closed' });
  const written = await make(node, { n: 2 });
  await change(node, [status, twice]);
  const call = await node.call('order');
  const { data } = await node.runtime.update(call, { id: written, body: { title: 'x' } });
  assert.deepEqual([data.status, data.twice], ['open', 4]);
  const made = await node.runtime.create(call, { n: 5 });
  assert.deepEqual([made.data.status, made.data.twice], ['open', 10]);
  await maintain(bench, node);
  const after = await read(node, kept);
  assert.deepEqual([after.status, after.twice], ['closed', 2]);
  const late = await node.runtime.create(await node.call('order'), { n: 6 });
  assert.equal(late.data.twice, undefined, 'a backfill is for the records that stood');
});

test('records without a value to be had are counted and shown, and the next change tries again', async (context) => {
  const { bench, node } = await started(context);
  const without: string[] = [];
  for (let index = 0; index < 30; index++) without.push(await make(node, { title: 'none' }));
  await make(node, { n: 4 });
  const big = await make(node, { n: 400 });
  const bounded = { ...twice, validate: true, max: 100 };
  await change(node, [bounded]);
  await maintain(bench, node, bench.opened.store, 7);
  const { fills } = await node.admin.show('acme', 'order');
  const examples = [...without]
    .sort()
    .slice(0, 20)
    .map((id) => ({ tenant_code: 'main', id }));
  assert.deepEqual(fills, [{ field: 'twice', state: 'failed', failed: { records: 31, examples } }]);
  const call = await node.call('order');
  const { data } = await node.runtime.update(call, { id: big, body: { title: 'still written' } });
  assert.equal(data.twice, undefined);
  await change(node, [{ ...bounded, backfill: 'has(n) && n < 50 ? n * 2 : 7' }]);
  await maintain(bench, node);
  assert.equal((await node.admin.show('acme', 'order')).fills, undefined);
  const values = (await listAll(node, await node.call('order'))).map(({ twice: value }) => value);
  assert.deepEqual(new Set(values), new Set([7, 8]));
});

test('of records that would have one unique value the first gets it, and none of the others is refused a write', async (context) => {
  const { bench, node } = await started(context);
  const ids: string[] = [];
  for (const title of ['Red', 'red', 'Blue']) ids.push(await make(node, { title, n: 1 }));
  const slug = { name: 'slug', backfill: 'title.lowerAscii()' };
  const UniqueIndexes = [{ indexName: 'slug', fields: ['slug'] }];
  await change(node, [slug, twice], { UniqueIndexes });
  const call = await node.call('order');
  const written = await node.runtime.update(call, { id: ids[1] ?? '', body: { n: 2 } });
  assert.deepEqual([written.data.slug, written.data.twice], [undefined, 4]);
  await maintain(bench, node);
  const { fills, indexes } = await node.admin.show('acme', 'order');
  assert.deepEqual(
    fills?.map(({ field, failed }) => [field, failed?.examples]),
    [['slug', [{ tenant_code: 'main', id: ids[1] }]]],
  );
  assert.ok(indexes.every(({ state }) => state === 'ready'));
  const records = await listAll(node, await node.call('order'));
  assert.deepEqual(
    records.map(({ slug: value, twice: other }) => [value, other]),
    [
      ['blue', 2],
      [undefined, 4],
      ['red', 2],
    ],
  );
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
});

test('what would break a check or the room of a record is not filled in, and its writes go on', async (context) => {
  const { bench, node } = await started(context);
  const id = await make(node, { n: 3 });
  const fits = await make(node, { n: -3 });
  const checks = [{ cel: 'twice < 5', message: 'twice is below 5' }];
  await change(node, [twice], { checks });
  const call = await node.call('order');
  assert.equal((await node.runtime.update(call, { id, body: { title: 'x' } })).data.twice, undefined);
  await maintain(bench, node);
  assert.equal((await read(node, fits)).twice, -6);
  const { fills } = await node.admin.show('acme', 'order');
  assert.deepEqual(
    fills?.map(({ field, failed }) => [field, failed?.examples.map((one) => one.id)]),
    [['twice', [id]]],
  );
});

test('a write goes through so many characters for the fields that it fills, and no more', async (context) => {
  const { bench, node } = await started(context);
  const title = 'x'.repeat(70_000);
  const id = await make(node, { title });
  const lengths = ['first', 'second'].map((name) => ({
    name,
    colType: 'integer',
    backfill: Array.from({ length: 10 }, () => 'size(title)').join(' + '),
  }));
  await change(node, lengths);
  const { data } = await node.runtime.update(await node.call('order'), { id, body: { n: 1 } });
  assert.deepEqual([data.first, data.second], [700_000, undefined]);
  await maintain(bench, node);
  assert.equal((await node.admin.show('acme', 'order')).fills, undefined, 'a later write has room for the second');
  assert.equal((await read(node, id)).second, 700_000);
});

for (const kind of storeKinds)
  for (const when of ['before', 'after'] as const)
    test(`a fill that dies ${when} any of its calls is brought to its end by the next process (${kind})`, async (context) => {
      const { bench, node } = await started(context, kind);
      for (let n = 0; n < 5; n++) await make(node, n === 2 ? { title: 'none' } : { n });
      let round = 0;
      for (let calls = 0, isDead = true; isDead; calls += kind === 'memory' ? 1 : 3, round++) {
        const value = `v${round}`;
        const formula = { ...next, formula: { cel: `n + ${round}`, type: 'integer' } };
        await change(node, [{ name: value, colType: 'integer', backfill: `n * ${round + 3}` }, formula]);
        isDead = await maintain(bench, node, crashing(bench.opened.store, calls, when)).then(
          () => false,
          (error: unknown) => error instanceof Crash || Promise.reject(error),
        );
        bench.clock.advance(6000);
        await maintain(bench, bench.node());
        await node.configs.refresh('acme');
        for (const record of await listAll(node, await node.call('order')))
          assert.deepEqual(
            [record[value], record.next],
            record.n === undefined
              ? [undefined, undefined]
              : [Number(record.n) * (round + 3), Number(record.n) + round],
          );
        const { fills, indexes } = await node.admin.show('acme', 'order');
        assert.equal(fills?.find(({ field }) => field === value)?.failed?.records, 1);
        assert.ok(indexes.every(({ state }) => state === 'ready'));
      }
      assert.ok(round > 5);
      assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
    });
