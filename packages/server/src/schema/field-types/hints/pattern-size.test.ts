import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { thinned } from '../../../store/testing/quick.ts';
import { leastSize } from './pattern-hint.ts';

const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'A', '7', 'é', '-', '{', '}', ',', '😀') },
  fc.constantFrom('.', '^', '$', '\\b', '\\d', '\\pL', '\\p{L}', '\\x41', '\\x{41}', '\\101', '\\.', '\\A'),
  fc.constantFrom(
    '[a-z]',
    '[^a]',
    '[]a]',
    '[\\]b]',
    '[[:alpha:]_]',
    '[\\pL\\d]',
    '\\Qa{9}\\E',
    '\\Q',
    '',
    '(?i)',
    '(?s)',
  ),
);
const times = fc.constantFrom(
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '??',
  '{2}',
  '{0}',
  '{0,3}',
  '{3,}',
  '{0,}',
  '{2,5}',
  '{30}',
  '{,3}',
);
const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
  pattern: fc
    .array(
      fc.array(
        fc.tuple(fc.oneof({ maxDepth: 3 }, leaf, tie('group')), times).map((parts) => parts.join('')),
        {
          maxLength: 4,
        },
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((branches) => branches.map((branch) => branch.join('')).join('|')),
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'), tie('pattern'))
    .map(([start, inner]) => `${start}${inner})`),
}));

test('a pattern is never said to be larger than it is compiled', () => {
  let compared = 0;
  const check = (text: string): void => {
    const size = compiledSize(text);
    if (size === undefined) return;
    compared += 1;
    assert.ok(leastSize(text) <= size, `${text}: ${leastSize(text)}, compiled ${size}`);
  };
  fc.assert(fc.property(pattern, check), { numRuns: thinned(5000) });
  assert.ok(compared > thinned(500), String(compared));
});

test('what is repeated counts as often as that, each time that something around it is', () => {
  for (const [text, least] of [
    ['a{1000}', 1000],
    [`(${'x'.repeat(490)}){1000}`, 490_000],
    ['((ab){1,10}c){3}', 63],
    ['(?:ab|cd|c[ef]|[gh]|i){10}', 50],
    ['\\Qa{1000}\\E', 7],
    ['[{1000}]', 1],
    ['(?:\\x41){30}', 30],
    ['a{0}', 0],
    ['', 0],
  ] as const)
    assert.equal(leastSize(text), least, text);
});

function compiledSize(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return undefined;
    throw error;
  }
}
