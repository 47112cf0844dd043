import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldValue, ItemDefinition } from '../definition.ts';
import { behaviourOf } from '../testing/field-cases/field-case.ts';
import { readValue } from './field-type.ts';

test('`contains` asks an array for an element that equals the value, however that is written', () => {
  const holds = (items: ItemDefinition | undefined, elements: FieldValue, text: string): unknown => {
    const behaviour = behaviourOf({ name: 'x', colType: 'array', ...(items === undefined ? {} : { items }) });
    const contained = behaviour.contains?.(text);
    return contained !== undefined && 'isIn' in contained ? contained.isIn(elements) : contained?.code;
  };
  assert.equal(holds(undefined, ['red', 'blue'], 'blue'), true);
  assert.equal(holds(undefined, ['red', 'blue'], 'blu'), false);
  assert.equal(holds({ colType: 'integer' }, [1, 20], '20'), true);
  assert.equal(holds({ colType: 'integer' }, [1, 20], '2'), false);
  assert.equal(holds({ colType: 'integer' }, [1, 20], 'x'), 'wrong_type');
  assert.equal(holds({ colType: 'datetime' }, ['2026-11-20T09:30:00.000Z'], '2026-11-20T10:30:00+01:00'), true);
  assert.equal(holds(undefined, 'blue', 'blue'), false);
  assert.equal(holds({ colType: 'json' }, ['x'], 'x'), undefined);
});

test('of an array with very many wrong elements a refusal names the first hundred', () => {
  const read = readValue(
    behaviourOf({ name: 'x', colType: 'array' }),
    false,
    Array.from({ length: 5000 }, () => 1),
  );
  assert.ok('problems' in read);
  assert.deepEqual([read.problems.length, read.problems.at(-1)?.pointer], [100, '/99']);
});
