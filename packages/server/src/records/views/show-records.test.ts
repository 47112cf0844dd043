import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileEntity } from '../../schema/compile-entity.ts';
import type { FieldDefinition, FieldValue, ViewField } from '../../schema/definition.ts';
import { compileView, type Projection } from '../../schema/views/entity-views.ts';
import { thinned } from '../../store/testing/quick.ts';
import { type LookupSource, type ShownRecord, showRecords } from './show-records.ts';

const stamps = { created_at: 'c', updated_at: 'u', created_by: 'me', updated_by: 'you' };

function record(id: string, fields: Readonly<Record<string, FieldValue>> = {}): ShownRecord {
  return { version: 7, data: { id, ...fields, ...stamps } };
}

function view(catalog: readonly FieldDefinition[], fields: readonly ViewField[]): Projection {
  return compileView({ fields }, compileEntity({ entityName: 'order', UpdateParams: catalog }, 1));
}

interface Fixture {
  readonly records: Readonly<Record<string, readonly ShownRecord[]>>;
  readonly projections: Readonly<Record<string, Projection>>;
  readonly hidden?: readonly string[];
}

/** The source of the records, and every read that was made of it. */
function sourceOf({ records, projections, hidden = [] }: Fixture) {
  const reads: string[] = [];
  const source: LookupSource = {
    fetch: async (entityName, ids) => {
      reads.push(`${entityName} ${ids.join(',')}`);
      return (records[entityName] ?? []).filter(({ data }) => ids.includes(data.id)).reverse();
    },
    mayRead: (entityName, id) => !hidden.includes(`${entityName} ${id}`),
    projection: async (entityName, name) => projections[`${entityName} ${name}`],
  };
  return { reads, source };
}

async function shown(
  records: readonly ShownRecord[],
  projection: Projection,
  source: LookupSource,
): Promise<unknown[]> {
  return (await showRecords(records, projection, source)).map((text) => JSON.parse(text));
}

const nothing = sourceOf({ records: {}, projections: {} }).source;
const customer: FieldDefinition = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
const asCustomer: ViewField = { name: 'customer_id', lookup: { view: 'compact', as: 'customer' } };
const compact = view([{ name: 'name' }], [{ name: 'id' }, { name: 'name' }]);

test('shows the fields of the view, in its order and by its names', async () => {
  const projection = view(
    [{ name: 'title' }, { name: 'amount', colType: 'number' }, { name: 'note' }],
    [
      { name: 'version' },
      { name: 'title' },
      { name: 'amount', as: 'total', cast: 'string' },
      { name: 'note' },
      { name: 'created_by' },
    ],
  );
  const texts = await showRecords([record('1', { title: 'a "b"', amount: 2, other: 1 })], projection, nothing);
  assert.deepEqual(texts, ['{"version":7,"title":"a \\"b\\"","total":"2","created_by":"me"}']);
});

test('a cast that says nothing shows null, an absent field is left out whatever its cast', async () => {
  const projection = view(
    [{ name: 'a' }, { name: 'b' }],
    [
      { name: 'a', cast: 'number' },
      { name: 'b', cast: 'number' },
    ],
  );
  assert.deepEqual(await showRecords([record('1', { a: 'x' })], projection, nothing), ['{"a":null}']);
});

test('a view that is older than the catalog shows nothing that is gone, or has become secret, or points nowhere any more', async () => {
  const projection = view(
    [{ name: 'pin', colType: 'encrypted' }, { name: 'customer_id' }, { name: 'kept' }],
    [{ name: 'pin' }, { name: 'gone' }, asCustomer, { name: 'kept' }],
  );
  const stored = record('1', { pin: '1234', gone: 1, customer_id: 'c1', kept: 'k' });
  assert.deepEqual(await showRecords([stored], projection, nothing), ['{"kept":"k"}']);
});

test('shows the record that a field points to, and its id only where that is listed too', async () => {
  const { source } = sourceOf({
    records: { customer: [record('c1', { name: 'Ann' })] },
    projections: { 'customer compact': compact },
  });
  const one = record('1', { customer_id: 'c1' });
  assert.deepEqual(await showRecords([one], view([customer], [asCustomer]), source), [
    '{"customer":{"id":"c1","name":"Ann"}}',
  ]);
  assert.deepEqual(await showRecords([one], view([customer], [{ name: 'customer_id' }, asCustomer]), source), [
    '{"customer_id":"c1","customer":{"id":"c1","name":"Ann"}}',
  ]);
});

test('a record that is missing, or not the caller’s to get, or of no entity, is null, and an empty lookup is left out', async () => {
  const { source, reads } = sourceOf({
    records: { customer: [record('c1', { name: 'Ann' }), record('c2', { name: 'Bob' })] },
    projections: { 'customer compact': compact },
    hidden: ['customer c2', 'customer c4'],
  });
  const records = ['c1', 'c2', 'c3', 'c4'].map((id) => record(id, { customer_id: id }));
  assert.deepEqual(await shown([...records, record('5')], view([customer], [asCustomer]), source), [
    { customer: { id: 'c1', name: 'Ann' } },
    { customer: null },
    { customer: null },
    { customer: null },
    {},
  ]);
  assert.deepEqual(reads, ['customer c1,c3']);
  const lost: FieldDefinition = { ...customer, lookup: { entity: 'lost' } };
  assert.deepEqual(await shown(records.slice(0, 1), view([lost], [asCustomer]), source), [{ customer: null }]);
});

