/** A definition whose fields have other names reads and writes the very records that the one before it wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition, EntityState, FieldValue } from '../schema/port.ts';
import { compileEntity, newEntityState, nextEntityState } from '../schema/port.ts';
import { sealer } from '../testing/record-bench.ts';
import { derive } from './indexes/derive.ts';
import { makeRecord, readRecord, storedText } from './record.ts';
import { updatedRecordKey } from './record-keys.ts';
import { statesBesideFields } from './writing/record-checks.ts';
import { storedJson } from './writing/record-size.ts';
import { readSealed, sealValues } from './writing/sealed-values.ts';

type Names = Readonly<Record<'n' | 'owner' | 'rank' | 'tags' | 'secret' | 'number' | 'title' | 'word', string>>;

const previous: Names = {
  n: 'n',
  owner: 'owner',
  rank: 'rank',
  tags: 'tags',
  secret: 'secret',
  number: 'number',
  title: 'title',
  word: 'word',
};
const renamed: Names = {
  n: 'count',
  owner: 'holder',
  rank: 'place',
  tags: 'labels',
  secret: 'token',
  number: 'serial',
  title: 'rank_of_title',
  word: 'name',
};

/** Every part of a definition that names fields, with these names. */
function definitionWith(names: Names): EntityDefinition {
  const field = (key: keyof Names) =>
    names[key] === key ? { name: key } : { name: names[key], storedAs: key, aliases: [key], formerNames: [key] };
  const { n, owner, rank, word } = names;
  return {
    entityName: 'order',
    baseKeys: { pkTemplate: `org#{org};order`, skTemplate: `order#{${rank}}#{id}` },
    UpdateParams: [
      { ...field('n'), colType: 'integer', index: true },
      { ...field('owner') },
      { ...field('rank'), colType: 'integer' },
      {
        ...field('tags'),
        colType: 'array',
        items: { colType: 'guid', lookup: { entity: 'tag', onDelete: 'setnull' } },
      },
      { ...field('secret'), colType: 'encrypted' },
      { ...field('number'), colType: 'autoincrement' },
      { ...field('title'), search: true },
      { ...field('word'), index: true },
      { name: 'twice', colType: 'formula', formula: { cel: `${n} * 2`, type: 'integer' }, index: true },
    ],
    ownerIndexes: [
      { ownerFieldName: owner, gpkTemplate: `org#{org};owner#{${owner}}`, gskTemplate: `order#{${rank}}#{id}` },
    ],
    parentIndex: { parentFieldName: word, gpkTemplate: `org#{org};of#{${word}}`, gskTemplate: 'order#{id}' },
    UniqueIndexes: [{ indexName: 'one', fields: [n, rank] }],
    indexes: [{ fields: [rank, `-${n}`] }],
  };
}

const before = definitionWith(previous);
const after = definitionWith(renamed);
/** Production has values of a field that test never had, under a name that a field has now. */
const current: EntityState = { ...newEntityState(before, 1), hidden: ['count', 'old'] };
const [first, second] = [compileEntity(before, 1, current)].flatMap((entity) => [
  entity,
  compileEntity(after, 2, nextEntityState(current, { before, after }, 2)),
]);
if (first === undefined || second === undefined) throw new TypeError('both compile');

const stamps = {
  id: '0190b8a0-0000-7000-8000-000000000001',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  created_by: 'u',
  updated_by: 'u',
};

const some = (values: fc.Arbitrary<FieldValue>) => fc.option(values, { nil: undefined });
const values = fc.record({
  n: some(fc.integer()),
  owner: some(fc.string({ maxLength: 5 })),
  rank: fc.integer(),
  tags: some(fc.array(fc.uuid(), { maxLength: 3 })),
  number: some(fc.nat()),
  title: some(fc.lorem({ maxCount: 3 })),
  word: some(fc.lorem({ maxCount: 1 })),
  old: some(fc.integer()),
  count: some(fc.string({ maxLength: 3 })),
});

