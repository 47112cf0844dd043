import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { derived, listAll, listQuery, type Node, openBench, RecordBench } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { type PlainFilter, type PlainListContext, plainList } from '../testing/plain-list.ts';
import { rowsWhere } from '../testing/rows.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { readListQuery } from './list-query.ts';

/** Texts around the length at which a compound index cuts them, and values of types that sort in ways of their own. */
const cutAt = 117;
const values = {
  text: ['', 'a', 'ab', 'b', 'é', '😀', '\u0001', 'a\u0001', '\uffff', ...[116, 117, 118].map((n) => 'a'.repeat(n))],
  number: [-0, 0, 1, -1, 0.5, -0.5, -9007199254740991, 5e-324],
  day: ['2026-11-20', '2024-02-29', '0001-01-01'],
  flag: [true, false],
} as const;
type Field = keyof typeof values;
const fields = Object.keys(values) as Field[];
const long = `${'a'.repeat(118)}b`;

const UpdateParams = [
  { name: 'text' },
  { name: 'number', colType: 'number', index: true },
  { name: 'day', colType: 'date' },
  { name: 'flag', colType: 'boolean' },
];
const orders = [
  ['text', '-number'],
  ['-text', 'flag', '-day'],
  ['flag', 'number', 'text', 'day'],
  ['-day', '-updated_at'],
];

const anyOf = (field: Field) =>
  field === 'text' ? fc.constantFrom<string>(...values.text, long) : fc.constantFrom(...values[field]);
const body = fc.record(Object.fromEntries(fields.map((field) => [field, anyOf(field)])), { requiredKeys: [] });

const operator = fc.constantFrom('eq', 'eq', 'eq', 'gt', 'gte', 'lt', 'lte', 'between', 'ne', 'exists');
const filter: fc.Arbitrary<PlainFilter> = fc.tuple(fc.constantFrom(...fields), operator).chain(([field, chosen]) => {
  const count = chosen === 'between' ? 2 : 1;
  const given: fc.Arbitrary<readonly (string | number | boolean)[]> =
    chosen === 'exists'
      ? fc.tuple(fc.boolean())
      : fc.array<string | number | boolean>(anyOf(field), { minLength: count, maxLength: count });
  return given.map((wanted) => ({ field, operator: chosen, values: wanted }));
});

