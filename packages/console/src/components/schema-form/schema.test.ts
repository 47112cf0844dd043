import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, initialOf, inputOf, type Schema, toVariant, withMember } from './schema.ts';

const hook: Schema = {
  type: 'object',
  required: ['on', 'type', 'to'],
  properties: {
    on: { type: 'boolean' },
    type: { const: 'hook' },
    to: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  },
};
const block: Schema = {
  type: 'object',
  required: ['on', 'type', 'to'],
  properties: {
    on: { type: 'boolean' },
    type: { const: 'block' },
    to: { type: 'object', required: ['block'], properties: { block: { type: 'string' } } },
    note: { type: 'string' },
  },
};
const either: Schema = { type: 'object', oneOf: [hook, block] };

test('a form begins with what is required and nothing else', () => {
  assert.deepEqual(initialOf(either), { on: false, type: 'hook', to: { url: '' } });
  assert.deepEqual(initialOf(block), { on: false, type: 'block', to: { block: '' } });
  assert.deepEqual(initialOf({ type: 'array', minItems: 1, items: hook }), [initialOf(hook)]);
  assert.deepEqual(initialOf({ anyOf: [{ type: 'string' }, { type: 'null' }] }), null);
  assert.deepEqual(initialOf({ type: 'integer', minimum: 1 }), 1);
});

test('another variant keeps the members that are the same in both', () => {
  const value = { on: true, type: 'block', to: { block: 'tidy' }, note: 'x' };
  assert.deepEqual(toVariant(value, block, hook), { on: true, type: 'hook', to: { url: '' } });
});

test('each schema has the input that shows its values, and JSON where none does', () => {
  const kinds = (schemas: readonly Schema[]) => schemas.map((schema) => inputOf(schema).kind);
  assert.deepEqual(kinds([either, hook, { enum: ['a', 'b'] }, { type: 'string' }, { type: 'number' }]), [
    'variants',
    'members',
    'choice',
    'text',
    'number',
  ]);
  assert.deepEqual(
    kinds([
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: hook },
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object' },
      { type: ['string', 'number'] },
      {},
    ]),
    ['texts', 'elements', 'headers', 'json', 'json', 'json'],
  );
  assert.equal(fits(inputOf(either), { type: 'other' }), false);
  assert.equal(fits(inputOf(either), { type: 'hook' }), true);
  assert.equal(fits(inputOf({ type: 'string' }), 4), false);
  assert.equal(fits(inputOf(hook), []), false);
});

test('a member that is emptied is taken out', () => {
  assert.deepEqual(withMember({ a: 1, b: 2 }, 'a', undefined), { b: 2 });
  assert.deepEqual(withMember({ a: 1 }, 'b', false), { a: 1, b: false });
});
