/**
 * Filters over lookups that indexes serve, compared with the plainest reading of them, and with the same lists where there
 * is no index. The size changes from page to page, and with it the way in which a page is read.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition } from '../../schema/definition.ts';
import { type StoreKind, storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listedAt, type Node, openBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { type RecordData, recordText } from '../record.ts';
import { rowsWhere } from '../testing/rows.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

const long = 'g'.repeat(600);
const tiers = ['gold', 'golden', 'tin', `${long}a`, `${long}b`];
const regions = ['north', 'south', 'east', 'west', 'far', 'near'];
const statuses = ['open', 'done'];
/** Of each tier some customers, of which the last is hidden from a caller who may list all. */
const ranks = [1, 2, 3, 4, 5, 6];
const hidden = 6;

const customerFields = (index: boolean) => [
  { name: 'tier', index },
  { name: 'rank', colType: 'integer', index },
  { name: 'region' },
  { name: 'label' },
];
const customers = {
  customer: { UpdateParams: customerFields(true), indexes: [{ fields: ['region', '-rank'] }] },
  plain_customer: { UpdateParams: customerFields(false) },
} as const;

/** The same records, of which the last are found without an index of the customers. */
const layouts = {
  direct: 'customer',
  templated: 'customer',
  bare: 'plain_customer',
} as const;
type Layout = keyof typeof layouts;
const layoutNames = Object.keys(layouts) as Layout[];

function ticketEntity(layout: Layout): Partial<EntityDefinition> {
  const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: layouts[layout] } };
  const baseKeys = { pkTemplate: 'org#{org};{user_id}', skTemplate: 'z#{id};x' };
  return {
    UpdateParams: [{ name: 'status', index: true }, lookup],
    ...(layout === 'templated' ? { baseKeys } : {}),
  };
}

/** May list all customers, and yet not get all of them; lists no customers at all. */
const accesses = {
  whole: (verb: string) => (verb === 'get' ? rowsWhere(({ rank }) => rank !== hidden) : undefined),
  partial: (verb: string) => rowsWhere(({ rank }) => verb === 'get' && rank !== hidden),
};

interface Ticket {
  readonly status: string | undefined;
  readonly of: RecordData | undefined;
}

interface Condition {
  readonly text: string;
  readonly holds: (ticket: Ticket) => boolean;
}

const ofCustomer = (text: string, holds: (customer: RecordData) => boolean): Condition => ({
  text,
  holds: ({ of }) => of !== undefined && of.rank !== hidden && holds(of),
});

const comparisons: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom(...tiers).map((tier) => ofCustomer(`customer_id.tier == "${tier}"`, (one) => one.tier === tier)),
  fc
    .constantFrom('gold', 't', 'g')
    .map((start) =>
      ofCustomer(
        `customer_id.tier.startsWith("${start}")`,
        ({ tier }) => tier !== undefined && String(tier).startsWith(start),
      ),
    ),
  fc
    .constantFrom(...regions)
    .map((region) => ofCustomer(`record.customer_id.region == "${region}"`, (one) => one.region === region)),
  fc
    .tuple(fc.constantFrom(...regions), fc.constantFrom(...ranks))
    .map(([region, rank]) =>
      ofCustomer(
        `customer_id.region == "${region}" && customer_id.rank >= ${rank}`,
        (one) => one.region === region && Number(one.rank) >= rank,
      ),
    ),
  fc
    .tuple(fc.constantFrom(...ranks), fc.nat({ max: 2 }))
    .map(([rank, more]) =>
      ofCustomer(
        `customer_id.rank >= ${rank} && ${rank + more} >= customer_id.rank`,
        (one) => Number(one.rank) >= rank && Number(one.rank) <= rank + more,
      ),
    ),
);

const others: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .constantFrom(...statuses)
    .map((one) => ({ text: `status == "${one}"`, holds: (ticket: Ticket) => ticket.status === one })),
  fc.constant<Condition>({ text: '!has(status)', holds: (ticket) => ticket.status === undefined }),
  fc.constant(ofCustomer('has(customer_id.label)', ({ label }) => label !== undefined)),
);

const filters: fc.Arbitrary<Condition> = fc
  .tuple(comparisons, fc.array(others, { maxLength: 2 }), fc.boolean())
  .map(([one, more, isFirst]) => {
    const parts = isFirst ? [one, ...more] : [...more, one];
    return {
      text: parts.map(({ text }) => text).join(' && '),
      holds: (ticket) => parts.every(({ holds }) => holds(ticket)),
    };
  });

async function openTickets(context: TestContext, kind: StoreKind) {
  const bench = await openBench(context, kind);
  const node = bench.node();
  for (const [entityName, definition] of Object.entries(customers))
    await node.admin.define('acme', { entityName, ...definition });
  for (const layout of layoutNames) await node.admin.define('acme', { entityName: layout, ...ticketEntity(layout) });
  await bench.workOff();
  const made = {
    customer: await createCustomers(node, 'customer'),
    plain_customer: await createCustomers(node, 'plain_customer'),
  };
  const tickets = new Map<Layout, readonly StoredTicket[]>();
  for (const layout of layoutNames) tickets.set(layout, await createTickets(node, layout, made[layouts[layout]]));
  return { node, tickets };
}

