import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openStore } from '../store/open-store.ts';
import type { OpenedStore } from '../store/port.ts';
import type { FieldValue } from './field-types/field-type.ts';
import { type Operator, operators } from './filter.ts';
import type { RecordData } from './record.ts';
import { listAll, listQuery, type Node, RecordBench, SteppedClock } from './record-bench.ts';
import type { RecordCall } from './write-loop.ts';

/** Every type of field twice: with an index and without one. */
const types = {
  string: { values: ['', 'a', 'A', 'ab', 'b', 'é', '😀', '\uffff', '\u0001', 'a\u0001', 'a,b', 'a'.repeat(511)] },
  number: { values: [0, 1, -1, 0.5, -0.5, -9007199254740991, 5e-324, 9007199254740991] },
  boolean: { values: [true, false] },
  guid: { values: ['018bcfe5-0000-7000-8000-000000000001', 'ffffffff-0000-7000-8000-000000000002'] },
  enum: { values: ['open', 'done'] },
} as const;
const typeNames = Object.keys(types) as (keyof typeof types)[];
const fieldNames = [...typeNames.flatMap((type) => [`${type}_x`, `${type}_y`]), 'name'];
const sortable = [...typeNames.map((type) => `${type}_x`), 'name', 'updated_at', 'created_at'];

const UpdateParams = [
  ...typeNames.flatMap((colType) => {
    const hints = colType === 'enum' ? { enumValues: types.enum.values } : {};
    return [
      { name: `${colType}_x`, colType, index: true, ...hints },
      { name: `${colType}_y`, colType, ...hints },
    ];
  }),
  { name: 'name' },
];
const entities = {
  direct: {},
  templated: { baseKeys: { pkTemplate: 'org#{org};{user_id}', skTemplate: 'z#{id};x' } },
} as const;
type EntityName = keyof typeof entities;

function typeOf(field: string): keyof typeof types {
  return field === 'name' ? 'string' : (field.slice(0, -2) as keyof typeof types);
}

/** One of the type's values, or for texts one at the length where an index cuts. */
function oneOf(field: string): fc.Arbitrary<FieldValue> {
  const { values } = types[typeOf(field)];
  const usual: fc.Arbitrary<FieldValue> = fc.constantFrom<FieldValue>(...values);
  if (typeOf(field) !== 'string') return usual;
  const long = fc.constantFrom(
    'a'.repeat(508),
    'a'.repeat(509),
    'a'.repeat(512),
    `${'a'.repeat(511)}é`,
    'a'.repeat(600),
  );
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: long });
}

const record = fc
  .record(Object.fromEntries(fieldNames.map((field) => [field, oneOf(field)])), { requiredKeys: [] })
  .map((fields) => fields as Readonly<Record<string, FieldValue>>);

interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly FieldValue[];
}

const filter: fc.Arbitrary<Filter> = fc
  .tuple(fc.constantFrom(...fieldNames), fc.constantFrom(...operators))
  .chain(([field, operator]) => {
    const values = oneOf(field).filter((value) => !String(value).includes(','));
    const count = operator === 'between' ? 2 : operator === 'in' ? 3 : 1;
    const given =
      operator === 'exists' ? fc.tuple(fc.boolean()) : fc.array(values, { minLength: count, maxLength: count });
    return given.map((chosen) => ({ field, operator, values: chosen }));
  });

