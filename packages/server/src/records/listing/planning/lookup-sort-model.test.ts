/** Lists in the order of the records to which a lookup points, compared with the plainest reading of that order. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition } from '../../../schema/definition.ts';
import { type StoreKind, storeKinds } from '../../../store/testing/open-test-store.ts';
import { thinned } from '../../../store/testing/quick.ts';
import { listedAt, type Node, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import type { AuthorizedCall } from '../../caller-access.ts';
import { withFilter } from '../../filtering/compile-filter.ts';
import { filterTargets } from '../../filtering/filter-lookups.ts';
import { type RecordData, recordText } from '../../record.ts';
import { rowsWhere } from '../../testing/rows.ts';
import { readListQuery } from '../list-query.ts';
import { withLookupSort } from '../list-scope.ts';
import { othersAtOnce } from '../walking/lookup-walk.ts';
import { newScan } from '../walking/record-walk.ts';
import { recordsPerSearch } from './list-plan.ts';

const long = 't'.repeat(600);
/** The long ones are alike in the index. */
const tiers = ['gold', 'go\u0001ld', 'golden', `${long}b`, `${long}a`, 'é', undefined];
const ranks = [0, 1, 2, undefined];
const regions = ['north', 'south', undefined];
const statuses = ['open', 'done', undefined];

const baseKeys = (begin: string) => ({ pkTemplate: 'org#{org};{user_id}', skTemplate: `${begin}#{id};x` });
const layouts: Readonly<Record<string, Partial<EntityDefinition>>> = {
  direct: {},
  templated: { baseKeys: baseKeys('t') },
};
type Layout = 'direct' | 'templated';

interface Fixture {
  readonly node: Node;
  readonly customers: readonly RecordData[];
  /** Those to which tickets point that are gone. */
  readonly gone: ReadonlySet<string>;
  readonly tickets: Readonly<Record<Layout, readonly RecordData[]>>;
}

async function openTickets(context: TestContext, kind: StoreKind): Promise<Fixture> {
  const bench = await openBench(context, kind);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'customer',
    UpdateParams: [
      { name: 'tier', index: true },
      { name: 'region' },
      { name: 'rank', colType: 'integer' },
      { name: 'unindexed_tier' },
      { name: 'unindexed_region' },
      { name: 'unindexed_rank', colType: 'integer' },
    ],
    indexes: [
      ['-region', 'rank'],
      ['tier', 'rank'],
      ['tier', '-rank'],
      ['rank', '-tier', 'region'],
    ].map((fields) => ({ fields })),
    ...(kind === 'memory' ? {} : { baseKeys: baseKeys('c') }),
  });
  const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
  for (const [entityName, layout] of Object.entries(layouts))
    await node.admin.define('acme', { entityName, UpdateParams: [{ name: 'status' }, lookup], ...layout });
  await bench.workOff();
  const customers: RecordData[] = [];
  for (let at = 0; at < 28; at++) {
    const [tier, rank] = [tiers[at % tiers.length], ranks[at % ranks.length]];
    const region = regions[at % regions.length];
    const doubled = { unindexed_tier: tier, unindexed_region: region, unindexed_rank: rank };
    const body = { tier, region, rank, ...doubled };
    const { data } = await node.runtime.create(await node.call('customer'), JSON.parse(JSON.stringify(body)));
    customers.push(data);
  }
  const made = async (layout: Layout) => {
    const tickets: RecordData[] = [];
    for (let at = 0; at < 120; at++) {
      const customer_id = at % 9 === 0 ? undefined : customers[(at * at * 5) % 31]?.id;
      const body = JSON.stringify({ status: statuses[at % 3], customer_id });
      tickets.push((await node.runtime.create(await node.call(layout), JSON.parse(body))).data);
    }
    return tickets;
  };
  const tickets = { direct: await made('direct'), templated: await made('templated') };
  const gone = new Set([customers[1]?.id ?? '', customers[5]?.id ?? '']);
  await loseCustomers(bench, gone);
  return { node, customers: customers.filter(({ id }) => !gone.has(id)), gone, tickets };
}

/** As a definition does that was accepted by force: references to them stay. */
async function loseCustomers(bench: RecordBench, ids: ReadonlySet<string>): Promise<void> {
  const lost = (await bench.contents()).filter(
    ({ pk, sk, value }) =>
      [...ids].some((id) => (pk.startsWith('index#customer;') && sk.endsWith(id)) || value.includes(`"id":"${id}"`)) ||
      (pk.includes('customer') && ids.has(sk)),
  );
  assert.ok(lost.length >= 3 * ids.size);
  const removed = lost.map(({ pk, sk }) => ({ kind: 'remove', pk, sk, if: 'present' }) as const);
  await bench.workspace.scope.commit(removed);
}

type Compare<T> = (left: T, right: T) => number;

