import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAll } from '../testing/agreement.ts';

const plain = { Effect: 'Allow', Action: 'get*', Resource: '*' };
const many = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));
const conditionOf = (keys: number) => ({
  StringEquals: Object.fromEntries(many(Math.ceil(keys / 2), (index) => [`record.a${index}`, 'x'])),
  StringLike: Object.fromEntries(many(Math.floor(keys / 2), (index) => [`record.b${index}`, 'x'])),
});

/** A statement with so many or so much of something, and how many or how much may be. */
const limits: readonly (readonly [what: string, max: number, statement: (size: number) => object])[] = [
  ['letters of a resource', 256, (size) => ({ ...plain, Resource: `/${'a'.repeat(size - 1)}` })],
  ['letters of two units', 256, (size) => ({ ...plain, Resource: `/${'😀'.repeat(size - 1)}` })],
  ['letters of an action', 256, (size) => ({ ...plain, Action: `get${'a'.repeat(size - 3)}` })],
  ['stars', 16, (size) => ({ ...plain, Resource: `/${'a*'.repeat(size)}` })],
  ['conditions', 20, (size) => ({ ...plain, Condition: conditionOf(size) })],
  ['values', 50, (size) => ({ ...plain, Condition: { StringEquals: { 'record.a': many(size, (n) => `v${n}`) } } })],
  ['fields', 100, (size) => ({ ...plain, Fields: many(size, (index) => `f${index}`) })],
  ['letters of a field', 64, (size) => ({ ...plain, Fields: ['f'.repeat(size)] })],
];

for (const [what, max, statement] of limits) {
  test(`a statement may have ${max} ${what}, and one more breaks it`, () => {
    assert.equal(compileAll([[statement(max)]]).brokenStatements, 0);
    assert.equal(compileAll([[statement(max + 1)]]).brokenStatements, 1);
  });
}
