/** Groups by fields of other records are made of values that the caller may get, and of no others. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { openBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { createCursors } from '../listing/cursor.ts';
import { rowsWhere } from '../testing/rows.ts';
import { aggregateBounds } from './aggregate-run.ts';
import { aggregate } from './routes.ts';

const cursors = createCursors(new Uint8Array(32));

const customers = [
  { kind: 'open', tier: 'tin', since: '2024-05-01' },
  { kind: 'open', tier: 'tin', since: '2025-06-01' },
  { kind: 'open', tier: 'gold', since: '2025-07-01' },
  { kind: 'hidden', tier: 'secret', since: '2023-01-01' },
  { kind: 'partial', tier: 'secret', since: '2023-01-01' },
  { kind: 'open' },
] as const;

/** An order of 1, 2, 4 … of each customer, one of 64 that points to nothing, and one of 128 that is not the caller's. */
async function openOrders(context: TestContext) {
  const node = (await openBench(context)).node();
  const fields = [
    { name: 'kind' },
    { name: 'tier' },
    { name: 'since', colType: 'date' },
    { name: 'tags', colType: 'array' },
  ];
  await node.admin.define('acme', { entityName: 'customer', UpdateParams: fields });
  const lookup = { colType: 'guid', lookup: { entity: 'customer' } };
  await node.admin.define('acme', {
    entityName: 'order',
    UpdateParams: [
      { name: 'amount', colType: 'integer' },
      { name: 'keeper' },
      { name: 'customer_id', ...lookup },
      { name: 'customer_id_tier' },
    ],
  });
  const toCustomers = await node.call('customer');
  const writer = await node.call('order');
  for (const [at, customer] of customers.entries()) {
    const { data } = await node.runtime.create(toCustomers, customer);
    await node.runtime.create(writer, { amount: 2 ** at, customer_id: data.id, keeper: 'ann' });
    if (at === 0) await node.runtime.create(writer, { amount: 128, customer_id: data.id, keeper: 'bob' });
  }
  await node.runtime.create(writer, { amount: 64, keeper: 'ann' });
  const toGet = {
    ...rowsWhere(() => true),
    judge: ({ kind }: Readonly<Record<string, unknown>>) =>
      kind === 'hidden' ? undefined : { fields: kind === 'partial' ? new Set(['kind']) : undefined },
  };
  const ofAnn = rowsWhere(({ keeper }) => keeper === 'ann');
  const call: AuthorizedCall = {
    ...writer,
    rows: ofAnn,
    access: {
      rows: ({ verb }) => (verb === 'get' ? toGet : ofAnn),
      rowsOfBody: () => undefined,
      assertAllowed: () => undefined,
    },
  };
  const ask = async (sent: Readonly<Record<string, string>>, elapsed = () => 0) => {
    const deps = { runtime: node.runtime, cursors, bounds: aggregateBounds, elapsed };
    const { body } = await aggregate(deps, { query: new Map(Object.entries(sent)) }, call);
    return JSON.parse(body ?? '');
  };
  return { node, call, ask };
}

const refusal = (code: string) => (error: unknown) =>
  error instanceof Problem && error.details.errors?.[0]?.code === code && error.details.errors[0].pointer === '/group';

test('records whose lookups have one value are one group; what the caller may not get has none', async (context) => {
  const { ask } = await openOrders(context);
  const sums = async (sent: Readonly<Record<string, string>>) =>
    (await ask({ measure: 'sum:amount,count', ...sent })).items.map(
      ({ group, values }: { group: object; values: { sum_amount: number; count: number } }) => [
        ...Object.entries(group).flat(),
        values.sum_amount,
        values.count,
      ],
    );
  assert.deepEqual(await sums({ group: 'customer_id.tier' }), [
    ['customer_id_tier', null, 8 + 16 + 32 + 64, 4],
    ['customer_id_tier', 'gold', 4, 1],
    ['customer_id_tier', 'tin', 3, 2],
  ]);
  assert.deepEqual(await sums({ group: 'year(customer_id.since)', sortdir: 'desc' }), [
    ['year_customer_id_since', '2025', 6, 2],
    ['year_customer_id_since', '2024', 1, 1],
    ['year_customer_id_since', null, 8 + 16 + 32 + 64, 4],
  ]);
  assert.deepEqual(
    await sums({
      group: 'customer_id.tier',
      having: 'customer_id_tier == "tin"',
      sortby: 'sum_amount',
      sortdir: 'desc',
    }),
    [['customer_id_tier', 'tin', 3, 2]],
  );
  assert.deepEqual(await sums({ group: 'keeper,customer_id.kind', customer_id_op: 'exists', customer_id: 'true' }), [
    ['keeper', 'ann', 'customer_id_kind', null, 8, 1],
    ['keeper', 'ann', 'customer_id_kind', 'open', 1 + 2 + 4 + 32, 4],
    ['keeper', 'ann', 'customer_id_kind', 'partial', 16, 1],
  ]);
});

test('a lookup that is none, or a field that it does not have, is refused, and so is a lookup that may be hidden', async (context) => {
  const { ask, call } = await openOrders(context);
  await assert.rejects(ask({ group: 'keeper.tier' }), refusal('unknown_field'));
  await assert.rejects(ask({ group: 'none.tier' }), refusal('unknown_field'));
  await assert.rejects(ask({ group: 'customer_id.none' }), refusal('unknown_field'));
  await assert.rejects(ask({ measure: 'sum:customer_id.rank' }), /measures take no field over a lookup/);
  await assert.rejects(ask({ group: 'customer_id.tags' }), refusal('not_measurable'));
  await assert.rejects(ask({ group: 'customer_id.tier.more' }), refusal('unknown_field'));
  await assert.rejects(ask({ group: 'month(customer_id.tier)' }), refusal('wrong_type'));
  await assert.rejects(ask({ group: 'customer_id.tier,customer_id.tier' }), refusal('duplicate'));
  const hiding = rowsWhere(() => true, { fields: new Set(['amount']) });
  const access = { ...call.access, rows: () => hiding };
  Object.assign(call, { rows: hiding, access });
  await assert.rejects(ask({ group: 'customer_id.tier' }), refusal('not_readable'));
});

test('a cursor of a field does not go on in groups over a lookup whose name is alike', async (context) => {
  const { ask } = await openOrders(context);
  const { nexttoken } = await ask({ group: 'customer_id.tier', pagesize: '1' });
  await assert.rejects(ask({ group: 'customer_id_tier', pagesize: '1', nexttoken }), Problem);
  assert.equal((await ask({ group: 'customer_id.tier', pagesize: '1', nexttoken })).items.length, 1);
});

test('where the time is over, groups whose records were not read are left out', async (context) => {
  const { ask, node, call } = await openOrders(context);
  const toCustomers = await node.call('customer');
  for (let n = 0; n < 120; n++) {
    const { data } = await node.runtime.create(toCustomers, { kind: 'open', tier: 'tin' });
    await node.runtime.create(call, { amount: 1, customer_id: data.id, keeper: 'ann' });
  }
  let calls = 0;
  const late = () => (++calls < 2 ? 0 : aggregateBounds.milliseconds);
  const answer = await ask({ group: 'customer_id.tier' }, late);
  assert.equal(answer.partial_reason, 'time');
  const counted = answer.items.reduce(
    (sum: number, { values }: { values: { count: number } }) => sum + values.count,
    0,
  );
  assert.ok(counted > 0 && counted <= 107, `${counted} records are counted`);
});
