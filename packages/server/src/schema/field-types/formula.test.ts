import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldValues } from '../definition.ts';
import { behaviourOf } from '../testing/field-cases/field-case.ts';

const computed: readonly (readonly [formula: string, record: FieldValues, text: string])[] = [
  ['{first} {last}', { first: 'Ann', last: 'Lee' }, 'Ann Lee'],
  ['{first} {last}', { last: 'Lee' }, ' Lee'],
  ['{a}{a}-{b}/{c}', { a: 1.5, b: false, c: 0 }, '1.51.5-false/0'],
  ['no fields', {}, 'no fields'],
  ['{a}', { a: '{b} $& $1', b: 'x' }, '{b} $& $1'],
  ['{a}{b}', { a: ['left'], b: { by: 'an older definition' } }, ''],
  ['{toString}{constructor}', {}, ''],
];

for (const [formula, record, text] of computed)
  test(`the formula ${formula} makes \`${text}\` of ${JSON.stringify(record)}`, () => {
    assert.equal(behaviourOf({ name: 'x', colType: 'formula', formula }).compute?.(record), text);
  });
