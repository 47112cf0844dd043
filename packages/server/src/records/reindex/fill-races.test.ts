/** Fields are filled while records are written, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { listAll, openBench, type RecordBench, verifyParts } from '../../testing/record-bench.ts';
import { everyInterleaving, type Interleaving } from '../testing/interleaving.ts';
import { verifyStore } from '../verify-store.ts';
import { maintainEntity } from './maintain-entity.ts';

/** Whether the writer knows the definition with the new fields, or the one before it. */
const writers = ['fresh', 'stale'] as const;
const n = { name: 'n', colType: 'integer', validate: true };
const come = [
  { name: 'status', validate: true, default: 'open', index: true },
  { name: 'twice', colType: 'integer', backfill: 'n * 2' },
  { name: 'next', colType: 'formula', formula: { cel: 'n + 1', type: 'integer' }, index: true },
];

for (const kind of raceKinds)
  for (const writer of writers)
    test(`while fields are filled a ${writer} writer leaves no record without their values (${kind})`, async (context) => {
      const bench = await openBench(context, kind);
      await bench.found(bench.workspace);
      let entities = 0;
      await everyInterleaving('edges', (interleaving) =>
        meet(bench, { interleaving, writer, entityName: `order${++entities}` }),
      );
      assert.ok(entities > 20, 'both took their calls');
      assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
    });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly writer: (typeof writers)[number];
  readonly entityName: string;
}

async function meet(bench: RecordBench, { interleaving, writer, entityName }: Meeting): Promise<void> {
  const node = bench.node();
  await node.admin.define('acme', { entityName, UpdateParams: [n] });
  const first = await node.call(entityName);
  const made = [10, 20, 30].map((value) => node.runtime.create(first, { n: value }));
  const [moved = '', gone = ''] = (await Promise.all(made)).map(({ data }) => data.id);
  await node.admin.change('acme', { api: `create-${entityName}`, body: { UpdateParams: come } });
  const known = writer === 'stale' ? first : await bench.node().call(entityName);
  const [own, other] = interleaving.stores(bench.opened.store);
  const { runtime } = bench.node(other);
  const call = { ...known, workspace: { ...known.workspace, scope: other.scope(known.workspace.scope.name) } };
  await interleaving.run(
    () => maintain(bench, entityName, own),
    async () => {
      await runtime.update(call, { id: moved, body: { n: 11 } });
      await runtime.remove(call, { id: gone });
      await runtime.create(call, { n: 40 });
    },
  );
  await node.configs.refresh('acme');
  const { fills, indexes } = await node.admin.show('acme', entityName);
  assert.equal(fills, undefined, interleaving.name);
  assert.ok(
    indexes.every(({ state }) => state === 'ready'),
    interleaving.name,
  );
  const records = await listAll(node, await node.call(entityName), { sortby: 'next', sortdir: 'asc' });
  assert.deepEqual(
    records.map((record) => [record.n, record.status, record.next]),
    [11, 30, 40].map((value) => [value, 'open', value + 1]),
    interleaving.name,
  );
  for (const record of records) {
    // A backfill is made once, of the values that the record has then; what is made later has none.
    const allowed = record.n === 11 ? [20, 22] : record.n === 40 ? [80, undefined] : [60];
    assert.ok(allowed.includes(record.twice as number | undefined), `${interleaving.name}: ${JSON.stringify(record)}`);
  }
}

function maintain(bench: RecordBench, entityName: string, store = bench.opened.store): Promise<unknown> {
  const parts = { store, configs: bench.node(store).configs, clock: bench.clock, recordsPerStep: 2 };
  return maintainEntity.run(parts, { orgCode: 'acme', entityName, version: 0 }, async () => undefined);
}
