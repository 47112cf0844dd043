/** Filters over lookups find nothing out about what is hidden, and take no more work than they have to. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listedAt, openBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { scanBudget } from '../listing/walking/record-walk.ts';
import type { RecordData } from '../record.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { rowsWhere } from '../testing/rows.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

const text = 'x'.repeat(60_000);
/** Of the steps of a page it takes a sixth of a record that a lookup points to. */
const large = `customer_id.text${'.trim()'.repeat(19)}.contains("y")`;

/** The customers, named by how much of them the caller who lists tickets may see. */
const customers = {
  open: { kind: 'open', tier: 'tin', text },
  small: { kind: 'open', tier: 'tin', text: '' },
  hidden: { kind: 'hidden', tier: 'secret', text },
  partial: { kind: 'partial', tier: 'secret', text },
} as const;

type Customer = keyof typeof customers;

async function openTickets(
  context: TestContext,
  tickets: readonly { readonly keeper: string; readonly of: Customer }[],
) {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'customer',
    UpdateParams: [{ name: 'kind' }, { name: 'tier' }, { name: 'text' }],
  });
  await node.admin.define('acme', {
    entityName: 'ticket',
    UpdateParams: [
      { name: 'title' },
      { name: 'keeper' },
      { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
    ],
  });
  const writer = await node.call('ticket');
  for (const { keeper, of } of tickets) {
    const { data } = await node.runtime.create(await node.call('customer'), customers[of]);
    const title = of === 'open' && keeper === 'ann' ? 'large' : 'other';
    await node.runtime.create(writer, { title, keeper, customer_id: data.id });
  }
  const judged = { tickets: 0, customers: 0 };
  const rows = rowsWhere(
    ({ keeper }) => {
      judged.tickets += 1;
      return keeper === 'ann';
    },
    { steps: () => (judged.tickets * scanBudget.steps) / 100 },
  );
  const toGet: RecordPolicy = {
    ...rowsWhere(() => true),
    judge: ({ kind }: RecordData) => {
      judged.customers += 1;
      if (kind === 'hidden') return undefined;
      return { fields: kind === 'partial' ? new Set(['kind']) : undefined };
    },
  };
  const call: AuthorizedCall = {
    ...writer,
    rows,
    access: { rows: () => toGet, rowsOfBody: () => undefined, assertAllowed: () => undefined },
  };
  const queryOf = async (filter: string) => {
    const query = readListQuery(call.entity, new Map(Object.entries({ sortdir: 'asc', filter })));
    return withFilter(call, query, listedAt, await filterTargets(call, filter));
  };
  return { node, call, judged, queryOf };
}

const before = Array.from({ length: 5 }, () => ({ keeper: 'ann', of: 'open' }) as const);
const after = { keeper: 'ann', of: 'small' } as const;

/** The records about which a filter is to find nothing out, each between others. */
const secrets = [
  ["a record that is not the caller's", { keeper: 'bob', of: 'open' }],
  ['a customer that the caller may not get', { keeper: 'ann', of: 'hidden' }],
  ['fields of a customer that the caller may not read', { keeper: 'ann', of: 'partial' }],
] as const;

for (const [what, secret] of secrets)
  test(`a page and a count by a lookup end in one place, whatever there is in ${what}`, async (context) => {
    const { node, call, judged, queryOf } = await openTickets(context, [...before, secret, after]);
    const ends = [];
    for (const tier of ['secret', 'sacred', 'tin']) {
      const filter = `title == "large" ? ${large} : (customer_id.tier != "${tier}" || ${large})`;
      judged.tickets = 0;
      const { items, nexttoken, isPartial } = await node.runtime.list(call, await queryOf(filter));
      const { count, partial } = await node.runtime.count(call, await queryOf(filter));
      ends.push([items.length, nexttoken, isPartial, count, partial, judged.tickets]);
    }
    const [ofSecret, ...others] = ends;
    assert.deepEqual(ofSecret, [1, null, false, 1, undefined, 14]);
    assert.deepEqual(others, [ofSecret, [0, null, false, 0, undefined, 14]]);
  });

test("records are judged once, and customers once if a record of the caller's that may be of the answer points to them", async (context) => {
  const { node, call, judged, queryOf } = await openTickets(context, [
    ...before,
    { keeper: 'bob', of: 'open' },
    { keeper: 'bob', of: 'hidden' },
    after,
  ]);
  await node.runtime.list(call, await queryOf('title == "other" && customer_id.tier == "tin"'));
  assert.deepEqual(judged, { tickets: 8, customers: 1 });
});
