import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaReference } from '../lib/json-schema.ts';
import { definitionSchemas } from './definition-schemas.ts';
import { parseDefinition } from './parse-definition.ts';
import { colTypes } from './testing/any-registered-field.ts';

const ajv = new Ajv2020({ strict: true });
ajv.addVocabulary(['components']);
ajv.addSchema({ components: { schemas: definitionSchemas(schemaReference) } }, 'document');
const fits = ajv.compile({ $ref: 'document#/components/schemas/EntityDefinition' });

/** Values for the members of a definition, good ones first. The schema looks at each member by itself. */
const ofDefinition: Readonly<Record<string, readonly unknown[]>> = {
  entityName: ['order', 'a_1', 'a'.repeat(63), 'Order', '1a', 'a'.repeat(64), '', 7],
  UpdateParams: [[], [{ name: 'id', colType: 'guid' }], null, {}, [1], [{}], Array(201).fill({ name: 'a' })],
  baseKeys: [
    { pkTemplate: 'org#{org};data#x', skTemplate: 'x#{id}' },
    { pkTemplate: 'org#{org};data#x' },
    { pkTemplate: 'org#{org};data#x', skTemplate: '' },
    { pkTemplate: 'org#{org};data#x', skTemplate: 'x#{id}', more: 1 },
    [],
  ],
  ownerIndexes: [
    [],
    [{ ownerFieldName: 'title', gpkTemplate: 'org#{org};o#{title}', gskTemplate: 'x#{id}' }],
    [{ ownerFieldName: 'title', gpkTemplate: 'org#{org};o#{title}', gskTemplate: 'x#{id}', scopeList: true }],
    [{ ownerFieldName: 'title' }],
    [{ ownerFieldName: 'title', gpkTemplate: 'org#{org};o#{title}', gskTemplate: 'x#{id}', scopeList: 'yes' }],
  ],
  parentIndex: [
    { parentFieldName: 'title', gpkTemplate: 'org#{org};p#{title}', gskTemplate: 'x#{id}' },
    { parentFieldName: 'title' },
    [1],
  ],
  UniqueIndexes: [
    [],
    [{ indexName: 'by-title', fields: ['title'] }],
    [{ indexName: 'by-title', fields: ['title'], ignoreCase: true }],
    [{ indexName: 'by-title', fields: [] }],
    [{ indexName: 'by-title' }],
  ],
  indexes: [
    [],
    [{ fields: ['title', '-title'] }],
    [{ fields: ['title', '-created_at'] }],
    [{ fields: ['title'] }],
    [{}],
    ['title'],
  ],
  Views: [
    {},
    { short: { fields: [{ name: 'title' }, { name: 'created_at', as: 'since', cast: 'string' }] } },
    { short: {} },
    { short: { fields: [{ name: 'title', cast: 'date' }] } },
    ['short'],
  ],
  surprise: [1],
};

const ofField: Readonly<Record<string, readonly unknown[]>> = {
  name: ['title', 'X9_', 'a'.repeat(63), '9x', 'a-b', '', 'a'.repeat(64), null],
  validate: [true, false, 'yes'],
  required: [true, false, null],
  index: [true, false, 1],
  search: [true, false, 'yes'],
  minlength: [0, 3, -1, 2.5, '3'],
  maxlength: [3, 100, -1],
  min: [-1, 0.5, '0'],
  max: [7, null],
  enumValues: [['a', 'b'], [], ['a', 'a'], ['a', ''], [1], 'a'],
  pattern: ['^a+$', 'a'.repeat(513), 7],
  formula: ['{title}!', 7],
  items: [{ colType: 'string', maxlength: 5 }, {}, { colType: 'string', index: true }, []],
  lookup: [
    { entity: 'customer' },
    { entity: 'customer', onDelete: 'cascade' },
    { entity: 'customer', onDelete: 'no' },
    {},
  ],
  default: ['a', 3, true, [], null],
  description: ['about it', 'a'.repeat(2001), 7],
  surprise: [1],
};

/** The members that a field of the type cannot do without. */
const needed: Readonly<Record<string, object>> = {
  enum: { enumValues: ['a', 'b'] },
  array: { items: { colType: 'string' } },
  formula: { formula: '{title}' },
};

const title = { name: 'title' };
const definitions = [
  ...[...each(ofDefinition)].map((member) => ({ entityName: 'order', UpdateParams: [title], ...member })),
  ...['strange', 7, ...colTypes].flatMap((colType) =>
    [...each(ofField)].map((member) => ({
      entityName: 'order',
      UpdateParams: [title, { name: 'other', colType, ...needed[colType], ...member }],
    })),
  ),
];

test('a definition that is taken fits the schema, and one that does not fit is refused', () => {
  const outcomes = { taken: 0, unfit: 0 };
  for (const definition of definitions) {
    const isFit = fits(definition);
    if (isTaken(definition)) {
      outcomes.taken += 1;
      assert.ok(isFit, `${JSON.stringify(definition)} ${JSON.stringify(fits.errors)}`);
    } else if (!isFit) outcomes.unfit += 1;
  }
  assert.ok(outcomes.taken > 100 && outcomes.unfit > 100, JSON.stringify(outcomes));
});

function* each(members: Readonly<Record<string, readonly unknown[]>>): Generator<Readonly<Record<string, unknown>>> {
  for (const [name, values] of Object.entries(members)) for (const value of values) yield { [name]: value };
}

function isTaken(definition: unknown): boolean {
  try {
    parseDefinition(definition);
    return true;
  } catch {
    return false;
  }
}
