import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionOf } from './field-text.ts';

test('fields are written as words', () => {
  const words = [
    'title',
    'amount:number:required:index',
    'status:enum=open|paid',
    'customer_id:lookup=customer',
    'code:string:unique',
  ];
  assert.deepEqual(definitionOf('order', words), {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', colType: 'string' },
      { name: 'amount', colType: 'number', validate: true, index: true },
      { name: 'status', colType: 'enum', enumValues: ['open', 'paid'] },
      { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
      { name: 'code', colType: 'string' },
    ],
    UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
  });
});

for (const word of [
  ':string',
  'a b',
  'title:text',
  'title:enum',
  'title:lookup',
  'title:string:fast',
  'title:number=3',
  '',
])
  test(`\`${word}\` is refused with what may stand there`, () => {
    assert.throws(() => definitionOf('order', [word]), /is no type|is no hint|name of a field/);
  });
