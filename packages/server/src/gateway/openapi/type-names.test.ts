import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pascalCase, withTypeNames } from './type-names.ts';

const entityName = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
/** Names that come out alike where nobody looks. */
const awkward = fc.constantFrom(
  'order',
  'order_',
  'order_page',
  'order_create',
  'order_1',
  'order1',
  'a_b',
  'a__b',
  'ab',
);
const entities = fc
  .uniqueArray(fc.oneof(entityName, awkward), { maxLength: 12 })
  .map((names) => names.map((name) => ({ name })));

test('an entity’s schemas are named as types are', () => {
  const [named] = withTypeNames([{ name: 'order_item' }], []);
  assert.deepEqual(named?.names, {
    record: 'OrderItem',
    create: 'OrderItemCreate',
    update: 'OrderItemUpdate',
    page: 'OrderItemPage',
  });
});

test('a record keeps its name where another entity’s schema would have it', () => {
  const named = withTypeNames([{ name: 'order' }, { name: 'order_page' }], ['Problem']);
  assert.deepEqual(
    named.map(({ names }) => [names.record, names.page]),
    [
      ['Order', 'OrderPage_'],
      ['OrderPage', 'OrderPagePage'],
    ],
  );
});

test('no two schemas have one name, whatever the entities are called', () => {
  fc.assert(
    fc.property(entities, (list) => {
      const taken = ['Problem', 'Order', 'OrderPage'];
      const names = [...taken, ...withTypeNames(list, taken).flatMap((named) => Object.values(named.names))];
      assert.equal(new Set(names).size, names.length);
    }),
  );
});

test('no two entities have one name in the names of operations', () => {
  fc.assert(
    fc.property(entities, (list) => {
      assert.equal(new Set(list.map(({ name }) => pascalCase(name))).size, list.length);
    }),
  );
});
