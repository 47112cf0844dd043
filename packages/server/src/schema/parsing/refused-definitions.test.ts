import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { parseDefinition } from '../parse-definition.ts';

const title = { name: 'title', colType: 'string' };
const order = (fields: readonly Record<string, unknown>[], change: Record<string, unknown> = {}) => ({
  entityName: 'order',
  UpdateParams: fields,
  ...change,
});

const badDefinitions: readonly (readonly [string, unknown])[] = [
  ['no entity name', { ...order([title]), entityName: undefined }],
  ['an entity name with a capital', order([title], { entityName: 'Order' })],
  ['an entity name with a hyphen', order([title], { entityName: 'my-order' })],
  ['an entity name that starts with a digit', order([title], { entityName: '1order' })],
  ['an entity name of 64 characters', order([title], { entityName: 'o'.repeat(64) })],
  ['D02: the entity name constructor', order([title], { entityName: 'constructor' })],
  ['an entity name that is a number', order([title], { entityName: 7 })],
  ['an unknown member', order([title], { colour: 'red' })],
  ['fields that are no array', order([title], { UpdateParams: { title } })],
  ['a field without a name', order([{ colType: 'string' }])],
  ['an unknown field type', order([{ name: 'title', colType: 'text' }])],
  ['a field type from the prototype', order([{ name: 'title', colType: 'toString' }])],
  ['an unknown hint', order([{ ...title, colour: 'red' }])],
  ['a field twice', order([title, title])],
  ['a field name with a space', order([{ name: 'my title', colType: 'string' }])],
  ['a field name with a dot', order([{ name: 'my.title', colType: 'string' }])],
  ['a field name that ends in _op', order([{ name: 'title_op', colType: 'string' }])],
  ...['owner', 'all', 'view', 'q', 'facets', 'sortby', 'sortdir', 'pagesize', 'nexttoken'].map(
    (name) => [`the list parameter ${name} as a field`, order([{ name, colType: 'string' }])] as const,
  ),
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'].map(
    (name) => [`D02: the field name ${name}`, order([{ name, colType: 'string' }])] as const,
  ),
  ['a minimum length above the maximum', order([{ ...title, validate: true, minlength: 5, maxlength: 4 }])],
  ['a negative length', order([{ ...title, validate: true, minlength: -1 }])],
  ['a length that is no integer', order([{ ...title, validate: true, maxlength: 1.5 }])],
  ['a minimum above the maximum', order([{ name: 'amount', colType: 'number', validate: true, min: 2, max: 1 }])],
  ['an enum without values', order([{ name: 'state', colType: 'enum' }])],
  ['an enum with a value twice', order([{ name: 'state', colType: 'enum', enumValues: ['a', 'a'] }])],
  ['a default that its own field refuses', order([{ name: 'amount', colType: 'number', default: 'much' }])],
  [
    'C03: a partition without the org',
    order([title], { baseKeys: { pkTemplate: 'data#x', skTemplate: 'order#{id}' } }),
  ],
  [
    'C03: a partition named by a claim',
    order([title], { baseKeys: { pkTemplate: '{email}', skTemplate: 'order#{id}' } }),
  ],
  [
    'a template with an unknown token',
    order([title], { baseKeys: { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{colour}' } }),
  ],
  [
    'a template with an open brace',
    order([title], { baseKeys: { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id' } }),
  ],
  ['templates that are no texts', order([title], { baseKeys: { pkTemplate: 7, skTemplate: null } })],
];

for (const [what, body] of badDefinitions)
  test(`refuses a definition with ${what}`, () => {
    assert.throws(
      () => parseDefinition(body),
      (error) => error instanceof Problem && error.status === 400,
    );
  });
