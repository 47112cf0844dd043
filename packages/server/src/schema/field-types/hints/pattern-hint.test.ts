import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviourOf } from '../../testing/field-cases/field-case.ts';
import { newCheckEffort, readValue } from '../field-type.ts';

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

const costly = { name: 'x', validate: true, pattern: '^a{90}' } as const;
const { schema } = behaviourOf(costly);
/** As long as the pattern lets a text be. */
const longest = 'a'.repeat(Number(schema.maxLength));

test('the values of a record that are held against patterns have a bound together', () => {
  const behaviour = behaviourOf(costly);
  const effort = newCheckEffort();
  const read = Array.from({ length: 200 }, () => readValue(behaviour, true, longest, effort));
  const refused = read.flatMap((one) => ('problems' in one ? one.problems : []));
  assert.ok(refused.length > 190 && refused.length < 200, String(refused.length));
  for (const { code, message } of refused) assert.match(`${code} ${message}`, /^too_long .*together/);
  const short = newCheckEffort();
  for (let field = 0; field < 50; field++)
    assert.ok('value' in readValue(behaviour, true, 'a'.repeat(90), short), String(field));
});

test('the elements of an array count towards it', () => {
  const behaviour = behaviourOf({ name: 'x', colType: 'array', validate: true, items: { pattern: costly.pattern } });
  const read = readValue(
    behaviour,
    true,
    Array.from({ length: 200 }, () => longest),
  );
  assert.deepEqual('problems' in read && read.problems.map(({ code }) => code), ['too_long']);
  assert.ok('value' in readValue(behaviour, true, [longest, longest]));
});

function codes(behaviour: ReturnType<typeof behaviourOf>, text: string): readonly string[] {
  const read = readValue(behaviour, true, text);
  return 'problems' in read ? read.problems.map(({ code }) => code) : [];
}
