import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entity } from '../../entities/queries.ts';
import { chosenColumns, columnsOf, widthOf } from './columns.ts';

function entityWith(fields: readonly object[], shown: readonly object[]): Entity {
  const create = { entityName: 'order', UpdateParams: fields };
  return { entityName: 'order', create, list: { Views: { default: { fields: shown } } }, indexes: [] } as never;
}

const named = (...names: readonly string[]) => names.map((name) => ({ name }));

test('columns are what the list shows, under its names, with the type of their fields', () => {
  const entity = entityWith(
    [
      { name: 'amount', colType: 'number' },
      { name: 'cost', colType: 'formula', formula: { cel: 'amount * 2', type: 'integer' } },
      { name: 'line', colType: 'formula', formula: '{amount}' },
      { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
      { name: 'tag_ids', colType: 'array', items: { colType: 'guid', lookup: { entity: 'tag' } } },
      { name: 'tier', colType: 'enum', enumValues: ['free', 'paid'] },
      { name: 'unseen' },
      { name: 'pin', colType: 'encrypted' },
    ],
    [
      ...named('id', 'cost', 'line', 'customer_id', 'tag_ids', 'tier'),
      { name: 'amount', as: 'total', cast: 'string' },
      { name: 'customer_id', as: 'customer', lookup: { view: 'default' } },
      ...named('created_at', 'version'),
    ],
  );
  assert.deepEqual(columnsOf(entity), [
    { name: 'id', field: 'id', kind: 'id' },
    { name: 'cost', field: 'cost', kind: 'number' },
    { name: 'line', field: 'line', kind: 'text' },
    { name: 'customer_id', field: 'customer_id', kind: 'lookup', entity: 'customer' },
    { name: 'tag_ids', field: 'tag_ids', kind: 'lookups', entity: 'tag' },
    { name: 'tier', field: 'tier', kind: 'choice', choices: ['free', 'paid'] },
    { name: 'total', field: 'amount', kind: 'text', stored: 'number' },
    { name: 'customer', field: 'customer_id', kind: 'json' },
    { name: 'created_at', field: 'created_at', kind: 'datetime' },
    { name: 'version', field: 'version', kind: 'number' },
    { name: 'pin', field: 'pin', kind: 'secret' },
  ]);
});

test('of many fields the first are shown, and those that were chosen in their order', () => {
  const fields = Array.from({ length: 40 }, (_, at) => ({ name: `f${at}` }));
  const columns = columnsOf(entityWith(fields, [...named('id'), ...fields, ...named('created_at', 'created_by')]));
  const names = (text: string | undefined) => chosenColumns(columns, text).map(({ name }) => name);
  assert.equal(columns.length, 43);
  assert.deepEqual([names(undefined).length, names(undefined)[0], names(undefined).at(-1)], [18, 'id', 'created_at']);
  assert.deepEqual(names('f39,id,gone,id'), ['f39', 'id']);
  assert.deepEqual(names('gone'), names(undefined));
});

test('a column is as wide as its name needs', () => {
  const column = { name: 'is_paid_by_the_customer', field: 'is_paid', kind: 'boolean' } as const;
  assert.ok(widthOf(column) > widthOf({ ...column, name: 'paid' }));
});
