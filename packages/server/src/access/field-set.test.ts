import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldNaming } from './context/context.ts';
import { compileFields, type FieldGrant, fieldSetOf } from './field-set.ts';

const names = ['id', 'version', 'created_at', 'updated_at', 'created_by', 'name', 'salary', 'salary_note'];

interface Lists {
  readonly granted: readonly (readonly string[] | undefined)[];
  readonly taken?: readonly (readonly string[])[];
  readonly by?: FieldGrant['by'];
  readonly naming?: FieldNaming;
}

/** Those of the names that are in the set, or `all`. */
function fields({ granted, taken = [], by = 'any', naming }: Lists): readonly string[] | 'all' {
  const limits = granted.map((patterns) => (patterns === undefined ? undefined : compileFields(patterns)));
  const set = fieldSetOf({ granted: limits, by, taken: taken.map(compileFields) }, () => naming);
  return set === undefined ? 'all' : names.filter((name) => set.has(name) && set.has(name));
}

const envelope = ['id', 'version', 'created_at', 'updated_at'];

test('a statement without fields grants all, and with them what they name', () => {
  assert.equal(fields({ granted: [undefined] }), 'all');
  assert.deepEqual(fields({ granted: [['name']] }), [...envelope, 'name']);
  assert.deepEqual(fields({ granted: [['sal*', '!*_note']] }), [...envelope, 'salary']);
  assert.deepEqual(fields({ granted: [['!salary*']] }), [...envelope, 'created_by', 'name']);
  assert.deepEqual(fields({ granted: [['NAME', '?ame?']] }), envelope);
});

test('several statements grant what any of them does, less what is taken', () => {
  assert.deepEqual(fields({ granted: [['name'], ['salary']] }), [...envelope, 'name', 'salary']);
  assert.equal(fields({ granted: [['name'], undefined] }), 'all');
  assert.deepEqual(fields({ granted: [undefined], taken: [['salary*', 'created_by']] }), [...envelope, 'name']);
  assert.deepEqual(fields({ granted: [['name', 'salary']], taken: [['name'], ['salary']] }), envelope);
  assert.deepEqual(fields({ granted: [] }), envelope);
});

test('what all of them grant is what each does', () => {
  assert.deepEqual(fields({ granted: [['name', 'salary'], undefined, ['sal*']], by: 'all' }), [...envelope, 'salary']);
  assert.equal(fields({ granted: [undefined, undefined], by: 'all' }), 'all');
});

test('the envelope is in every set, also where all is taken', () => {
  assert.deepEqual(fields({ granted: [undefined], taken: [['*']] }), envelope);
  assert.deepEqual(fields({ granted: [['!id']] }), names);
});

test('answers the same after more names than it remembers', () => {
  const set = fieldSetOf({ granted: [compileFields(['*7'])], by: 'any', taken: [] }, () => undefined);
  for (let round = 0; round < 2; round++)
    for (let number = 0; number < 1000; number++) assert.equal(set?.has(`f${number}`), number % 10 === 7);
});
