import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition, FieldValue } from '../../schema/definition.ts';
import type { OpenedStore } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listQuery, type Node, RecordBench, SteppedClock, user } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import { type PlainFilter, type PlainListContext, type PlainQuery, plainList } from '../testing/plain-list.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { operators } from './filter.ts';
import { scopeToCaller } from './list-scope.ts';

/** Every type of field twice: with an index and without one. */
const types = {
  string: ['', 'a', 'A', 'ab', 'b', 'é', '😀', '\uffff', '\u0001', 'a\u0001', 'a,b', 'a'.repeat(511)],
  number: [0, 1, -1, 0.5, -0.5, -9007199254740991, 5e-324, 9007199254740991],
  boolean: [true, false],
  guid: ['018bcfe5-0000-7000-8000-000000000001', 'ffffffff-0000-7000-8000-000000000002'],
  enum: ['open', 'done'],
  integer: [0, 1, -1, 10, 9, -9007199254740991, 9007199254740991],
  date: ['2026-11-20', '2024-02-29', '0001-01-01', '9999-12-31'],
  datetime: ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.001Z', '1969-12-31T23:59:59.999Z'],
  email: ['a@b.example', 'B@b.example'],
  url: ['https://a.example/#x', 'https://a.example/'],
} as const;
type TypeName = keyof typeof types;
const typeNames = Object.keys(types) as TypeName[];
const other = '018bcfe5-0000-7000-8000-0000000000aa';
const folders = ['f', 'g', 'f#', 'f;by#integer_x', '%', '\u0001', 'x'.repeat(500), `${'x'.repeat(500)}y`, ''];
const texts = ['red', 'Redo the red', 'blue red', 'réd-ish 7', '', '...'];
const questions = ['red', 're', 'r', 'red b', 'RED', 'reddish', 'red re', 'blue red red', '7', 'x', 'the redo', 'rÉd'];

const UpdateParams = [
  ...typeNames.flatMap((colType) => {
    const hints = colType === 'enum' ? { enumValues: types.enum } : {};
    return [
      { name: `${colType}_x`, colType, index: true, ...hints },
      { name: `${colType}_y`, colType, ...hints },
    ];
  }),
  { name: 'name' },
  { name: 'keeper', colType: 'guid' },
  { name: 'folder' },
  { name: 'text', search: true },
  { name: 'tags', colType: 'array', items: { colType: 'string' }, search: true },
  { name: 'ref', colType: 'guid', lookup: { entity: 'target' } },
  { name: 'no', colType: 'autoincrement', index: true },
  { name: 'label', colType: 'formula', formula: '{string_x}{integer_y}', index: true },
];
const searched = ['text', 'tags'];
const sortable = [...typeNames.map((type) => `${type}_x`), 'name', 'label', 'no', 'ref', 'updated_at', 'created_at'];
const owner = (ownerFieldName: string, gskTemplate: string, scopeList = false) => ({
  ownerFieldName,
  gpkTemplate: `org#{org};o#{${ownerFieldName}}`,
  gskTemplate,
  scopeList,
});
const parent = (parentFieldName: string, gskTemplate: string) => ({
  parentFieldName,
  gpkTemplate: `org#{org};p#{${parentFieldName}}`,
  gskTemplate,
});

/** The same fields, kept in other ways. */
const entities: Readonly<Record<string, Partial<EntityDefinition>>> = {
  direct: { ownerIndexes: [owner('keeper', 'k#{id}')], parentIndex: parent('folder', '{integer_x}#{id}') },
  templated: {
    baseKeys: { pkTemplate: 'org#{org};{user_id}', skTemplate: 'z#{id};x' },
    ownerIndexes: [owner('created_by', '{id}'), owner('keeper', '{string_x};{id}', true)],
    parentIndex: parent('enum_y', '{created_at}'),
  },
  scoped: {
    ownerIndexes: [owner('created_by', '{number_x};{id}', true), owner('keeper', '{name}')],
    parentIndex: parent('integer_y', '{label};{id}'),
  },
};

const owners = [user, other];

