import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { checkSchema } from '../../lib/check-schema.ts';
import { readInputSchema } from './input-schema.ts';

const leaf = fc.constantFrom(
  {},
  { type: 'string', maxLength: 3, title: 'a text' },
  { type: 'string', minLength: 1, format: 'date' },
  { type: ['integer', 'null'], minimum: 0 },
  { type: 'number', maximum: 5, default: 1 },
  { enum: ['a', 1, null] },
  { const: true },
);
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.constantFrom(1, 2) }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }, { requiredKeys: [] }),
      required: fc.subarray(['a', 'b']),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    }),
  ),
}));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('', 'a', 'abcd', 0, 1, -1, 1.5, 9, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
}));

test('an input fits a schema exactly where another library says so', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const outcomes = { fit: 0, unfit: 0 };
  fc.assert(
    fc.property(schema, value, (given, input) => {
      const read = readInputSchema(given);
      assert.ok('schema' in read, JSON.stringify(read));
      const fits = checkSchema(read.schema, input).length === 0;
      assert.equal(fits, ajv.validate(given, input), JSON.stringify(input));
      outcomes[fits ? 'fit' : 'unfit'] += 1;
    }),
    { numRuns: 500 },
  );
  assert.ok(outcomes.fit > 20 && outcomes.unfit > 20, JSON.stringify(outcomes));
});

for (const [what, given, pointer] of [
  ['a pattern', { properties: { a: { pattern: '(a+)+$' } } }, '/properties/a/pattern'],
  ['a reference', { $ref: '#/$defs/a' }, '/$ref'],
  ['branches', { items: { oneOf: [{}] } }, '/items/oneOf'],
  ['a type that there is none of', { type: 'text' }, '/type'],
  ['more choices than a mistake can name', { enum: Array.from({ length: 101 }, (_, index) => index) }, '/enum'],
  ['a long constant', { const: 'a'.repeat(101) }, '/const'],
  ['a long name', { required: ['a'.repeat(101)] }, '/required'],
  ['an enum of objects', { enum: [{}] }, '/enum'],
  ['properties that are no object', { properties: [] }, '/properties'],
  ['a required member that is no list', { required: 'a' }, '/required'],
  ['a negative length', { maxLength: -1 }, '/maxLength'],
  ['a schema that is none', { items: 1 }, '/items'],
] as const)
  test(`a schema with ${what} cannot be checked`, () => {
    const read = readInputSchema(given);
    assert.deepEqual('errors' in read ? read.errors.map((error) => error.pointer) : [], [pointer]);
  });

test('what only describes is left out, and so is a format other than email', () => {
  const described = {
    ...{ $schema: 's', $comment: 'c', title: 't', description: 'd', examples: [1], default: 1, deprecated: true },
    ...{ type: 'string', format: 'date' },
  };
  assert.deepEqual(readInputSchema(described), { schema: { type: 'string' } });
  assert.deepEqual(readInputSchema({ format: 'email' }), { schema: { format: 'email' } });
});

for (const keyword of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'])
  test(`\`${keyword}\` is a whole number that is not negative`, () => {
    assert.deepEqual(readInputSchema({ [keyword]: 0 }), { schema: { [keyword]: 0 } });
    for (const value of [-1, 1.5, '1']) {
      const read = readInputSchema({ [keyword]: value });
      assert.deepEqual('errors' in read ? read.errors.map(({ pointer }) => pointer) : [], [`/${keyword}`]);
    }
  });

test('a schema may be 20 deep', () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });
  assert.ok('schema' in readInputSchema(nested(20)));
  const read = readInputSchema(nested(21));
  assert.deepEqual('errors' in read ? read.errors.map(({ pointer }) => pointer) : [], ['/items'.repeat(21)]);
});
