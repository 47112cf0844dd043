/** A list by what lookups point to is taken to its end while others write, whichever call of the one the other falls before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { listedAt, type Node, openBench, type RecordBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { withLookupSort } from '../listing/list-scope.ts';
import { type RecordData, recordText } from '../record.ts';
import { everyInterleaving, extentOn, type Interleaving } from '../testing/interleaving.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

const customersMade = 8;
const ticketsMade = 16;

interface ListByLookup {
  readonly what: string;
  readonly sent: Readonly<Record<string, string>>;
  /** The tickets that stay at their place of the list, in its order. */
  readonly current: readonly number[];
  /** Whether a ticket that moves has one place all the same. */
  readonly isOnce: boolean;
}

/** They change the customer, or are removed. */
const moved = new Set([2, 5, 8, 12, 13]);
const ticketsOf = (customer: number): readonly number[] =>
  Array.from({ length: ticketsMade / 4 }, (_, at) => 4 * at + customer).filter((at) => !moved.has(at));

const lists: readonly ListByLookup[] = [
  {
    what: 'found by what these point to',
    sent: { filter: 'customer_id.tier == "gold"', pagesize: '4' },
    current: [...ticketsOf(0), ...ticketsOf(1)].toSorted((left, right) => left - right),
    isOnce: true,
  },
  {
    what: 'in the order of what these point to',
    sent: { sortby: 'customer_id.tier', pagesize: '7' },
    // The customer of the others changes its tier.
    current: [0, 1, 2].flatMap(ticketsOf),
    isOnce: false,
  },
];

for (const [kind, list] of storeKinds.flatMap((kind) => lists.map((list) => [kind, list] as const)))
  test(`the pages of a list by lookups hold each record that stays of it once, ${list.what} (${kind})`, async (context) => {
    const bench = await openBench(context, kind);
    const { admin } = bench.node();
    await admin.define('acme', { entityName: 'customer', UpdateParams: [{ name: 'tier', index: true }] });
    const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
    await admin.define('acme', { entityName: 'ticket', UpdateParams: [lookup] });
    await bench.workOff();
    let workspaces = 0;
    let sought = 0;
    await everyInterleaving(extentOn(kind), async (interleaving) => {
      sought += await meet(bench, { interleaving, list }, `w${++workspaces}`);
    });
    assert.ok(workspaces > 20 && sought > workspaces, 'both took their calls');
  });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly list: ListByLookup;
}

/** @returns how many pages were read by the indexes. */
async function meet(bench: RecordBench, { interleaving, list }: Meeting, tenantCode: string): Promise<number> {
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
    async () => listAll(reading, await reading.call('ticket', caller), list.sent),
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
  const current = list.current.map((at) => tickets[at]?.id ?? '');
  assert.deepEqual(
    ids.filter((id) => current.includes(id)),
    current,
    interleaving.name,
  );
  if (list.isOnce) assert.deepEqual(ids, [...new Set(ids)].sort(), interleaving.name);
  return sought;
}

async function listAll(
  { runtime }: Node,
  of: RecordCall,
  request: ListByLookup['sent'],
): Promise<{ readonly ids: string[]; readonly sought: number }> {
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...of, access };
  const ids: string[] = [];
  let sought = 0;
  for (let next = {}; ; ) {
    const sent = { ...request, sortdir: 'asc', explain: 'true', ...next };
    const query = readListQuery(call.entity, new Map(Object.entries(sent)));
    const filtered = withFilter(call, query, listedAt, await filterTargets(call, query.filter ?? ''));
    const found = await runtime.list(call, await withLookupSort(call, filtered));
    ids.push(...found.items.map((item) => (JSON.parse(recordText(item)) as RecordData).id));
    if (found.explain?.through !== undefined) sought += 1;
    if (found.nexttoken === null) return { ids, sought };
    next = { nexttoken: found.nexttoken };
  }
}