/** One of the field's values, or for texts one at the length where an index cuts. */
function oneOf(field: string): fc.Arbitrary<FieldValue> {
  if (field === 'keeper') return fc.constantFrom(...owners);
  if (field === 'folder') return fc.constantFrom(...folders);
  if (field === 'text') return fc.constantFrom(...texts);
  if (field === 'tags') return fc.constantFrom('red', 'blue', 'x');
  if (field === 'no') return fc.nat({ max: 15 });
  if (field === 'label') return fc.constantFrom('a1', '', 'a', 'ab-1');
  const type = field === 'name' ? 'string' : (field.slice(0, -2) as TypeName);
  const usual: fc.Arbitrary<FieldValue> = fc.constantFrom<FieldValue>(...types[type]);
  if (type !== 'string') return usual;
  const long = fc.constantFrom(
    'a'.repeat(508),
    'a'.repeat(509),
    'a'.repeat(512),
    `${'a'.repeat(511)}é`,
    'a'.repeat(600),
  );
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: long });
}

const sentNames = [...typeNames.flatMap((type) => [`${type}_x`, `${type}_y`]), 'name', 'folder', 'text'];
const bodyFields = fc.record(
  {
    ...Object.fromEntries(sentNames.map((field) => [field, oneOf(field)])),
    keeper: fc.option(oneOf('keeper'), { nil: null }),
    tags: fc.uniqueArray(oneOf('tags'), { maxLength: 2 }),
    ref: fc.nat({ max: 2 }),
  },
  { requiredKeys: [] },
);
/** The created item, and its creator. */
const creation = fc.record({ body: bodyFields, by: fc.constantFrom(...owners) });
type Creation = typeof creation extends fc.Arbitrary<infer C> ? C : never;

const filter: fc.Arbitrary<PlainFilter> = fc
  .tuple(
    fc.constantFrom(...sentNames, 'keeper', 'tags', 'no', 'label', 'folder', 'folder'),
    fc.constantFrom(...operators, 'eq'),
  )
  .chain(([field, wanted]) => {
    const operator = field === 'tags' && wanted !== 'exists' ? 'contains' : wanted;
    const lengthMax = operator === 'contains' ? 250 : Number.POSITIVE_INFINITY;
    const values = oneOf(field).filter((value) => !String(value).includes(',') && String(value).length <= lengthMax);
    const count = operator === 'between' ? 2 : operator === 'in' ? 3 : 1;
    const given =
      operator === 'exists' ? fc.tuple(fc.boolean()) : fc.array(values, { minLength: count, maxLength: count });
    return given.map((chosen) => ({ field, operator, values: chosen }));
  });

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const query = fc.record({
  filters: fc.uniqueArray(filter, { maxLength: 2, selector: ({ field }) => field }),
  owner: rarely(fc.constantFrom(...owners)),
  all: fc.boolean(),
  q: maybe(fc.constantFrom(...questions)),
  ref: rarely(fc.nat({ max: 2 })),
  sortby: maybe(fc.constantFrom(...sortable)),
  sortdir: maybe(fc.constantFrom('asc', 'desc')),
  pagesize: fc.integer({ min: 1, max: 7 }),
});
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

for (const entityName of Object.keys(entities))
  test(`a list of ${entityName} records gives those that are asked for, in order, whatever the query`, async () => {
    const clock = new SteppedClock();
    await holdToModel(await openStore({ kind: 'memory', clock }), clock, { entityName, numRuns: thinned(150) });
  });

const directory = mkdtempSync(join(tmpdir(), 'freehold-lists-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the same holds on disk', async () => {
  const clock = new SteppedClock();
  const path = join(directory, 'store.db');
  const opened = await openStore({ kind: 'sqlite', path, clock, onFatal: (error) => assert.fail(error) });
  try {
    for (const entityName of Object.keys(entities)) await holdToModel(opened, clock, { entityName, numRuns: 6 });
  } finally {
    await opened.store.close();
  }
});

async function holdToModel(
  opened: OpenedStore,
  clock: SteppedClock,
  { entityName, numRuns }: { readonly entityName: string; readonly numRuns: number },
): Promise<void> {
  const node = new RecordBench(opened, clock).node();
  if ((await node.configs.current('acme')).active('target') === undefined)
    await node.admin.define('acme', { entityName: 'target' });
  await node.admin.define('acme', { entityName, UpdateParams, ...entities[entityName] });
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(creation, { minLength: 3, maxLength: 14 }),
    fc.array(query, { minLength: 8, maxLength: 8 }),
    async (creations, queries) => {
      const { workspace } = new RecordBench(opened, clock, `${entityName}${++runs}`);
      const call = await node.call(entityName, { workspace });
      const refs = await makeTargets(node, { workspace });
      const records: RecordData[] = [];
      for (const one of creations) {
        records.push(await make(node, call, { one, refs }));
        clock.advance(1);
      }
      for (const one of queries) await compareWithModel(node, call, { records, query: one, refs });
    },
  );
  await fc.assert(property, { numRuns });
}

