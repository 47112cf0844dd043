import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from './flow-steps.ts';

for (const [op, value, than, expected] of [
  ['eq', { a: [1] }, { a: [1] }, true],
  ['eq', 1, '1', false],
  ['ne', null, 'a', true],
  ['gt', 2, 1, true],
  ['gt', '10', '9', false],
  ['gte', 'b', 'b', true],
  ['lt', 1, '2', false],
  ['lte', 2, 2, true],
  ['in', 'a', ['b', 'a'], true],
  ['in', 'a', 'abc', false],
  ['between', 5, [1, 5], true],
  ['between', 5, [1], false],
  ['startswith', 'abc', 'ab', true],
  ['startswith', null, 'ab', false],
  ['contains', 'abc', 'bc', true],
  ['contains', [1, 2], 2, true],
  ['exists', null, true, false],
  ['exists', null, false, true],
  ['exists', 0, true, true],
] as const)
  test(`${JSON.stringify(value)} ${op} ${JSON.stringify(than)} is ${expected}`, () => {
    assert.equal(compare(op, value, than), expected);
  });

test('a list of very many elements is not looked through', () => {
  const list = Array.from({ length: 1001 }, () => 1);
  assert.throws(() => compare('in', 1, list), { code: 'block_failed' });
  assert.throws(() => compare('contains', list, 1), { code: 'block_failed' });
});
