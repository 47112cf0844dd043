import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordRoutes } from '@freehold/contract/app/records';
import fc from 'fast-check';
import { compileEntity } from '../../schema/compile-entity.ts';
import type { Views } from '../../schema/definition.ts';
import { typeNames } from './type-names.ts';

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
  'create_order',
  'update_create',
);
const entities = fc
  .uniqueArray(fc.oneof(entityName, awkward), { maxLength: 12 })
  .map((names) => names.map((name) => entityOf(name)));

function entityOf(entityName: string, Views: Views = {}) {
  return compileEntity({ entityName, UpdateParams: [{ name: 'title' }], Views }, 1);
}

test('an entity’s operations and schemas are named as functions and types are', () => {
  const [named] = namesOf([entityOf('order_item')], []);
  const { views: _, ...names } = named?.names ?? { views: undefined };
  assert.deepEqual(names, {
    called: 'OrderItem',
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
      ['Order', 'OrderPage2'],
      ['OrderPage', 'OrderPagePage'],
    ],
  );
});

test('no two schemas or operations have one name in any case, whatever the entities are called', () => {
  fc.assert(
    fc.property(entities, (list) => {
      const taken = ['Problem', 'Order', 'OrderPage', 'createOrder'];
      const all = [
        ...taken,
        ...namesOf(list, taken).flatMap(({ names }) => [
          ...Object.keys(recordRoutes).map((action) => action + names.called),
          names.record,
          names.create,
          names.update,
          names.expand,
          names.page,
          names.views.get.get('compact'),
        ]),
      ];
      assert.equal(new Set(all.map((name = '') => name.toLowerCase().replaceAll('_', ''))).size, all.length);
    }),
  );
});

test('a schema gives way to the operations of other entities, and these to those of the platform', () => {
  const named = namesOf([entityOf('create_order'), entityOf('order'), entityOf('me')], ['updateMe']);
  assert.deepEqual(
    named.map(({ names }) => [names.called, names.record]),
    [
      ['CreateOrder', 'CreateOrder2'],
      ['Order', 'Order'],
      ['Me2', 'Me'],
    ],
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