test('reads each level of an entity at once and no record twice, whichever record and view points to it', async () => {
  const person: readonly FieldDefinition[] = [
    { name: 'name' },
    { name: 'boss', colType: 'guid', lookup: { entity: 'customer' } },
    { name: 'deputy', colType: 'guid', lookup: { entity: 'customer' } },
  ];
  const { source, reads } = sourceOf({
    records: {
      customer: [
        record('a', { name: 'A', boss: 'b', deputy: 'c' }),
        record('b', { name: 'B', boss: 'a' }),
        record('c'),
      ],
    },
    projections: {
      'customer compact': compact,
      'customer full': view(person, [
        { name: 'id' },
        { name: 'boss', lookup: { view: 'full', as: 'boss' } },
        { name: 'deputy', lookup: { view: 'compact', as: 'deputy' } },
      ]),
    },
  });
  const projection = view([customer], [asCustomer, { name: 'customer_id', lookup: { view: 'full', as: 'whole' } }]);
  const whole = { id: 'a', boss: { id: 'b', boss: { id: 'a' } }, deputy: { id: 'c' } };
  const both = { customer: { id: 'a', name: 'A' }, whole };
  const records = [record('1', { customer_id: 'a' }), record('2', { customer_id: 'a' })];
  assert.deepEqual(await shown(records, projection, source), [both, both]);
  assert.deepEqual(reads, ['customer a', 'customer b,c']);
});

test('what no longer fits in a reply is shown by its id, however often it is pointed to', async () => {
  const name = 'x'.repeat(1024 * 1024);
  const { source } = sourceOf({
    records: { customer: [record('c1', { name })] },
    projections: { 'customer compact': compact },
  });
  const records = Array.from({ length: 200 }, (_, index) => record(String(index), { customer_id: 'c1' }));
  const texts = await showRecords(records, view([customer], [asCustomer]), source);
  assert.equal(texts.length, 200);
  assert.equal(texts.filter((text) => text === '{"customer":{"id":"c1"}}').length, 197);
  assert.deepEqual(JSON.parse(texts[0] ?? ''), { customer: { id: 'c1', name } });
});

/** The record as the property's view shows it, in the simplest way there is. */
function walk(fixture: Pick<Fixture, 'records' | 'hidden'>, { data }: ShownRecord, depth: number): unknown {
  const walked: Record<string, unknown> = { name: data.name };
  for (const [field, entity] of Object.entries({ left: 'l', right: 'r' })) {
    const id = data[field];
    if (id === undefined) continue;
    const target = fixture.records[entity]?.find((one) => one.data.id === id);
    if (depth === 2) walked[entity] = { id };
    else if (target === undefined || fixture.hidden?.includes(`${entity} ${id}`)) walked[entity] = null;
    else walked[entity] = walk(fixture, target, depth + 1);
  }
  return walked;
}

test('whatever points to whatever, each lookup shows what walking down by hand shows', async () => {
  const ids = ['0', '1', '2', '3', '4'];
  const catalog: readonly FieldDefinition[] = [
    { name: 'name' },
    { name: 'left', colType: 'guid', lookup: { entity: 'l' } },
    { name: 'right', colType: 'guid', lookup: { entity: 'r' } },
  ];
  const full = view(catalog, [
    { name: 'name' },
    { name: 'left', lookup: { view: 'full', as: 'l' } },
    { name: 'right', lookup: { view: 'full', as: 'r' } },
  ]);
  const someId = fc.option(fc.constantFrom(...ids), { nil: undefined });
  const links = fc.array(fc.record({ left: someId, right: someId }), { minLength: 5, maxLength: 5 });
  const fixture = fc.record({
    l: links,
    r: links,
    hidden: fc.subarray(ids.flatMap((id) => [`l ${id}`, `r ${id}`])),
    known: fc.nat(5),
  });
  const property = fc.asyncProperty(fixture, async ({ l, r, hidden, known }) => {
    const recordsOf = (rows: typeof l) =>
      rows
        .slice(0, known)
        .map((row, index) => record(String(index), JSON.parse(JSON.stringify({ name: `n${index}`, ...row }))));
    const records: Readonly<Record<string, readonly ShownRecord[]>> = { l: recordsOf(l), r: recordsOf(r) };
    const { source, reads } = sourceOf({ records, projections: { 'l full': full, 'r full': full }, hidden });

    const first = records.l ?? [];
    assert.deepEqual(
      await shown(first, full, source),
      first.map((one) => walk({ records, hidden }, one, 0)),
    );
    const read = reads.flatMap(
      (line) =>
        line
          .split(' ')[1]
          ?.split(',')
          .map((id) => `${line[0]} ${id}`) ?? [],
    );
    assert.equal(new Set(read).size, read.length, 'no record twice');
    assert.ok(!read.some((place) => hidden.includes(place)), 'nothing that is hidden');
    assert.ok(reads.length <= 4, 'one read a level and entity');
  });
  await fc.assert(property, { numRuns: thinned(300) });
});
