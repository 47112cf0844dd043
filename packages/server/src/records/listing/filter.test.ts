import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldDefinition, FieldValue } from '../../schema/definition.ts';
import { behaviourOf } from '../../schema/field-types/registry.ts';
import { type FilterOperator, operators, readFilter } from './filter.ts';

const texts: Readonly<Record<string, string>> = { exists: 'true', in: '1,2', between: '1,2' };

test('to a filter a value that an older definition left is absent, as it is in the index', () => {
  const left: readonly FieldValue[] = ['1', true, ['1'], { a: 1 }];
  for (const operator of operators) {
    const holds = filterOf({ name: 'n', colType: 'integer' }, operator, texts[operator] ?? '1');
    for (const value of left) assert.equal(holds(value), holds(undefined), `${operator} of ${JSON.stringify(value)}`);
    assert.equal(holds(undefined), operator === 'ne');
  }
});

test('numbers and truth values of an older definition do not count as texts', () => {
  const holds = (operator: FilterOperator, text: string) => filterOf({ name: 's' }, operator, text);
  assert.equal(holds('eq', 'true')(true), false);
  assert.equal(holds('contains', '1')(10), false);
  assert.equal(holds('startswith', '1')(10), false);
  assert.equal(holds('exists', 'false')(10), true);
  assert.equal(holds('contains', '1')('10'), true);
});

test('an array is filtered by one of its elements, or by being there', () => {
  const tags = { name: 'tags', colType: 'array' };
  assert.equal(filterOf(tags, 'contains', 'red')(['blue', 'red']), true);
  assert.equal(filterOf(tags, 'contains', 're')(['blue', 'red']), false);
  assert.equal(filterOf(tags, 'contains', 'red')(undefined), false);
  assert.equal(filterOf(tags, 'exists', 'true')([]), true);
  assert.equal(filterOf(tags, 'exists', 'true')(undefined), false);
  assert.equal(filterOf(tags, 'exists', 'false')(undefined), true);
});

const refused: readonly (readonly [field: FieldDefinition, operator: FilterOperator, text: string, code: string])[] = [
  [{ name: 'x', colType: 'array' }, 'eq', 'a', 'not_filterable'],
  [{ name: 'x', colType: 'array' }, 'startswith', 'a', 'not_filterable'],
  [{ name: 'x', colType: 'array' }, 'exists', 'yes', 'wrong_type'],
  [{ name: 'x', colType: 'array', items: { colType: 'number' } }, 'contains', 'a', 'wrong_type'],
  [{ name: 'x', colType: 'array', items: { colType: 'json' } }, 'contains', 'a', 'not_filterable'],
  [{ name: 'x' }, 'contains', 'a'.repeat(251), 'too_long'],
  [{ name: 'x', colType: 'json' }, 'exists', 'true', 'not_filterable'],
  [{ name: 'x', colType: 'encrypted' }, 'eq', 'a', 'not_filterable'],
  [{ name: 'x', colType: 'encrypted' }, 'exists', 'true', 'not_filterable'],
];

for (const [field, operator, text, code] of refused)
  test(`refuses to filter ${JSON.stringify(field)} by \`${operator}\` of \`${text}\``, () => {
    const filter = readFilter(namedBehaviour(field), operator, text);
    assert.equal('code' in filter && filter.code, code);
  });

function filterOf(
  field: FieldDefinition,
  operator: FilterOperator,
  text: string,
): (value: FieldValue | undefined) => boolean {
  const filter = readFilter(namedBehaviour(field), operator, text);
  assert.ok('meets' in filter, JSON.stringify(filter));
  return filter.meets;
}

function namedBehaviour(field: FieldDefinition) {
  const behaviour = behaviourOf(field);
  assert.ok(typeof behaviour === 'object');
  return { name: field.name, behaviour };
}
