import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition } from '../../schema/definition.ts';
import type { Node } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { defined } from '../import-export/testing/import.ts';
import { rowsWhere } from '../testing/rows.ts';
import { type AggregateBounds, aggregateBounds } from './aggregate-run.ts';
import { facetsText } from './facets.ts';

type Sent = Readonly<Record<string, string>>;

interface Sender {
  readonly node: Node;
  readonly call: AuthorizedCall;
  readonly bounds?: Partial<AggregateBounds>;
}

const orders: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'status', index: true },
    { name: 'region' },
    { name: 'total', colType: 'integer' },
    { name: 'isPaid', colType: 'boolean' },
    { name: 'tags', colType: 'array' },
    { name: 'any', colType: 'json' },
    { name: 'pin', colType: 'encrypted' },
  ],
};

const some = [
  { status: 'open', region: 'north', total: 2, isPaid: true },
  { status: 'open', region: 'south', total: 1 },
  { status: 'paid', region: 'north', total: 2 },
  { region: 'north', total: 1 },
];

async function filled(context: TestContext, bodies: readonly object[]): Promise<Sender> {
  const { node, call } = await defined(context, orders);
  for (const body of bodies) await node.runtime.create(call, body);
  return { node, call };
}

async function facetsOf({ node, call, bounds }: Sender, sent: Sent): Promise<unknown> {
  const measuring = { bounds: { ...aggregateBounds, ...bounds }, elapsed: () => 0 };
  const text = await facetsText({ runtime: node.runtime, measuring }, call, new Map(Object.entries(sent)));
  return JSON.parse(`{${text.replace(/^,/, '')}}`);
}

async function refusalOf(sender: Sender, sent: Sent): Promise<readonly string[]> {
  try {
    await facetsOf(sender, sent);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.details.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [error.code];
  }
  return ['none'];
}

test('the values of each field are counted, the most frequent first, and those alike in their order', async (context) => {
  const sender = await filled(context, some);
  assert.deepEqual(await facetsOf(sender, { facets: 'status,total,isPaid' }), {
    facets: {
      status: [
        { value: 'open', count: 2 },
        { value: null, count: 1 },
        { value: 'paid', count: 1 },
      ],
      total: [
        { value: 1, count: 2 },
        { value: 2, count: 2 },
      ],
      isPaid: [
        { value: null, count: 3 },
        { value: true, count: 1 },
      ],
    },
  });
  assert.deepEqual(await facetsOf(sender, {}), {});
});

test('they are those of the records that the conditions choose and the caller may see, on all pages', async (context) => {
  const sender = await filled(context, some);
  const regions = async (sent: Sent, call = sender.call) =>
    await facetsOf(
      { ...sender, call },
      { $facets: 'region', pagesize: '1', sortby: 'status', $total: 'true', ...sent },
    );
  const wanted = (north: number, south: number) => ({
    facets: {
      region: [
        { value: 'north', count: north },
        { value: 'south', count: south },
      ].filter(({ count }) => count > 0),
    },
  });
  assert.deepEqual(await regions({}), wanted(3, 1));
  assert.deepEqual(await regions({ status: 'open' }), wanted(1, 1));
  assert.deepEqual(await regions({ filter: 'status == "paid"' }), wanted(1, 0));
  assert.deepEqual(await regions({ total: '1' }), wanted(1, 1));
  const rows = rowsWhere((record) => record.total === 2);
  assert.deepEqual(await regions({}, { ...sender.call, rows }), wanted(2, 0));
});

test('later pages have none', async (context) => {
  const sender = await filled(context, some);
  assert.deepEqual(await facetsOf(sender, { facets: 'status', nexttoken: 'x' }), {});
  assert.deepEqual(await refusalOf(sender, { facets: 'tags', nexttoken: 'x' }), ['/facets not_measurable']);
});

test('50 values are shown of each field', async (context) => {
  const sender = await filled(
    context,
    Array.from({ length: 52 }, (_, at) => ({ total: Math.min(at, 50) })),
  );
  const { facets } = (await facetsOf(sender, { facets: 'total' })) as {
    readonly facets: { readonly total: readonly { readonly value: number; readonly count: number }[] };
  };
  assert.equal(facets.total.length, 50);
  assert.deepEqual([facets.total[0], facets.total.at(-1)?.value], [{ value: 50, count: 2 }, 48]);
});

test('facets of a part of the records say which bound was reached', async (context) => {
  const sender = await filled(context, some);
  const answer = await facetsOf({ ...sender, bounds: { recordsMax: 2 } }, { facets: 'region' });
  assert.equal((answer as { readonly facets_partial?: string }).facets_partial, 'records');
});

test('fields for which no time is left have no values', async (context) => {
  const sender = await filled(context, some);
  let now = 0;
  const elapsed = () => {
    now += 400;
    return now;
  };
  const measuring = { bounds: { ...aggregateBounds, milliseconds: 1500 }, elapsed };
  const sent = new Map([['facets', 'total,region,isPaid']]);
  const text = await facetsText({ runtime: sender.node.runtime, measuring }, sender.call, sent);
  const { facets, facets_partial } = JSON.parse(`{${text.slice(1)}}`);
  assert.deepEqual([facets.total.length, facets.isPaid, facets_partial], [2, [], 'time']);
});

test('of a field with too many values none is shown, and the others are', async (context) => {
  const sender = await filled(context, some);
  const answer = await facetsOf({ ...sender, bounds: { groupsMax: 2 } }, { facets: 'status,isPaid' });
  const isPaid = [
    { value: null, count: 3 },
    { value: true, count: 1 },
  ];
  assert.deepEqual(answer, { facets: { status: [], isPaid }, facets_partial: 'values' });
});

test('fields that have no facets are refused', async (context) => {
  const sender = await filled(context, some);
  assert.deepEqual(await refusalOf(sender, { facets: 'tags,any,pin' }), Array(3).fill('/facets not_measurable'));
  assert.deepEqual(await refusalOf(sender, { facets: 'x,' }), Array(2).fill('/facets unknown_field'));
  assert.deepEqual(await refusalOf(sender, { facets: 'status,status' }), ['/facets duplicate']);
  assert.deepEqual(await refusalOf(sender, { facets: 'id,status,region,total,isPaid,created_at' }), [
    '/facets too_many',
  ]);
});

test('a space behind a comma counts for nothing', async (context) => {
  const sender = await filled(context, some);
  assert.deepEqual(
    await facetsOf(sender, { facets: 'status, region' }),
    await facetsOf(sender, { facets: 'status,region' }),
  );
});

test('a facet over a lookup or by a part of time is refused as such', async (context) => {
  const sender = await filled(context, some);
  await assert.rejects(
    facetsOf(sender, { facets: 'status.tier' }),
    /facets take no field over a lookup.*`status\.tier`/,
  );
  await assert.rejects(facetsOf(sender, { facets: 'day(created_at)' }), /facets take no part of time/);
});