async function createCustomers({ runtime, call }: Node, entity: string): Promise<readonly RecordData[]> {
  const made: RecordData[] = [];
  for (const [at, tier] of [...tiers, undefined].entries())
    for (const rank of ranks) {
      const region = regions[(at + rank) % regions.length];
      const body = { rank, region, ...(tier === undefined ? {} : { tier }), ...(rank % 2 === 0 ? { label: 'x' } : {}) };
      made.push((await runtime.create(await call(entity), body)).data);
    }
  return made;
}

interface StoredTicket {
  readonly id: string;
  readonly ticket: Ticket;
}

/** Some point to none, and some customers have none. */
async function createTickets(
  { runtime, call }: Node,
  layout: Layout,
  of: readonly RecordData[],
): Promise<readonly StoredTicket[]> {
  const made: StoredTicket[] = [];
  for (let at = 0; at < 150; at++) {
    const ticket = { status: [...statuses, undefined][at % 3], of: of[(at * 7) % 34] };
    const body = { status: ticket.status ?? null, customer_id: ticket.of?.id ?? null };
    made.push({ id: (await runtime.create(await call(layout), body)).data.id, ticket });
  }
  return made;
}

type Sent = Readonly<Record<string, string>>;

async function queryBy(call: AuthorizedCall, sent: Sent, route: 'list' | 'count' = 'list') {
  const query = readListQuery(call.entity, new Map(Object.entries(sent)), route);
  return withFilter(call, query, listedAt, await filterTargets(call, query.filter ?? ''));
}

interface Listed {
  readonly ids: readonly unknown[];
  readonly indexes: Set<string>;
}

async function listAll({ runtime }: Node, call: AuthorizedCall, sent: Sent, sizes: readonly number[]): Promise<Listed> {
  const ids: unknown[] = [];
  const indexes = new Set<string>();
  let next = {};
  for (let page = 0; ; page++) {
    const pagesize = String(sizes[page % sizes.length]);
    const query = await queryBy(call, { ...sent, ...next, pagesize, explain: 'true' });
    const { items, nexttoken, explain } = await runtime.list(call, query);
    ids.push(...items.map((item) => (JSON.parse(recordText(item)) as RecordData).id));
    indexes.add(explain?.index?.name ?? '');
    if (nexttoken === null) return { ids, indexes };
    next = { nexttoken };
  }
}

const anyRequest = fc.record({
  filter: filters,
  sent: fc.constantFrom({}, ...statuses.map((status) => ({ status }))),
  layout: fc.constantFrom(...layoutNames),
  rows: fc.constantFrom(...Object.values(accesses)),
  sortdir: fc.constantFrom('asc', 'desc'),
  sizes: fc.array(fc.constantFrom(1, 2, 5, 40), { minLength: 1, maxLength: 3 }) as fc.Arbitrary<readonly number[]>,
});

for (const kind of storeKinds)
  test(`lists, counts and pages of any size by what lookups point to hold the same records with indexes and without, in ${kind}`, async (context) => {
    const { node, tickets } = await openTickets(context, kind);
    const ways = { listed: 0, counted: 0, walked: 0 };
    const property = fc.asyncProperty(
      anyRequest,
      async ({ filter: { text, holds }, sent, layout, rows, sortdir, sizes }) => {
        const access = {
          rows: ({ verb }: { readonly verb: string }) => rows(verb),
          rowsOfBody: () => undefined,
          assertAllowed: () => undefined,
        };
        const isSent = ({ status }: Ticket) => !('status' in sent) || sent.status === status;
        const call: AuthorizedCall = { ...(await node.call(layout)), access };
        const all = (tickets.get(layout) ?? [])
          .filter(({ ticket }) => holds(ticket) && isSent(ticket))
          .map(({ id }) => id);
        const { ids, indexes } = await listAll(node, call, { ...sent, filter: text, sortdir }, sizes);
        assert.deepEqual(ids, sortdir === 'asc' ? all : all.toReversed());
        const counted = await node.runtime.count(
          call,
          await queryBy(call, { ...sent, filter: text, explain: 'true' }, 'count'),
        );
        assert.equal(counted.count, all.length);
        const [isListed, isCounted] = [indexes.has('customer_id'), counted.explain?.index?.name === 'customer_id'];
        assert.ok(!(isListed || isCounted) || (layout !== 'bare' && rows === accesses.whole));
        if (isListed) ways.listed += 1;
        if (isCounted) ways.counted += 1;
        if (!isListed && !isCounted) ways.walked += 1;
      },
    );
    const gold = ofCustomer('customer_id.tier == "gold"', ({ tier }) => tier === 'gold');
    const first = { filter: gold, sent: {}, rows: accesses.whole, sortdir: 'asc', sizes: [1] } as const;
    const examples = [
      { ...first, layout: 'direct' as const },
      { ...first, layout: 'bare' as const },
    ];
    await fc.assert(property, {
      numRuns: thinned(kind === 'memory' ? 400 : 80),
      examples: examples.map((one) => [one]),
    });
    assert.ok(ways.listed > 0 && ways.counted > 0 && ways.walked > 0);
  });
