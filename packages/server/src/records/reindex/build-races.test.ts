/** Indexes are built while records are written, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { listAll, openBench, type RecordBench, verifyParts, withoutOthers } from '../../testing/record-bench.ts';
import { everyInterleaving, type Interleaving } from '../testing/interleaving.ts';
import { verifyStore } from '../verify-store.ts';
import { maintainEntity } from './maintain-entity.ts';

const indexed = {
  UpdateParams: [
    { name: 'a', index: true },
    { name: 'text', search: true },
  ],
  UniqueIndexes: [{ indexName: 'one', fields: ['text'] }],
  aggregates: [{ name: 'by_a', group: ['a'], measures: ['count'] }],
};
const plain = { UpdateParams: [{ name: 'a' }, { name: 'text' }] };

/** Whether the writer knows the definition with the indexes, or the one before it. */
const writers = ['fresh', 'stale'] as const;
/** Whether the indexes come, or go. */
const changes = {
  'are built': { before: plain, after: indexed },
  'are given up': { before: indexed, after: { ...plain, UniqueIndexes: null, aggregates: null } },
};

for (const kind of raceKinds)
  for (const writer of writers)
    for (const [what, change] of Object.entries(changes))
      test(`while indexes ${what} a ${writer} writer leaves no record without its entries, and no entry without its record (${kind})`, async (context) => {
        const bench = await openBench(context, kind);
        await bench.found(bench.workspace);
        let entities = 0;
        await everyInterleaving('edges', (interleaving) =>
          meet(bench, { interleaving, writer, change, entityName: `order${++entities}` }),
        );
        assert.ok(entities > 20, 'both took their calls');
        bench.clock.advance(10_000);
        await bench.workOff();
        assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
      });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly writer: (typeof writers)[number];
  readonly change: (typeof changes)[keyof typeof changes];
  readonly entityName: string;
}

async function meet(bench: RecordBench, { interleaving, writer, change, entityName }: Meeting): Promise<void> {
  const node = bench.node();
  await node.admin.define('acme', { entityName, ...change.before });
  const first = await node.call(entityName);
  const made = [0, 1, 2].map((index) => node.runtime.create(first, { a: 'x', text: `word${index}` }));
  const [moved = '', gone = ''] = (await Promise.all(made)).map(({ data }) => data.id);
  const body = await withoutOthers(node.admin, entityName, change.after);
  await node.admin.change('acme', { api: `create-${entityName}`, body, force: true });
  // What is given up is taken away by a second look, two seconds later.
  if (change === changes['are given up']) await maintain(bench, entityName);
  bench.clock.advance(6000);
  const known = writer === 'stale' ? first : await bench.node().call(entityName);
  const [own, other] = interleaving.stores(bench.opened.store);
  const { runtime } = bench.node(other);
  const call = { ...known, workspace: { ...known.workspace, scope: other.scope(known.workspace.scope.name) } };
  await interleaving.run(
    () => maintain(bench, entityName, own),
    async () => {
      await runtime.update(call, { id: moved, body: { a: 'y', text: 'moved' } });
      await runtime.remove(call, { id: gone });
      await runtime.create(call, { a: 'y', text: 'word1' });
    },
  );
  await node.configs.refresh('acme');
  const { indexes } = await node.admin.show('acme', entityName);
  const [ready, none] = [new Set(['ready']), new Set<string>()];
  const states = new Set(indexes.filter(({ name }) => name !== 'updated_at').map(({ state }) => state));
  assert.deepEqual(states, change.after === indexed ? ready : none, interleaving.name);
  const found = await listAll(node, await node.call(entityName), { a: 'y' });
  assert.deepEqual(found.map(({ text }) => text).sort(), ['moved', 'word1'], interleaving.name);
}

function maintain(bench: RecordBench, entityName: string, store = bench.opened.store): Promise<unknown> {
  const parts = { store, configs: bench.node(store).configs, clock: bench.clock, recordsPerStep: 2 };
  return maintainEntity.run(parts, { orgCode: 'acme', entityName, version: 0 }, async () => undefined);
}