test('a rename changes what writers do, and nothing of what is stored', () => {
  const next = nextEntityState(current, { before, after }, 2);
  const { version, generation, indexes, fills, ...others } = next;
  assert.deepEqual([version, generation], [2, 2]);
  assert.deepEqual(indexes, current.indexes);
  assert.deepEqual(others, { hidden: ['count', 'old'], hasSealed: true });
  // The formula has another text, so it may have another meaning.
  assert.deepEqual(fills, [{ field: 'twice', id: 2, state: 'filling' }]);
});

test('a record under its new names has the rows, the key and the text that it had under the old ones', () => {
  fc.assert(
    fc.property(values, fc.integer(), ({ old, count, ...fields }, number) => {
      const kept = Object.fromEntries(Object.entries({ old, count }).filter(([, value]) => value !== undefined));
      const record = makeRecord(first, (name) => fields[name as keyof typeof fields], { ...stamps, ...kept });
      const item = { pk: 'p', sk: 's', version: 7, value: storedJson(first, record) };
      const { data, key } = readRecord(second, item);
      assert.deepEqual(data.count, record.n);
      assert.deepEqual(data['@count'], count);
      assert.deepEqual(data.old, old);
      assert.equal(storedText(second, { data, version: 7 }).value, item.value);
      const written = makeRecord(second, (name) => data[name], data);
      assert.equal(storedJson(second, written), item.value);
      const rows = ({ entries, sentinels, ...others }: ReturnType<typeof derive>) => ({
        ...others,
        entries,
        sentinels: sentinels.map((sentinel) => sentinel.key),
      });
      assert.deepEqual(rows(derive(second, data)), rows(derive(first, record)));
      // A write under either name is read under the other.
      const moved = makeRecord(second, (name) => (name === 'place' ? number : data[name]), data);
      const back = readRecord(first, { ...item, value: storedJson(second, moved) });
      assert.deepEqual(
        back.data,
        makeRecord(first, (name) => (name === 'rank' ? number : record[name]), record),
      );
      const keyed = { key: { pk: 'org#acme;order', sk: `order#${record.rank}#${stamps.id}` }, version: 7 };
      assert.deepEqual(
        updatedRecordKey(second, { ...keyed, data }, moved),
        updatedRecordKey(first, { ...keyed, data: record }, back.data),
      );
      assert.equal(key.sk, 's');
    }),
  );
});

test('a sealed value opens under every name that its field ever has', () => {
  const place = { scope: 'org#acme-main', id: stamps.id };
  const sealed = sealValues(sealer, { ...place, entity: first }, { fields: new Map([['secret', 's1']]), held: {} });
  const held = readSealed(sealed);
  assert.deepEqual(Object.keys(held), ['secret']);
  const untouched = new Map([['place', 1]]);
  assert.equal(sealValues(sealer, { ...place, entity: second }, { fields: untouched, held }), undefined);
  const fields = new Map([['token', 's2']]);
  const written = readSealed(sealValues(sealer, { ...place, entity: second }, { fields, held }));
  assert.deepEqual(Object.keys(written), ['secret']);
  const location = { ...place, entityName: 'order', field: 'secret' };
  assert.equal(sealer.open(written.secret ?? '', location), 's2');
});

test('what records refer to keeps its index and its order among references', () => {
  const [one, other] = [first, second].map(({ indexes }) => indexes.find(({ kind }) => kind === 'elements'));
  assert.equal(one?.pk, other?.pk);
  assert.equal(other?.name, 'labels');
});

test('a reply shows a renamed field, so it is never the stored text', () => {
  assert.equal(compileEntity(before, 1).views.of('get', 'default'), 'stored');
  assert.notEqual(compileEntity(after, 1).views.of('get', 'default'), 'stored');
});

test('a field that was called like a state of a record keeps its place in policies', () => {
  const definition = (name: string): EntityDefinition => ({
    entityName: 'order',
    UpdateParams: [{ name, storedAs: 'Before', formerNames: ['Before'] }],
  });
  const states = { before: 1, after: 2 };
  assert.deepEqual(statesBesideFields(compileEntity(definition('earlier'), 1), states), { after: 2 });
});
