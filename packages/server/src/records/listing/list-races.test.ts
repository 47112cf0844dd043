/** A list is taken to its end, page by page, while others write, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raceKinds } from '../../store/testing/open-test-store.ts';
import { listAll, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { everyInterleaving, extentOn, type Interleaving } from '../testing/interleaving.ts';

const definition = {
  entityName: 'order',
  UpdateParams: [{ name: 'rank', colType: 'integer', index: true }, { name: 'text', search: true }, { name: 'note' }],
};

/** The queries, and whether the field `rank` orders the answer. */
const queries: readonly (readonly [name: string, parameters: Readonly<Record<string, string>>, isByRank: boolean])[] = [
  ['in the order of creation', {}, false],
  ['sorted by a field that moves', { sortby: 'rank' }, true],
  ['sorted backwards by a field that moves', { sortby: 'rank', sortdir: 'desc' }, true],
  ['filtered, and sorted by a field that moves', { text: 'a', sortby: 'rank' }, true],
  ['within bounds of the field that it is sorted by', { rank: '1', rank_op: 'gte', sortby: 'rank' }, true],
  ['that a search finds, sorted by a field that moves', { q: 'a', sortby: 'rank' }, true],
];

for (const kind of raceKinds)
  for (const [name, parameters, isByRank] of queries)
    test(`C12: the pages of a list ${name} hold each record that stays where it is once (${kind})`, async (context) => {
      const bench = await openBench(context, kind);
      await bench.node().admin.define('acme', definition);
      let workspaces = 0;
      await everyInterleaving(extentOn(kind), (interleaving) =>
        meet(bench, { interleaving, parameters, isByRank, tenantCode: `w${++workspaces}` }),
      );
      assert.ok(workspaces > 20, 'both took their calls');
    });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly parameters: Readonly<Record<string, string>>;
  readonly isByRank: boolean;
  readonly tenantCode: string;
}

async function meet(bench: RecordBench, { interleaving, parameters, isByRank, tenantCode }: Meeting): Promise<void> {
  const auditCaller = { workspace: bench.workspaceOf(tenantCode) };
  const node = bench.node();
  const call = await node.call('order', auditCaller);
  const made: RecordData[] = [];
  for (const rank of [4, 1, 3, 1, 2, 3, 0, 4])
    made.push((await node.runtime.create(call, { rank, text: rank === 2 ? 'b' : 'a' })).data);
  const expected = (await listAll(node, call, parameters)).map(({ id }) => id);
  const [first, second, third, fourth] = made.map(({ id }) => id);
  const [own, other] = interleaving.stores(bench.opened.store);
  const [reading, writing] = [bench.node(own), bench.node(other)];
  const [listed] = await interleaving.run(
    async () => listAll(reading, await reading.call('order', auditCaller), { ...parameters, pagesize: '2' }),
    async () => {
      const { runtime } = writing;
      const writes = await writing.call('order', auditCaller);
      await runtime.update(writes, { id: first ?? '', body: { rank: 1 } });
      await runtime.update(writes, { id: second ?? '', body: { rank: 5 } });
      await runtime.update(writes, { id: third ?? '', body: { note: 'changed where it stands' } });
      await runtime.remove(writes, { id: fourth ?? '' });
      await runtime.create(writes, { rank: 2, text: 'a' });
    },
  );
  const moved = new Set([fourth, ...(isByRank ? [first, second] : [])]);
  const expectedIds = expected.filter((id) => !moved.has(id));
  const ids = listed.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => expectedIds.includes(id)),
    expectedIds,
    interleaving.name,
  );
  // Nothing is shown that never was of the answer.
  for (const { rank, text } of listed)
    assert.ok((parameters.text ?? text) === text && Number(rank) >= Number(parameters.rank ?? 0), interleaving.name);
}
