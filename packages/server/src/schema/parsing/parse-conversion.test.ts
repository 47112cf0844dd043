import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { parseDefinition } from '../parse-definition.ts';

const from = { name: 'minutes', storedAs: 'minutes' };
const whole = { name: 'minutes', colType: 'integer', storedAs: 'minutes@7', convert: { cel: 'int(minutes)', from } };

function mistakesOf(...UpdateParams: readonly object[]): readonly string[] {
  try {
    parseDefinition({ entityName: 'entry', UpdateParams });
    return [];
  } catch (error) {
    assert.ok(error instanceof Problem);
    return (error.details.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

function again(convert: object, from: object = whole): object {
  return { ...whole, colType: 'number', storedAs: 'minutes@9', convert: { cel: 'double(minutes)', from, ...convert } };
}

test('takes a conversion, and one of a field that was converted and renamed before', () => {
  assert.deepEqual(mistakesOf(whole), []);
  assert.deepEqual(mistakesOf(again({})), []);
  assert.deepEqual(mistakesOf({ ...again({}), name: 'time', formerNames: ['minutes'] }), []);
});

const refused: readonly (readonly [string, object, string])[] = [
  ['an expression that does not compile', { ...whole, convert: { cel: 'int(', from } }, '/convert invalid_expression'],
  ['a result of another type', { ...whole, convert: { cel: 'minutes', from } }, '/convert invalid_expression'],
  ['another field', { ...whole, convert: { cel: 'int(id)', from } }, '/convert invalid_expression'],
  ['no field to convert from', { ...whole, convert: { cel: 'int(minutes)' } }, '/convert wrong_type'],
  ['an unknown member', { ...whole, convert: { cel: 'int(minutes)', from, by: 1 } }, '/convert/by unknown_field'],
  ['an unknown type', again({}, { ...whole, colType: 'int' }), '/convert/from/colType unknown_type'],
  [
    'values of another field',
    { ...whole, convert: { cel: '1', from: { ...from, storedAs: 'secret' } } },
    '/convert invalid_hints',
  ],
  [
    'values that are stored under the same name',
    again({}, { ...from, storedAs: 'minutes@9' }),
    '/convert invalid_hints',
  ],
  ['an earlier version', again({}, { ...whole, storedAs: 'minutes@12' }), '/convert invalid_hints'],
  ['values of no conversion', { name: 'minutes', storedAs: 'minutes@7' }, '/convert invalid_hints'],
  [
    'a conversion that changes no stored name',
    { name: 'minutes', convert: { cel: 'minutes', from } },
    '/convert invalid_hints',
  ],
  [
    'an encrypted value',
    { ...whole, convert: { cel: '1', from: { ...from, colType: 'encrypted' } } },
    '/convert invalid_expression',
  ],
  [
    'a name that is no name',
    { ...whole, convert: { cel: '1', from: { ...from, name: 'a b' } } },
    '/convert wrong_type',
  ],
];
for (const [what, field, mistake] of refused)
  test(`refuses a conversion of ${what}`, () => {
    const found = mistakesOf(field);
    assert.ok(
      found.some((one) => one.startsWith(`/UpdateParams/0${mistake}`)),
      found.join(),
    );
  });

test('refuses a ninth conversion of a field, and more than 32 of an entity', () => {
  const chain = (count: number): object =>
    count === 0
      ? from
      : { name: 'minutes', storedAs: `minutes@${count}`, convert: { cel: 'minutes', from: chain(count - 1) } };
  assert.deepEqual(mistakesOf(chain(8)), []);
  assert.ok(mistakesOf(chain(9)).some((one) => one.endsWith('too_many')));
  const fields = Array.from({ length: 33 }, (_, index) => ({
    ...whole,
    name: `f${index}`,
    storedAs: `f${index}@2`,
    convert: { cel: '1', from: { name: `f${index}`, storedAs: `f${index}` } },
  }));
  assert.deepEqual(mistakesOf(...fields.slice(1)), []);
  assert.deepEqual(mistakesOf(...fields), ['/UpdateParams too_many']);
});