/** The first of the comparisons that tells them apart. */
const by =
  <T>(...compares: readonly Compare<T>[]): Compare<T> =>
  (left, right) =>
    compares.map((compare) => compare(left, right)).find((order) => order !== 0) ?? 0;

const bytes = (value: unknown): Buffer => Buffer.from(String(value)).subarray(0, 500);
const absentFirst: Compare<unknown> = (left, right) => {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return typeof left === 'number' && typeof right === 'number'
    ? left - right
    : Buffer.compare(bytes(left), bytes(right));
};
const on =
  (field: string, direction = 1): Compare<RecordData> =>
  (left, right) =>
    direction * absentFirst(left[field], right[field]);

/** Orders of customers, and how they are asked for forwards and backwards. */
const orders = [
  { sortby: 'customer_id.tier', dirs: ['asc', 'desc'], compare: by(on('tier'), on('id')) },
  { sortby: 'customer_id.tier,customer_id.rank', dirs: ['asc', 'desc'], compare: by(on('tier'), on('rank'), on('id')) },
  {
    sortby: 'customer_id.region,customer_id.rank',
    dirs: ['desc,asc', 'asc,desc'],
    compare: by(on('region', -1), on('rank'), on('id')),
  },
] as const;

/** An index has each of these, and none has the same order of the fields that hold the same values. */
const doubledOrders = [
  ...['asc', 'desc'].map((sortdir) => ({ fields: ['tier'], sortdir })),
  ...['asc', 'desc', 'asc,asc', 'asc,desc', 'desc,asc', 'desc,desc'].map((sortdir) => ({
    fields: ['tier', 'rank'],
    sortdir,
  })),
  ...['asc,desc,asc', 'desc,asc,desc'].map((sortdir) => ({ fields: ['rank', 'tier', 'region'], sortdir })),
];
type DoubledOrder = (typeof doubledOrders)[number];

/** That of an index whose first field is ascending, which is read in reverse where it is asked for descending. */
function compareBy({ fields, sortdir }: DoubledOrder): Compare<RecordData> {
  const directions = sortdir.split(',');
  const parts = fields.map((field, at) => on(field, (directions[at] ?? directions[0]) === directions[0] ? 1 : -1));
  return by(...parts, on('id'));
}

function sortedBy({ fields, sortdir }: DoubledOrder, prefix: string): Sent {
  return { sortby: fields.map((field) => `customer_id.${prefix}${field}`).join(','), sortdir };
}

const choices = [
  { sent: {}, holds: () => true },
  { sent: { status: 'open' }, holds: ({ status }: RecordData) => status === 'open' },
  { sent: { filter: '!has(status)' }, holds: ({ status }: RecordData) => status === undefined },
  {
    sent: { filter: 'customer_id.region == "north"' },
    holds: (_: RecordData, customer?: RecordData) => customer?.region === 'north',
  },
  {
    sent: { filter: 'customer_id.tier >= "gold" && "golden" >= customer_id.tier' },
    holds: (_: RecordData, customer?: RecordData) => ['gold', 'golden'].includes(String(customer?.tier)),
  },
  { sent: { filter: '!has(customer_id.tier)' }, holds: (_: RecordData, customer?: RecordData) => !customer?.tier },
] as const;

function plainList(
  { customers, gone, tickets }: Fixture,
  request: {
    readonly layout: Layout;
    readonly compare: Compare<RecordData>;
    readonly isReverse: boolean;
    readonly sortdir: string;
  },
): readonly { readonly ticket: RecordData; readonly customer: RecordData | undefined }[] {
  const { layout, compare, isReverse, sortdir } = request;
  const sorted = customers.toSorted(compare);
  const inDirection = <T>(found: readonly T[]): readonly T[] => (isReverse ? found.toReversed() : found);
  const ticketsOf = (id: string | undefined, customer?: RecordData) =>
    tickets[layout].filter(({ customer_id }) => customer_id === id).map((ticket) => ({ ticket, customer }));
  const ordered = inDirection(sorted.flatMap((customer) => ticketsOf(customer.id, customer)));
  const empty = inDirection(ticketsOf(undefined));
  const missing = inDirection([...gone].toSorted().flatMap((id) => ticketsOf(id)));
  return [...(sortdir.startsWith('desc') ? [...ordered, ...empty] : [...empty, ...ordered]), ...missing];
}

interface Paging {
  readonly sizes: readonly number[];
  /** The number of records that a page may look at. */
  readonly items: number;
}

type Sent = Readonly<Record<string, string>>;

async function queryBy(call: AuthorizedCall, sent: Sent) {
  const query = readListQuery(call.entity, new Map(Object.entries(sent)));
  return withLookupSort(call, withFilter(call, query, listedAt, await filterTargets(call, query.filter ?? '')));
}

