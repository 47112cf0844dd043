/** Changes of definitions that destroyed or uncovered data elsewhere. Each test has the id of its attack. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Item, Store } from '../../store/port.ts';
import { Crash, crashing } from '../../store/testing/failing-store.ts';
import { openForTest, type StoreKind, storeKinds } from '../../store/testing/open-test-store.ts';
import { isQuick } from '../../store/testing/quick.ts';
import { derived, listAll, type Node, outcomeOf, RecordBench, SteppedClock } from '../../testing/record-bench.ts';

async function benchOn(context: TestContext, kind: StoreKind): Promise<RecordBench> {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openForTest(context, kind, clock), clock);
  await bench.found(bench.workspace);
  return bench;
}

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', search: true },
    { name: 'amount', colType: 'number' },
    { name: 'secret', colType: 'encrypted' },
  ],
};

async function fill(node: Node, count: number): Promise<void> {
  const call = await node.call('order');
  const body = (n: number) => ({ title: `t${n} word`, secret: `s${n}`, ...(n % 3 === 0 ? {} : { amount: n }) });
  for (let made = 0; made < count; made += 250)
    await Promise.all(
      Array.from({ length: Math.min(250, count - made) }, (_, n) => node.runtime.create(call, body(made + n))),
    );
}

/** Records and their sealed values, with their versions; nothing of it follows from the rest. */
async function recordsHash(bench: RecordBench): Promise<string> {
  const contents = await bench.contents();
  const inPartition = (end: string): readonly Item[] => contents.filter(({ pk }) => pk.endsWith(end));
  const [plain, sealed] = [inPartition(';data#order'), inPartition('sealed#order')];
  assert.ok(plain.length > 0 && sealed.length === plain.length);
  const records = [...plain, ...sealed];
  return hash('sha256', JSON.stringify(records.map(({ pk, sk, value, version }) => [pk, sk, value, version])));
}

/** Fields, indexes and views that come, and nothing that goes, is held to more or fills records. */
const additions: readonly object[] = [
  { UpdateParams: [{ name: 'ref', colType: 'guid', lookup: { entity: 'order', onDelete: 'cascade' } }] },
  {
    UpdateParams: [
      { name: 'code', default: 'new', index: true },
      { name: 'title', index: true },
    ],
  },
  {
    UpdateParams: [
      { name: 'pin', colType: 'encrypted' },
      { name: 'number', colType: 'autoincrement' },
    ],
  },
  { UpdateParams: [{ name: 'label', index: true, search: true }] },
  { UpdateParams: [{ name: 'list', colType: 'array' }], UniqueIndexes: [{ indexName: 'one', fields: ['amount'] }] },
  {
    UpdateParams: [{ name: 'amount', index: true, description: 'EUR' }],
    Views: { s: { fields: [{ name: 'title' }] } },
  },
];

async function change(bench: RecordBench, store: Store, body: object): Promise<void> {
  await bench.node(store).admin.change('acme', { api: 'create-order', body });
}

/** Does all work that is due, and what follows from it once no list reads a dropped index. */
async function settle(bench: RecordBench, store?: Store): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await bench.workOff(store);
    bench.clock.advance(6500);
  }
}

