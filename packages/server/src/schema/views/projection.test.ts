import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldValue } from '../definition.ts';
import { type Cast, castValue } from './entity-views.ts';

const cases: readonly (readonly [value: FieldValue, cast: Cast, shown: FieldValue | null])[] = [
  ['text', 'string', 'text'],
  [1.5, 'string', '1.5'],
  [true, 'string', 'true'],
  [['a', 1], 'string', '["a",1]'],
  [{ a: 1 }, 'string', '{"a":1}'],
  [1.5, 'number', 1.5],
  ['1.5', 'number', 1.5],
  ['-2e3', 'number', -2000],
  ['', 'number', null],
  [' 1', 'number', null],
  ['0x10', 'number', null],
  ['1e999', 'number', null],
  [true, 'number', null],
  [[1], 'number', null],
  ['-1.9', 'integer', -1],
  [1.9, 'integer', 1],
  ['one', 'integer', null],
  [true, 'boolean', true],
  ['true', 'boolean', true],
  [1, 'boolean', true],
  [false, 'boolean', false],
  ['false', 'boolean', false],
  [0, 'boolean', false],
  ['yes', 'boolean', null],
  ['1', 'boolean', null],
  [2, 'boolean', null],
  [{}, 'boolean', null],
];

for (const [value, cast, shown] of cases)
  test(`${JSON.stringify(value)} as ${cast} is ${JSON.stringify(shown)}`, () =>
    assert.deepEqual(castValue(value, cast), shown));
