/** A list by what lookups point to is taken to its end while others write, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { listedAt, type Node, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { type RecordData, recordText } from '../record.ts';
import { everyInterleaving, extentOn, type Interleaving } from '../testing/interleaving.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

const customersMade = 8;
const ticketsMade = 16;

for (const kind of storeKinds)
  test(`the pages of a list that is found by what its lookups point to hold each record that stays of it once (${kind})`, async (context) => {
    const bench = await openBench(context, kind);
    const { admin } = bench.node();
    await admin.define('acme', { entityName: 'customer', UpdateParams: [{ name: 'tier', index: true }] });
    const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
    await admin.define('acme', { entityName: 'ticket', UpdateParams: [lookup] });
    await bench.workOff();
    let workspaces = 0;
    let sought = 0;
    await everyInterleaving(extentOn(kind), async (interleaving) => {
      sought += await meet(bench, interleaving, `w${++workspaces}`);
    });
    assert.ok(workspaces > 20 && sought > workspaces, 'both took their calls');
  });

/** They change the customer, or are removed. */
const moved = new Set([2, 5, 8, 12, 13]);

/** @returns how many pages were read by the indexes. */
async function meet(bench: RecordBench, interleaving: Interleaving, tenantCode: string): Promise<number> {
  const caller = { workspace: bench.workspaceOf(tenantCode) };
  const { runtime, call } = bench.node();
  const customers: RecordData[] = [];
  for (let at = 0; at < customersMade; at++)
    customers.push((await runtime.create(await call('customer', caller), { tier: at < 2 ? 'gold' : 'tin' })).data);
  const tickets: RecordData[] = [];
  // Those of the first two are gold.
  for (let at = 0; at < ticketsMade; at++)
    tickets.push((await runtime.create(await call('ticket', caller), { customer_id: customers[at % 4]?.id })).data);
  const [own, other] = interleaving.stores(bench.opened.store);
  const [reading, writing] = [bench.node(own), bench.node(other)];
  const [{ ids, sought }] = await interleaving.run(
    async () => listGold(reading, await reading.call('ticket', caller)),
    async () => {
      const writes = await writing.call('ticket', caller);
      const move = (ticket: number, customer: number) =>
        writing.runtime.update(writes, {
          id: tickets[ticket]?.id ?? '',
          body: { customer_id: customers[customer]?.id },
        });
      // From one gold customer to the other, away from them, and to one of them.
      await move(8, 1);
      await move(13, 0);
      await move(12, 5);
      await move(2, 0);
      await writing.runtime.remove(writes, { id: tickets[5]?.id ?? '' });
      await writing.runtime.create(writes, { customer_id: customers[0]?.id });
      await writing.runtime.update(await writing.call('customer', caller), {
        id: customers[3]?.id ?? '',
        body: { tier: 'gold' },
      });
    },
  );
  const standing = tickets.filter((_, at) => at % 4 < 2 && !moved.has(at)).map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => standing.includes(id)),
    standing,
    interleaving.name,
  );
  assert.deepEqual(ids, [...new Set(ids)].sort(), interleaving.name);
  return sought;
}

async function listGold(
  { runtime }: Node,
  of: RecordCall,
): Promise<{ readonly ids: string[]; readonly sought: number }> {
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...of, access };
  const filter = 'customer_id.tier == "gold"';
  const ids: string[] = [];
  let sought = 0;
  for (let next = {}; ; ) {
    const sent = { filter, sortdir: 'asc', pagesize: '4', explain: 'true', ...next };
    const query = readListQuery(call.entity, new Map(Object.entries(sent)));
    const found = await runtime.list(call, withFilter(call, query, listedAt, await filterTargets(call, filter)));
    ids.push(...found.items.map((item) => (JSON.parse(recordText(item)) as RecordData).id));
    if (found.explain?.through !== undefined) sought += 1;
    if (found.nexttoken === null) return { ids, sought };
    next = { nexttoken: found.nexttoken };
  }
}