for (const kind of storeKinds) {
  test(`P13 additions to a definition leave each record as it is, wherever they and their builds die (${kind})`, async (context) => {
    const bench = await benchOn(context, kind);
    const node = bench.node();
    await node.admin.define('acme', order);
    await fill(node, 6);
    const before = await recordsHash(bench);
    const { store } = bench.opened;
    let deaths = 0;
    for (const [at, addition] of additions.entries())
      for (const step of [(on: Store) => change(bench, on, addition), (on: Store) => settle(bench, on)])
        for (let calls = at % 2; ; calls += 1) {
          const outcome = await outcomeOf(step(crashing(store, calls, at % 2 === 0 ? 'before' : 'after')));
          assert.equal(await recordsHash(bench), before);
          if (outcome === 'done') break;
          assert.equal(outcome, String(new Crash()));
          deaths += 1;
        }
    await settle(bench);
    assert.ok(deaths > 60, `it died ${deaths} times`);
    assert.equal(await recordsHash(bench), before);
    const { actual, expected } = await derived(bench, await bench.node().call('order'));
    assert.deepEqual(actual, expected);
  });

  test(`P13 additions to a definition leave each of many records as it is (${kind})`, async (context) => {
    const bench = await benchOn(context, kind);
    const node = bench.node();
    await node.admin.define('acme', order);
    // Of no more than 10,000 is it known whether they meet a new check.
    await fill(node, isQuick ? 500 : 9000);
    const before = await recordsHash(bench);
    for (const addition of additions.slice(1, 4)) await change(bench, bench.opened.store, addition);
    assert.equal(await recordsHash(bench), before);
    await outcomeOf(settle(bench, crashing(bench.opened.store, 40, 'after')));
    await settle(bench);
    assert.equal(await recordsHash(bench), before);
    const { indexes } = await bench.node().admin.show('acme', 'order');
    assert.deepEqual(new Set(indexes.map(({ state }) => state)), new Set(['ready']));
  });

  test(`P13 another type is tried on each value first, and old values stay once it is forced (${kind})`, async (context) => {
    const bench = await benchOn(context, kind);
    const node = bench.node();
    await node.admin.define('acme', order);
    await fill(node, 6);
    const before = await recordsHash(bench);
    const body = { UpdateParams: [{ name: 'title', colType: 'number', search: null }] };
    const planned = await node.admin.preview('acme', { api: 'create-order', body });
    const [step] = planned.plan;
    assert.deepEqual([planned.would_fail, step?.change, step?.records], [true, 'field_changed', 6]);
    assert.equal(await outcomeOf(change(bench, bench.opened.store, body)), 'conflict');
    await node.admin.change('acme', { api: 'create-order', body, force: true });
    await settle(bench);
    assert.equal(await recordsHash(bench), before);
    const again = bench.node();
    const titles = (await listAll(again, await again.call('order'))).map(({ title }) => title);
    assert.deepEqual(
      titles.toSorted(),
      Array.from({ length: 6 }, (_, n) => `t${n} word`),
    );
  });

  test(`P07 values of a removed field do not come back with a field of its name (${kind})`, async (context) => {
    const bench = await benchOn(context, kind);
    const node = bench.node();
    const key = { name: 'key', index: true, search: true };
    await node.admin.define('acme', {
      ...order,
      UpdateParams: [...order.UpdateParams, key],
      UniqueIndexes: [{ indexName: 'one', fields: ['key'] }],
    });
    const { data } = await node.runtime.create(await node.call('order'), { title: 'a', key: 'quartz' });
    const removal = { removeFields: ['key'], UniqueIndexes: null };
    assert.equal(await outcomeOf(node.admin.change('acme', { api: 'create-order', body: removal })), 'conflict');
    for (const colType of ['string', 'number', 'encrypted', 'json', 'formula']) {
      const { warnings } = await node.admin.change('acme', { api: 'create-order', body: removal, force: true });
      assert.match(warnings?.join() ?? '', /`key`: policies that name it stay, and apply to a later field/);
      const field = { name: 'key', colType, ...(colType === 'formula' ? { formula: '<{title}>' } : {}) };
      const add = { api: 'create-order', body: { UpdateParams: [field] } };
      assert.equal(await outcomeOf(node.admin.change('acme', add)), 'conflict', 'its values are being erased');
      for (let round = 0; round < 3; round++) await settle(bench);
      await node.admin.change('acme', add);
      await settle(bench);
      assert.doesNotMatch(JSON.stringify(await bench.contents()), /quartz/);
      const call = await bench.node().call('order');
      assert.deepEqual(
        (await listAll(node, call)).map(({ id, key }) => [id, key]),
        // A formula is made of what the record has now.
        [[data.id, colType === 'formula' ? '<b>' : undefined]],
      );
      assert.deepEqual(await listAll(node, call, { q: 'quartz' }), []);
      await node.runtime.update(call, { id: data.id, body: { title: 'b' } });
      assert.doesNotMatch(JSON.stringify(await bench.contents()), /quartz/);
      const { actual, expected } = await derived(bench, call);
      assert.deepEqual(actual, expected);
    }
  });
}
