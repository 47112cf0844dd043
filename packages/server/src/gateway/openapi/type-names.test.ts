import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileEntity } from '../../schema/compile-entity.ts';
import type { Views } from '../../schema/definition.ts';
import { pascalCase, typeNames } from './type-names.ts';

const entityName = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
/** Names that become equal by case folding or punctuation. */
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
  .map((names) => names.map((name) => entityOf(name)));

function entityOf(entityName: string, Views: Views = {}) {
  return compileEntity({ entityName, UpdateParams: [{ name: 'title' }], Views }, 1);
}

test('an entity’s schemas are named as types are', () => {
  const [named] = namesOf([entityOf('order_item')], []);
  const { views: _, ...names } = named?.names ?? { views: undefined };
  assert.deepEqual(names, {
    record: 'OrderItem',
    create: 'OrderItemCreate',
    update: 'OrderItemUpdate',
    page: 'OrderItemPage',
    expand: 'OrderItemExpand',
  });
});

test('a record keeps its name where another entity’s schema would have it', () => {
  const named = namesOf([entityOf('order'), entityOf('order_page')], ['Problem']);
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
      const all = [
        ...taken,
        ...namesOf(list, taken).flatMap(({ names }) => [
          names.record,
          names.create,
          names.update,
          names.expand,
          names.page,
          names.views.get.get('compact'),
        ]),
      ];
      assert.equal(new Set(all).size, all.length);
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

test('views that show the same have one schema, and others one each', () => {
  const [named] = namesOf([entityOf('order', { short: { fields: [{ name: 'title' }] } })], []);
  const views = named?.names.views;
  assert.deepEqual(Object.fromEntries(views?.list ?? []), {
    default: 'Order',
    compact: 'OrderCompact',
    short: 'OrderShort',
  });
  assert.deepEqual(views?.get, views?.list);
  const other = entityOf('order', { default: { fields: [{ name: 'title' }] } });
  assert.equal(namesOf([other], [])[0]?.names.views.get.get('default'), 'OrderDefault');
});

function namesOf(...given: Parameters<typeof typeNames<Parameters<typeof typeNames>[0][number]>>) {
  return [...typeNames(...given)];
}