const query = fc.record({
  filters: fc.uniqueArray(filter, { maxLength: 2, selector: ({ field }) => field }),
  sortby: fc.option(fc.constantFrom(...sortable), { nil: undefined }),
  sortdir: fc.option(fc.constantFrom('asc', 'desc'), { nil: undefined }),
  pagesize: fc.integer({ min: 1, max: 7 }),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

for (const entityName of ['direct', 'templated'] as const)
  test(`a list of ${entityName} records gives those that meet the filters, in order, whatever the query`, async () => {
    const clock = new SteppedClock();
    await holdToModel(await openStore({ kind: 'memory', clock }), clock, { entityName, numRuns: 150 });
  });

const directory = mkdtempSync(join(tmpdir(), 'freehold-lists-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the same holds on disk', async () => {
  const clock = new SteppedClock();
  const path = join(directory, 'store.db');
  const opened = await openStore({ kind: 'sqlite', path, clock, onFatal: (error) => assert.fail(error) });
  try {
    for (const entityName of ['direct', 'templated'] as const)
      await holdToModel(opened, clock, { entityName, numRuns: 10 });
  } finally {
    await opened.store.close();
  }
});

async function holdToModel(
  opened: OpenedStore,
  clock: SteppedClock,
  { entityName, numRuns }: { readonly entityName: EntityName; readonly numRuns: number },
): Promise<void> {
  const node = new RecordBench(opened, clock).node();
  await node.admin.define('acme', { entityName, UpdateParams, ...entities[entityName] });
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(record, { minLength: 3, maxLength: 14 }),
    fc.array(query, { minLength: 8, maxLength: 8 }),
    async (bodies, queries) => {
      const bench = new RecordBench(opened, clock, `${entityName}${++runs}`);
      const call = await node.call(entityName, { workspace: bench.workspace });
      const records: RecordData[] = [];
      for (const body of bodies) {
        records.push((await node.runtime.create(call, body)).data);
        clock.advance(1);
      }
      for (const one of queries) await compareWithModel(node, call, { records, query: one });
    },
  );
  await fc.assert(property, { numRuns });
}

async function compareWithModel(
  node: Node,
  call: RecordCall,
  { records, query }: { readonly records: readonly RecordData[]; readonly query: Query },
): Promise<void> {
  const parameters = parametersOf(query);
  const expected = expectedOf(records, query);
  const listed = (await listAll(node, call, parameters)).map(({ id }) => id);
  assert.deepEqual(sharesOf(listed, records, query), sharesOf(expected, records, query), JSON.stringify(query));
  const { pagesize: _pagesize, ...counted } = parameters;
  const counting = await node.runtime.count(call, listQuery(call, counted));
  assert.deepEqual(counting, { count: expected.length }, JSON.stringify(query));
}

function parametersOf({ filters, sortby, sortdir, pagesize }: Query): Readonly<Record<string, string>> {
  const given = filters.flatMap(({ field, operator, values }) => [
    [field, values.map(String).join(',')],
    [`${field}_op`, operator],
  ]);
  return {
    ...Object.fromEntries(given),
    ...(sortby === undefined ? {} : { sortby }),
    ...(sortdir === undefined ? {} : { sortdir }),
    pagesize: String(pagesize),
  };
}

/** The plainest reading of the contract: test every record, sort them all. */
function expectedOf(records: readonly RecordData[], { filters, sortby, sortdir }: Query): readonly string[] {
  const found = records.filter((data) => filters.every((one) => meets(data[one.field], one)));
  const direction = (sortby === undefined ? sortdir !== 'asc' : sortdir === 'desc') ? -1 : 1;
  const field = sortby === undefined || sortby === 'created_at' ? undefined : sortby;
  const order = (a: RecordData, b: RecordData): number =>
    (field === undefined ? 0 : compareOptional(a[field], b[field])) || compare(a.id, b.id);
  return found.sort((a, b) => direction * order(a, b)).map(({ id }) => id);
}

/** Texts too long for an index share their beginning's place in the order, so there they are compared as a set. */
function sharesOf(ids: readonly string[], records: readonly RecordData[], { sortby = '' }: Query): readonly unknown[] {
  const isLong = (id: string): boolean => {
    const value = records.find((data) => data.id === id)?.[sortby];
    return typeof value === 'string' && value.length >= 509;
  };
  const shares: unknown[] = [];
  for (const id of ids) {
    const last = shares.at(-1);
    if (!isLong(id)) shares.push(id);
    else if (last instanceof Set) last.add(id);
    else shares.push(new Set([id]));
  }
  return shares;
}

function meets(value: FieldValue | undefined, { operator, values }: Filter): boolean {
  const [first = '', second = ''] = values;
  if (operator === 'exists') return (value !== undefined) === first;
  if (value === undefined) return operator === 'ne';
  switch (operator) {
    case 'eq':
      return value === first;
    case 'ne':
      return value !== first;
    case 'gt':
      return compare(value, first) > 0;
    case 'gte':
      return compare(value, first) >= 0;
    case 'lt':
      return compare(value, first) < 0;
    case 'lte':
      return compare(value, first) <= 0;
    case 'in':
      return values.includes(value);
    case 'between':
      return compare(value, first) >= 0 && compare(value, second) <= 0;
    case 'startswith':
      return String(value).startsWith(String(first));
    case 'contains':
      return String(value).includes(String(first));
  }
}

function compareOptional(left: FieldValue | undefined, right: FieldValue | undefined): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compare(left, right);
}

function compare(left: FieldValue, right: FieldValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
}
