import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviourOf } from './cases/field-case.ts';
import { readValue } from './field-type.ts';

test('a text may be the longer the smaller its pattern is, and the schema says how long', () => {
  const [small, large] = ['^a', '^a{90}'].map((pattern) => {
    const behaviour = behaviourOf({ name: 'x', validate: true, pattern });
    const longest = Number(behaviour.schema.maxLength);
    assert.deepEqual(codes(behaviour, 'a'.repeat(longest)), []);
    assert.deepEqual(codes(behaviour, 'a'.repeat(longest + 1)), ['too_long']);
    return longest;
  });
  assert.ok(small !== undefined && large !== undefined && small > 10 * large && large > 1000, `${small} ${large}`);
});

test('a `maxlength` below that stands', () => {
  const { schema } = behaviourOf({ name: 'x', validate: true, pattern: '^a', maxlength: 3 });
  assert.deepEqual(schema, { type: 'string', maxLength: 3, pattern: '^a' });
});

test('where the checks are off a text may have any length, and its pattern is no part of the schema', () => {
  const behaviour = behaviourOf({ name: 'x', pattern: '^a' });
  assert.deepEqual(behaviour.schema, { type: 'string' });
  assert.ok('value' in readValue(behaviour, false, 'b'.repeat(500_000)));
});

test('a refusal says which pattern, and a definition what is wrong with one', () => {
  const { check } = behaviourOf({ name: 'x', validate: true, pattern: '^a' });
  assert.equal(check?.('b')?.message, 'must match the pattern `^a`');
  assert.throws(() => behaviourOf({ name: 'x', pattern: '[z-a]' }), /invalid character class range: `z-a`/);
});

function codes(behaviour: ReturnType<typeof behaviourOf>, text: string): readonly string[] {
  const read = readValue(behaviour, true, text);
  return 'problems' in read ? read.problems.map(({ code }) => code) : [];
}
