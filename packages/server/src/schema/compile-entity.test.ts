import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledEntity, compileEntity, recordsMayMeet } from './compile-entity.ts';
import type { FieldDefinition } from './definition.ts';
import { systemEntities } from './system/system-entities.ts';

const shared = 'org#{org};shared';

function entity(entityName: string, keys?: { pk?: string; sk?: string }, fields: FieldDefinition[] = []) {
  const baseKeys = {
    pkTemplate: keys?.pk ?? `org#{org};data#${entityName}`,
    skTemplate: keys?.sk ?? `${entityName}#{id}`,
  };
  return compileEntity({ entityName, baseKeys, UpdateParams: fields }, 1);
}

const meeting: readonly (readonly [what: string, CompiledEntity, CompiledEntity])[] = [
  ['with one template', entity('a', { pk: shared, sk: 'x#{id}' }), entity('b', { pk: shared, sk: 'x#{id}' })],
  ['where a value can imitate', entity('a', { pk: shared, sk: '{k}#{id}' }), entity('b', { pk: shared, sk: 'x#{id}' })],
  ['where a partition can be imitated', entity('a', { pk: 'org#{org};data#{kind}', sk: 'b#{id}' }), entity('b')],
  ['where one lies below the other', entity('a'), entity('b', { pk: 'org#{org};data#a', sk: 'a#b#{id}' })],
  ['where a value can put one below the other', entity('a', { pk: shared, sk: '{k};{l}#{id}' }), entityBelow()],
  [
    'where one lies below a system entity',
    systemEntity('useraclpolicy'),
    entity('b', { pk: 'org#{org};data#useraclpolicy', sk: 'useraclpolicy#x#{id}' }),
  ],
];

function entityBelow(): CompiledEntity {
  return entity('b', { pk: shared, sk: 'x;y#{id}' });
}

for (const [what, left, right] of meeting)
  test(`entities may meet ${what}`, () => {
    assert.equal(recordsMayMeet(left, right), true);
    assert.equal(recordsMayMeet(right, left), true);
  });

const apart: readonly (readonly [what: string, CompiledEntity, CompiledEntity])[] = [
  ['under the default templates', entity('order'), entity('orders')],
  ['in one partition under names of their own', entity('a', { pk: shared }), entity('b', { pk: shared })],
  ['in partitions of different shape', entity('a'), entity('b', { pk: 'org#{org};data#a#x', sk: 'a#{id}' })],
];

for (const [what, left, right] of apart)
  test(`entities do not meet ${what}`, () => {
    assert.equal(recordsMayMeet(left, right), false);
    assert.equal(recordsMayMeet(right, left), false);
  });

test('records are found by their key only where it is the id behind a fixed start, all in one partition', () => {
  const start = (pk: string, sk: string) => entity('a', { pk, sk }).directSortPrefix;
  assert.equal(start('org#{org};data#a', 'a#{id}'), 'a#');
  assert.equal(start('org#{org};x', 'x;y#{id}'), 'x;y#');
  assert.equal(start('org#{org};data#a', 'a#{id};x'), undefined);
  assert.equal(start('org#{org};data#a', '{id}'), undefined);
  assert.equal(start('org#{org};data#a', 'a{id}'), undefined);
  assert.equal(start('org#{org};data#a', 'a#{sub}'), undefined);
  assert.equal(start('org#{org};user#{user_id}', 'a#{id}'), undefined);
});

test('`updated_at` and a field called `name` have an index unasked, others where they ask for it', () => {
  const fields = [{ name: 'name' }, { name: 'title', index: true }, { name: 'note' }];
  const indexed = entity('a', {}, fields).indexes.map(({ name }) => name);
  assert.deepEqual(indexed, ['name', 'title', 'updated_at']);
  assert.deepEqual(
    entity('a', {}, [{ name: 'name', colType: 'json' }]).indexes.map(({ name }) => name),
    ['updated_at'],
  );
});

test('an `id` in the catalog is the platform’s own', () => {
  assert.deepEqual([...entity('a', {}, [{ name: 'id', colType: 'guid' }, { name: 'x' }]).fields.keys()], ['x']);
});

test('no two indexes and no two entities share an index partition', () => {
  const fields = [
    { name: 'id', index: true },
    { name: 'x', index: true },
    { name: 'name', index: true },
  ];
  const entities = [entity('a', {}, fields), entity('a_field', {}, fields), ...systemEntities.values()];
  const partitions = entities.flatMap(({ indexes, idIndexPk }) => [idIndexPk, ...indexes.map(({ pk }) => pk)]);
  assert.equal(new Set(partitions).size, partitions.length);
});

function systemEntity(name: string): CompiledEntity {
  const found = systemEntities.get(name);
  assert.ok(found !== undefined);
  return found;
}
