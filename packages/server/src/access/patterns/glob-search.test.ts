import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wholeEffort } from '../effort.ts';
import { compileGlob, matchesGlob } from './glob.ts';
import { matchesLong, partsOf, symbolsOf } from './glob-search.ts';

const anyPattern = fc
  .array(fc.constantFrom('a', 'b', '😀', '?', '*', '*', '??'), { maxLength: 8, size: 'max' })
  .map((parts) => parts.join(''));
const anyText = fc
  .array(fc.constantFrom('a', 'b', '😀', 'ab'), { maxLength: 12, size: 'max' })
  .map((parts) => parts.join(''));

test('a search says the same as the walk that tries one place after the other', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(anyPattern, anyText, (pattern, subject) => {
      const expected = matchesGlob(compileGlob(pattern), subject, wholeEffort());
      seen[`${expected}`] += 1;
      assert.equal(matchesLong(symbolsOf(partsOf(pattern)), subject, wholeEffort()), expected);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(seen.true > 1000 && seen.false > 1000, JSON.stringify(seen));
});

test('finds what is longer than a word of bits, wherever it stands', () => {
  for (const length of [31, 32, 33, 64, 65, 200]) {
    const run = `${'ab'.repeat(length).slice(0, length - 1)}é`;
    const pattern = `*${run.slice(0, 3)}?${run.slice(4)}*`;
    for (const before of [0, 1, 31, 500])
      for (const [text, expected] of [
        [run, true],
        [run.slice(1), false],
        [`${run.slice(0, -1)}e`, false],
      ] as const) {
        const subject = `${'ab'.repeat(before)}${text}${'😀'.repeat(3)}`;
        assert.equal(
          matchesLong(symbolsOf(partsOf(pattern)), subject, wholeEffort()),
          expected,
          `${length} after ${before}`,
        );
      }
  }
});
