import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityDefinition, FieldDefinition } from './definition.ts';
import { type FillState, nextFillStates } from './fills.ts';

type Field = Omit<FieldDefinition, 'name'>;

function entity(field: Field | undefined, others: Partial<EntityDefinition> = {}): EntityDefinition {
  return { entityName: 'order', UpdateParams: field === undefined ? [] : [{ name: 'x', ...field }], ...others };
}

const required = { validate: true, default: 'a' };
const optional = { validate: true, required: false };
const formula = { colType: 'formula', formula: 'a' };
const started: FillState = { field: 'x', id: 9, state: 'filling' };
const going: FillState = { ...started, id: 2 };
const failed: FillState = { ...going, state: 'failed', failed: { records: 1, examples: [] } };

const cases: readonly (readonly [string, Field | undefined, Field | undefined, FillState | undefined, FillState[]])[] =
  [
    ['a new required field with a default', undefined, required, undefined, [started]],
    ['a new field with a default that is not required', undefined, { default: 'a' }, undefined, []],
    ['a new field with a backfill', undefined, { backfill: 'id' }, undefined, [started]],
    ['a new formula', undefined, formula, undefined, [started]],
    ['a field that becomes required, with a default', { ...optional, default: 'a' }, required, undefined, [started]],
    [
      'a field with a backfill that becomes required',
      { backfill: 'id' },
      { validate: true, backfill: 'id' },
      undefined,
      [started],
    ],
    ['another default of a field that all records have', required, { ...required, default: 'b' }, undefined, []],
    ['another default meanwhile', required, { ...required, default: 'b' }, going, [started]],
    ['another backfill', { backfill: 'id' }, { backfill: 'id + id' }, going, [started]],
    ['another formula', formula, { ...formula, formula: 'b' }, undefined, [started]],
    ['what is under way', { backfill: 'id' }, { backfill: 'id', description: 'new' }, going, [going]],
    ['what is done', { backfill: 'id' }, { backfill: 'id', description: 'new' }, undefined, []],
    ['what has failed', { backfill: 'id' }, { backfill: 'id' }, failed, [started]],
    ['a backfill that is taken out', { backfill: 'id' }, {}, going, []],
    ['a field that goes', { backfill: 'id' }, undefined, going, []],
    ['a sealed field', undefined, { ...required, colType: 'encrypted' }, undefined, []],
  ];

for (const [what, before, after, existing, expected] of cases)
  test(`${what}: what is to be filled`, () => {
    const current = existing === undefined ? [] : [existing];
    assert.deepEqual(nextFillStates(current, { before: entity(before), after: entity(after) }, 9), expected);
  });

test('a default fills no field of a unique index, which would be the same in all records', () => {
  const unique = { UniqueIndexes: [{ indexName: 'one', fields: ['x'] }] };
  const states = (field: Field) => nextFillStates([], { before: entity(undefined), after: entity(field, unique) }, 9);
  assert.deepEqual([states(required), states({ backfill: 'id' })], [[], [started]]);
});