/** A list in the order of an index or in its reverse, in which fields that a filter fixes may be left out. */
const query = fc.record({
  order: fc.constantFrom(...orders),
  isReverse: fc.boolean(),
  leavesFixedOut: fc.boolean(),
  isUnsorted: fc.boolean(),
  filters: fc.uniqueArray(filter, { maxLength: 3, selector: ({ field }) => field }),
  pagesize: fc.integer({ min: 1, max: 5 }),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

for (const kind of storeKinds)
  test(`a list by several fields gives what is asked for, in order and in both directions (${kind})`, async (t) => {
    const { opened, clock } = await openBench(t, kind);
    const node = new RecordBench(opened, clock).node();
    await node.admin.define('acme', {
      entityName: 'order',
      UpdateParams,
      indexes: orders.map((one) => ({ fields: one })),
    });
    let runs = 0;
    const property = fc.asyncProperty(
      fc.array(body, { minLength: 3, maxLength: 14 }),
      fc.array(query, { minLength: 8, maxLength: 8 }),
      async (bodies, queries) => {
        const bench = new RecordBench(opened, clock, `w${++runs}`);
        const call = await node.call('order', { workspace: bench.workspace });
        for (const one of bodies) {
          await node.runtime.create(call, one);
          clock.advance(1);
        }
        const records = await listAll(node, call, { sortdir: 'asc' });
        for (const one of queries) await compareWithModel(node, call, { records, query: one });
        const { actual, expected } = await derived(bench, call);
        assert.deepEqual(actual, expected);
      },
    );
    await fc.assert(property, { numRuns: thinned(kind === 'memory' ? 150 : 10) });
  });

interface ListCase {
  readonly records: readonly RecordData[];
  readonly query: Query;
}

async function compareWithModel(node: Node, call: RecordCall, { records, query: requested }: ListCase): Promise<void> {
  const keys = keysOf(requested);
  const sort = keys.length === 0 ? {} : sortOf(keys);
  const parameters = { ...filtersOf(requested.filters), ...sort, pagesize: String(requested.pagesize) };
  const listed = (await listAll(node, call, parameters)).map(({ id }) => id);
  const found = new Set(plainList(records, { filters: requested.filters, ...plain }, place));
  const inOrder = (isNewestFirst: boolean): readonly string[] =>
    records
      .filter(({ id }) => found.has(id))
      .toSorted(
        (left, right) => compareBy(keys, left, right) || (left.id < right.id ? -1 : 1) * (isNewestFirst ? -1 : 1),
      )
      .map(({ id }) => id);
  const reported = JSON.stringify(parameters);
  // Equal records are in creation order, or in its reverse, as a whole.
  const expected = [true, false].map(inOrder).find((ids) => ids.join() === listed.join());
  assert.deepEqual(listed, expected ?? inOrder(keys.length === 0), reported);
  const { pagesize: _, ...counted } = parameters;
  assert.deepEqual(await node.runtime.count(call, listQuery(call, counted)), { count: found.size }, reported);
}

interface Key {
  readonly field: string;
  readonly descending: boolean;
}

/** Those of the index that no filter fixes, if the query leaves these out. */
function keysOf({ order, isReverse, leavesFixedOut, isUnsorted, filters }: Query): readonly Key[] {
  if (isUnsorted) return [];
  const isFixed = (name: string) => filters.some((one) => one.field === name && one.operator === 'eq');
  const keys = order.map((part) => ({
    field: part.replace('-', ''),
    descending: part.startsWith('-') !== isReverse,
  }));
  return leavesFixedOut ? keys.filter(({ field }) => !isFixed(field)) : keys;
}

function sortOf(keys: readonly Key[]) {
  const directions = keys.map(({ descending }) => (descending ? 'desc' : 'asc'));
  const sortdir = new Set(directions).size === 1 ? directions[0] : directions.join();
  return { sortby: keys.map(({ field }) => field).join(), sortdir: sortdir ?? '' };
}

function filtersOf(filters: readonly PlainFilter[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filters.flatMap(({ field, operator: chosen, values: wanted }) => [
      [field, wanted.map(String).join()],
      [`${field}_op`, chosen],
    ]),
  );
}

function compareBy(keys: readonly Key[], left: RecordData, right: RecordData): number {
  for (const { field, descending } of keys) {
    const order = compareValues(left[field], right[field]);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** No value comes before any, and of a text the index has the beginning. */
function compareValues(left: unknown, right: unknown): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  if (typeof left === 'string' && typeof right === 'string')
    return Math.sign(Buffer.compare(beginningOf(left), beginningOf(right)));
  return Math.sign(Number(left) - Number(right));
}

function beginningOf(text: string): Buffer {
  return Buffer.from(text.slice(0, cutAt));
}

const plain = { owner: undefined, all: false, q: undefined, sortby: undefined, sortdir: undefined };
const place: PlainListContext = { caller: '', ownerField: '', isScoped: false, searched: [] };

test('an export in another order is refused, with the index to declare', async (t) => {
  const bench = await openBench(t);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'order', UpdateParams, indexes: [{ fields: ['text', '-number'] }] });
  const call = await node.call('order');
  const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ sortby: 'text,number' }, /declare `indexes: \[\{"fields": \["text", "number"\]\}\]`$/],
    [{ sortby: 'number,text', sortdir: 'desc,asc' }, /declare `indexes: \[\{"fields": \["number", "-text"\]\}\]`$/],
    [{ sortby: 'text,number,day', sortdir: 'asc,desc,asc' }, /"text", "-number", "day"/],
    [{ sortby: 'text' }, /^field `text` has no index: give it `index: true`/],
    [{ sortby: 'text', number: '1', number_op: 'gte' }, /^field `text` has no index/],
  ];
  for (const [parameters, message] of refused)
    assert.throws(() => readListQuery(call.entity, new Map(Object.entries(parameters)), 'export'), {
      code: 'unindexed_sort',
      message,
    });
  const wrong: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ sortby: 'text,colour' }, '/sortby unknown_field'],
    [{ sortby: 'text,' }, '/sortby unknown_field'],
    [{ sortby: 'text,text' }, '/sortby duplicate'],
    [{ sortby: 'text,id' }, '/sortby contradiction'],
    [{ sortby: 'text,number,day,flag,updated_at' }, '/sortby too_many'],
    [{ sortby: 'text,number', sortdir: 'asc,desc,asc' }, '/sortdir wrong_type'],
    [{ sortby: 'text,number', sortdir: 'asc,down' }, '/sortdir wrong_type'],
    [{ sortby: 'number', sortdir: 'asc,desc' }, '/sortdir wrong_type'],
    [{ sortdir: 'asc,desc' }, '/sortdir wrong_type'],
  ];
  for (const [parameters, expected] of wrong)
    assert.throws(
      () => listQuery(call, parameters),
      (error: { details?: { errors?: readonly { pointer: string; code: string }[] } }) =>
        error.details?.errors?.map(({ pointer, code }) => `${pointer} ${code}`).join() === expected,
      JSON.stringify(parameters),
    );
});

test('a value that policies ask of every record takes no order from its lists', async (t) => {
  const bench = await openBench(t);
  const node = bench.node();
  const indexes = [{ fields: ['text', '-number', 'flag'] }];
  await node.admin.define('acme', { entityName: 'order', UpdateParams, indexes });
  const call = await node.call('order');
  for (const text of ['b', 'a'])
    for (const number of [1, 2]) await node.runtime.create(call, { text, number, flag: number === 1 });
  for (const [field, value] of [
    ['text', 'a'],
    ['number', '1'],
    ['flag', 'true'],
  ] as const) {
    const rows = rowsWhere((record) => String(record[field]) === value, { equalities: [{ field, value }] });
    const sort = { sortby: 'text,number,flag', sortdir: 'asc,desc,asc' };
    const requested = await listAll(node, { ...call, rows }, sort);
    assert.deepEqual(requested, await listAll(node, call, { ...sort, [field]: value }));
    assert.equal(requested.length, 2);
    const query = listQuery(call, { text: 'a', $total: 'true' });
    const page = await node.runtime.list({ ...call, rows }, query);
    assert.equal(await node.runtime.total({ ...call, rows }, query, page), page.items.length);
  }
});
