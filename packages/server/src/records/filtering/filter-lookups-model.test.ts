/** Filters over lookups, compared with the plainest reading of them: look at every record there is. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type StoreKind, storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listedAt, type Node, openBench } from '../../testing/record-bench.ts';
import type { AuthorizedCall, RecordPolicyRequest } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { type RecordData, recordText } from '../record.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { combined, type PlainFilter } from '../testing/plain-filters.ts';
import { withFilter } from './compile-filter.ts';
import { filterTargets } from './filter-lookups.ts';

/** By the rank of a customer: the caller may not get the one, and not see the tier of the other. */
const hidden = 3;
const tierless = 2;

const toGet: RecordPolicy = {
  isNone: false,
  judge: ({ rank }) => {
    if (rank === hidden) return undefined;
    return { fields: rank === tierless ? { has: (name) => name !== 'tier' } : undefined };
  },
  steps: () => 0,
  sureFields: { has: (name) => name !== 'tier' },
  possibleFields: undefined,
  equalities: [],
  missing: () => assert.fail('nothing is refused'),
  denied: () => assert.fail('nothing is refused'),
};

const mayGet = {
  rows: ({ entity }: RecordPolicyRequest) => (entity.name === 'customer' ? toGet : undefined),
  rowsOfBody: () => undefined,
  assertAllowed: () => undefined,
};

const tiers = ['gold', 'silver', ''];
const ranks = [0, 1, tierless, hidden];
const statuses = ['open', 'done'];

type Others = ReadonlyMap<string, RecordData>;

/** The visible part of the record that a field points to. */
function seen(others: Others, record: RecordData, field: string): Readonly<Record<string, unknown>> | undefined {
  const other = others.get(String(record[field]));
  if (other === undefined || other.rank === hidden) return undefined;
  const { id, tier, rank } = other;
  return { id, rank, ...(rank === tierless ? {} : { tier }) };
}

function atoms(others: Others): fc.Arbitrary<PlainFilter> {
  const fields = fc.constantFrom('customer_id', 'payer_id', 'record.customer_id');
  const of = (record: RecordData, field: string, member: string) =>
    seen(others, record, field.replace('record.', ''))?.[member];
  return fc.oneof(
    fc.tuple(fields, fc.constantFrom(...tiers), fc.boolean()).map(([field, tier, isEqual]) => ({
      text: `${field}.tier ${isEqual ? '==' : '!='} "${tier}"`,
      holds: (record: RecordData) => {
        const value = of(record, field, 'tier');
        return value !== undefined && (value === tier) === isEqual;
      },
    })),
    fc.tuple(fields, fc.constantFrom(...ranks)).map(([field, rank]) => ({
      text: `${field}.rank <= ${rank}`,
      holds: (record: RecordData) => {
        const value = of(record, field, 'rank');
        return value !== undefined && Number(value) <= rank;
      },
    })),
    fc.tuple(fields, fc.constantFrom('tier', 'rank', 'created_at')).map(([field, member]) => ({
      text: `has(${field}.${member})`,
      holds: (record: RecordData) => {
        const found = seen(others, record, field.replace('record.', ''));
        return found !== undefined && (member === 'created_at' || found[member] !== undefined);
      },
    })),
    fields.map((field) => ({
      text: `${field}.tier == status`,
      holds: (record: RecordData) => of(record, field, 'tier') === record.status,
    })),
    fc.constantFrom(...[...others.keys()].slice(0, 3)).map((id) => ({
      text: `customer_id == "${id}"`,
      holds: ({ customer_id }: RecordData) => customer_id === id,
    })),
    fc.constantFrom(...statuses).map((status) => ({
      text: `status == "${status}"`,
      holds: (record: RecordData) => record.status === status,
    })),
    fc.constant({ text: 'has(payer_id)', holds: ({ payer_id }: RecordData) => payer_id !== undefined }),
  );
}

const lookup = (name: string, index: boolean) => ({ name, index, colType: 'guid', lookup: { entity: 'customer' } });

async function openTickets(context: TestContext, kind: StoreKind) {
  const bench = await openBench(context, kind);
  const node = bench.node();
  await node.admin.define('acme', {
    entityName: 'customer',
    UpdateParams: [
      { name: 'tier', index: true },
      { name: 'rank', colType: 'integer' },
    ],
  });
  await node.admin.define('acme', {
    entityName: 'ticket',
    UpdateParams: [{ name: 'status', index: true }, lookup('customer_id', true), lookup('payer_id', false)],
  });
  await bench.workOff();
  const customers: RecordData[] = [];
  for (const tier of [...tiers, undefined])
    for (const rank of ranks) {
      const body = { rank, ...(tier === undefined ? {} : { tier }) };
      customers.push((await node.runtime.create(await node.call('customer'), body)).data);
    }
  const maker = await node.call('ticket');
  const tickets: RecordData[] = [];
  for (let at = 0; at < 80; at++) {
    // Some point to none.
    const [customer, payer] = [customers[(at * 7) % 19], customers[(at * 5) % 23]];
    const body = { status: statuses[at % 2], customer_id: customer?.id ?? null, payer_id: payer?.id ?? null };
    tickets.push((await node.runtime.create(maker, body)).data);
  }
  const call: AuthorizedCall = { ...maker, access: mayGet };
  return { node, call, tickets, others: new Map(customers.map((customer) => [customer.id, customer])) };
}

async function queryBy(call: AuthorizedCall, parameters: Readonly<Record<string, string>>) {
  const query = readListQuery(call.entity, new Map(Object.entries(parameters)));
  return withFilter(call, query, listedAt, await filterTargets(call, query.filter ?? ''));
}

async function listAll({ runtime }: Node, call: AuthorizedCall, parameters: Readonly<Record<string, string>>) {
  const found: unknown[] = [];
  let next = {};
  for (;;) {
    const { items, nexttoken } = await runtime.list(call, await queryBy(call, { ...parameters, ...next }));
    found.push(...items.map((item) => (JSON.parse(recordText(item)) as RecordData).id));
    if (nexttoken === null) return found;
    next = { nexttoken };
  }
}

/** A count ends short where the machine is slow, and goes on behind its cursor. */
async function countAll(node: Node, call: AuthorizedCall, filter: string): Promise<number> {
  let counted = 0;
  for (let next: Readonly<Record<string, string>> = {}; ; ) {
    const { count, nexttoken } = await node.runtime.count(call, await queryBy(call, { filter, ...next }));
    counted += count;
    if (nexttoken === undefined) return counted;
    next = { nexttoken };
  }
}

for (const kind of storeKinds)
  test(`a list by what lookups point to is that of the records it holds of, in ${kind}, with what is hidden absent`, async (context) => {
    const { node, call, tickets, others } = await openTickets(context, kind);
    const filter = combined(atoms(others)).filter(({ text }) => text.length < 1000 && text.split('_id').length <= 20);
    const property = fc.asyncProperty(
      filter,
      fc.constantFrom('1', '3', '200'),
      fc.constantFrom({ sortdir: 'asc' }, { sortby: 'status', sortdir: 'asc' }),
      async ({ text, holds }, pagesize, order) => {
        const ordered =
          'sortby' in order ? tickets.toSorted((a, b) => String(a.status).localeCompare(String(b.status))) : tickets;
        const expected = ordered.filter(holds).map(({ id }) => id);
        assert.deepEqual(await listAll(node, call, { filter: text, pagesize, ...order }), expected);
        assert.equal(await countAll(node, call, text), expected.length);
      },
    );
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 250 : 50) });
  });