async function makeTargets(node: Node, auditCaller: Pick<RecordCall, 'workspace'>): Promise<readonly string[]> {
  const call = await node.call('target', auditCaller);
  const made = await Promise.all([0, 1, 2].map(() => node.runtime.create(call, {})));
  return made.map(({ data }) => data.id);
}

async function make(
  node: Node,
  call: RecordCall,
  { one: { body, by }, refs }: { readonly one: Creation; readonly refs: readonly string[] },
): Promise<RecordData> {
  const { ref, ...fields } = body as Readonly<Record<string, FieldValue>>;
  const sent = ref === undefined ? fields : { ...fields, ref: refs[Number(ref)] };
  return (await node.runtime.create({ ...call, actor: { userId: by, claims: {} } }, sent)).data;
}

interface ListCase {
  readonly records: readonly RecordData[];
  readonly query: Query;
  readonly refs: readonly string[];
}

async function compareWithModel(node: Node, call: RecordCall, { records, query, refs }: ListCase): Promise<void> {
  const place = placeOf(call);
  const { ref, ...rest } = query;
  const filters = ref === undefined ? rest.filters : [...rest.filters, refFilter(refs[ref])];
  // `all` is refused where no list is scoped, and beside `owner`.
  const request = { ...rest, filters, all: rest.all && place.isScoped && rest.owner === undefined };
  const parameters = parametersOf(request);
  const expected = plainList(records, request, place);
  const listed = await listScoped(node, call, parameters);
  const reported = JSON.stringify(parameters);
  assert.deepEqual(sharesOf(listed, records, query), sharesOf(expected, records, query), reported);
  const { pagesize: _pagesize, ...counted } = parameters;
  const counting = await node.runtime.count(call, scoped(call, counted));
  assert.deepEqual(counting, { count: expected.length }, reported);
  const totaled = scoped(call, { ...parameters, total: 'true' });
  const total = await node.runtime.total(call, totaled, await node.runtime.list(call, totaled));
  assert.equal(total, expected.length, reported);
}

function refFilter(id: string | undefined): PlainFilter {
  return { field: 'ref', operator: 'eq', values: [id ?? ''] };
}

/** `owner` is of the index that scopes lists, or of the first. */
function placeOf({ entity, actor }: RecordCall): PlainListContext {
  const { ownerIndexes = [] } = entity.definition;
  const scoping = ownerIndexes.find(({ scopeList }) => scopeList === true);
  const ownerField = (scoping ?? ownerIndexes[0])?.ownerFieldName ?? '';
  return { caller: actor.userId, ownerField, isScoped: scoping !== undefined, searched };
}

/** A query of a caller who may browse. */
function scoped(call: RecordCall, parameters: Readonly<Record<string, string>>) {
  const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
  return scopeToCaller({ ...call, access }, listQuery(call, parameters));
}

async function listScoped({ runtime }: Node, call: RecordCall, parameters: Readonly<Record<string, string>>) {
  const ids: string[] = [];
  for (let nexttoken: string | null | undefined; nexttoken !== null; ) {
    const page = await runtime.list(
      call,
      scoped(call, nexttoken === undefined ? parameters : { ...parameters, nexttoken }),
    );
    ids.push(...page.items.map(({ value }) => (JSON.parse(value) as RecordData).id));
    assert.ok(page.nexttoken === null || page.items.length === Number(parameters.pagesize));
    assert.ok(ids.length <= 100, 'the list does not end');
    nexttoken = page.nexttoken;
  }
  return ids;
}

function parametersOf({ filters, owner, all, q, sortby, sortdir, pagesize }: PlainQuery & Pick<Query, 'pagesize'>) {
  const given = filters.flatMap(({ field, operator, values }) => [
    [field, values.map(String).join(',')],
    [`${field}_op`, operator],
  ]);
  const named = { owner, all: all ? 'true' : undefined, q, sortby, sortdir, pagesize: String(pagesize) };
  const parameters = [...given, ...Object.entries(named)].filter(([, value]) => value !== undefined);
  return Object.fromEntries(parameters) as Readonly<Record<string, string>>;
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