async function listAll({ runtime }: Node, call: AuthorizedCall, sent: Sent, { sizes, items }: Paging) {
  const ids: string[] = [];
  let partial = 0;
  let next = {};
  for (let page = 0; page < 2000; page++) {
    const pagesize = String(sizes[page % sizes.length]);
    const query = await queryBy(call, { ...sent, ...next, pagesize, explain: 'true' });
    const found = await runtime.list(call, query, { ...newScan(() => 0), items });
    const { explain, nexttoken } = found;
    if (items !== Number.POSITIVE_INFINITY) {
      // The records that a filter reads of the others are known after these were sought.
      assert.ok(explain !== undefined && explain.budget.items <= items + recordsPerSearch * othersAtOnce);
      assert.equal(explain.through?.entity, 'customer');
    }
    ids.push(...found.items.map((item) => (JSON.parse(recordText(item)) as RecordData).id));
    if (found.isPartial) partial += 1;
    if (nexttoken === null) return { ids, partial };
    next = { nexttoken };
  }
  return assert.fail('the list has an end');
}

const anyRequest = fc.record({
  order: fc.constantFrom(...orders),
  isReverse: fc.boolean(),
  choice: fc.constantFrom(...choices),
  layout: fc.constantFrom<Layout[]>('direct', 'templated'),
  isOpenAlone: fc.boolean(),
  paging: fc.record({
    sizes: fc.array(fc.constantFrom(1, 2, 5, 40, 200), { minLength: 1, maxLength: 3 }),
    items: fc.constantFrom(5, 17, 60, 2000),
  }),
});

for (const kind of storeKinds)
  test(`pages of any size hold the records of a list once, in the order of the records that they look up, in ${kind}`, async (context) => {
    const fixture = await openTickets(context, kind);
    const { node } = fixture;
    let partial = 0;
    const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
    const property = fc.asyncProperty(anyRequest, async ({ order, isReverse, choice, layout, isOpenAlone, paging }) => {
      const { sortby, dirs, compare } = order;
      const call: AuthorizedCall = {
        ...(await node.call(layout)),
        access,
        ...(isOpenAlone ? { rows: rowsWhere(({ status }) => status === 'open') } : {}),
      };
      const sortdir = dirs[isReverse ? 1 : 0];
      const sent = { ...choice.sent, sortby, sortdir };
      const all = plainList(fixture, { layout, compare, isReverse, sortdir })
        .filter(({ ticket, customer }) => choice.holds(ticket, customer) && (!isOpenAlone || ticket.status === 'open'))
        .map(({ ticket }) => ticket.id);
      const found = await listAll(node, call, sent, paging);
      assert.deepEqual(found.ids, all);
      partial += found.partial;
      const { count } = await node.runtime.count(call, await queryBy(call, sent));
      assert.equal(count, all.length);
    });
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 300 : 60) });
    assert.ok(partial > 0);
  });

for (const kind of storeKinds)
  test(`a list that no index orders by other records has the order that one would have, in ${kind}`, async (context) => {
    const fixture = await openTickets(context, kind);
    const { node } = fixture;
    const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
    const anyOrder = fc.record({
      order: fc.constantFrom(...doubledOrders),
      choice: fc.constantFrom(...choices),
      layout: fc.constantFrom<Layout[]>('direct', 'templated'),
      sizes: fc.array(fc.constantFrom(1, 5, 40, 200), { minLength: 1, maxLength: 3 }),
    });
    const property = fc.asyncProperty(anyOrder, async ({ order, choice, layout, sizes }) => {
      const call: AuthorizedCall = { ...(await node.call(layout)), access };
      const { sortdir } = order;
      const wanted = plainList(fixture, {
        layout,
        compare: compareBy(order),
        isReverse: sortdir.startsWith('desc'),
        sortdir,
      })
        .filter(({ ticket, customer }) => choice.holds(ticket, customer))
        .map(({ ticket }) => ticket.id);
      for (const prefix of ['', 'unindexed_']) {
        const sent = { ...choice.sent, ...sortedBy(order, prefix) };
        const { ids } = await listAll(node, call, sent, { sizes, items: Number.POSITIVE_INFINITY });
        assert.deepEqual(ids, wanted, JSON.stringify(sent));
      }
    });
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 60 : 20) });
  });

test('a list that is too long to be sorted by other records is refused with the index to declare there', async (context) => {
  const { node } = await openTickets(context, 'memory');
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  const call: AuthorizedCall = { ...(await node.call('direct')), access };
  const refusals = [
    [
      'customer_id.unindexed_tier',
      /^field `unindexed_tier` of `customer` has no index, .*: give it `index: true` there/,
    ],
    [
      'customer_id.unindexed_tier,customer_id.rank',
      /: declare `indexes: \[{"fields": \["unindexed_tier", "rank"\]}\]` there$/,
    ],
  ] as const;
  for (const [sortby, message] of refusals) {
    const list = node.runtime.list(call, await queryBy(call, { sortby }), { ...newScan(() => 0), items: 50 });
    await assert.rejects(list, { code: 'unindexed_sort', message });
  }
});
