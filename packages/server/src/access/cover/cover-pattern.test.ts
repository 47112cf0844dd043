import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import type { Effort } from '../effort.ts';
import { compileGlob, matchesGlob } from '../patterns/glob.ts';
import { covers, overlaps, readPattern } from './cover-pattern.ts';

const plenty = (): Effort => ({ stepsLeft: 1e9 });

function isCovered(wide: string, narrow: string, effort = plenty()): boolean {
  return covers(readPattern(wide), readPattern(narrow), effort);
}

function doOverlap(left: string, right: string, effort = plenty()): boolean {
  return overlaps(readPattern(left), readPattern(right), effort);
}

function matches(pattern: string, subject: string): boolean {
  return matchesGlob(compileGlob(pattern), subject, plenty());
}

const covering: readonly (readonly [wide: string, narrow: string])[] = [
  ['*', '*'],
  ['*', ''],
  ['*', '?'],
  ['get*', 'get*'],
  ['get*', 'getorder'],
  ['get*', 'getor*er?'],
  ['*order', 'getorder'],
  ['/item/*', '/item/order/*'],
  ['/item/?', '/item/😀'],
  ['?*', '*?'],
  ['*?', '?*'],
  ['?*', '*a*'],
  ['*??', 'a*b'],
  ['*?*?*', '??'],
  ['*a*', 'b*a?*'],
  ['*ab*b', 'ab*ab*b'],
];
for (const [wide, narrow] of covering)
  test(`\`${wide}\` covers \`${narrow}\``, () => {
    assert.ok(isCovered(wide, narrow));
  });

const notCovering: readonly (readonly [wide: string, narrow: string])[] = [
  ['', '*'],
  ['?', '*'],
  ['?*', '*'],
  ['get*', '*'],
  ['get*', 'ge*'],
  ['get*', 'ge?*'],
  ['getorder', 'getorder*'],
  ['getorder', 'getorde?'],
  ['/content/*', '/content*'],
  ['/content/*', '/content'],
  ['a?b', 'a*b'],
  ['?', '??'],
  ['*a', '*'],
  ['*a*b', '*b*a'],
];
for (const [wide, narrow] of notCovering)
  test(`\`${wide}\` does not cover \`${narrow}\``, () => {
    assert.ok(!isCovered(wide, narrow));
  });

const apart: readonly (readonly [string, string])[] = [
  ['get*', 'list*'],
  ['*order', '*invoice'],
  ['/item/?', '/item/'],
  ['a*b', 'a*c'],
  ['', '?'],
  ['??', '???*'],
  ['a*a', 'a'],
  ['?b?', '*cc*'],
];
for (const [left, right] of apart)
  test(`\`${left}\` and \`${right}\` have nothing in common`, () => {
    assert.ok(!doOverlap(left, right));
    assert.ok(!doOverlap(right, left));
  });

const pattern = fc.oneof(
  fc.string({ unit: fc.constantFrom('*', '?', 'a', 'b'), maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('*', '*', '?', 'a', 'b', '/', '😀'), maxLength: 9 }),
);
const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '😀', '*', '?', '\n'), maxLength: 6 });

/** A string that the pattern matches. */
const matchOf = (glob: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(glob, (symbol) =>
        symbol === '*'
          ? text
          : symbol === '?'
            ? fc.constantFrom('a', 'b', '/', '😀', '*', '?', '\n')
            : fc.constant(symbol),
      ),
    )
    .map((parts) => parts.join(''));

/** Replaces parts of a pattern by wildcards, so that it reaches further. */
const widened = (glob: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(glob, (symbol) =>
        fc.constantFrom(...(symbol === '*' ? ['*'] : [symbol, symbol, symbol, '?', '*', `${symbol}*`])),
      ),
    )
    .map((parts) => parts.join(''));

const twoPatterns = fc.oneof(
  fc.tuple(pattern, pattern),
  pattern.chain((narrow) => fc.tuple(widened(narrow), fc.constant(narrow))),
);

test('what covers a pattern matches every string that the pattern matches', () => {
  let covered = 0;
  fc.assert(
    fc.property(
      twoPatterns.chain(([wide, narrow]) => fc.tuple(fc.constant(wide), fc.constant(narrow), matchOf(narrow))),
      ([wide, narrow, subject]) => {
        assert.ok(matches(narrow, subject));
        if (!isCovered(wide, narrow)) return;
        covered += 1;
        assert.ok(matches(wide, subject), `${wide} ${narrow} ${subject}`);
      },
    ),
    { numRuns: thinned(20_000) },
  );
  assert.ok(covered > thinned(2000), String(covered));
});

test('a pattern covers itself, and whatever reaches further covers it', () => {
  fc.assert(
    fc.property(
      pattern.chain((narrow) => fc.tuple(widened(narrow), fc.constant(narrow))),
      ([wide, narrow]) => {
        assert.ok(isCovered(narrow, narrow));
        assert.ok(isCovered('*', narrow));
        assert.ok(isCovered(wide, narrow), `${wide} ${narrow}`);
      },
    ),
    { numRuns: thinned(5000) },
  );
});

test('patterns overlap whenever a string is matched by both', () => {
  let common = 0;
  fc.assert(
    fc.property(
      twoPatterns.chain(([left, right]) => fc.tuple(fc.constant(left), fc.constant(right), matchOf(right))),
      ([left, right, subject]) => {
        if (!matches(left, subject)) return;
        common += 1;
        assert.ok(doOverlap(left, right), `${left} ${right} ${subject}`);
        assert.ok(doOverlap(right, left), `${right} ${left} ${subject}`);
      },
    ),
    { numRuns: thinned(20_000) },
  );
  assert.ok(common > thinned(2000), String(common));
});

const short = fc.string({ unit: fc.constantFrom('*', '?', 'a', 'b'), maxLength: 3 });
const shortTexts = textsUpTo(6);

test('patterns overlap only where some string is matched by both', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(short, short, (left, right) => {
      const expected = shortTexts.some((subject) => matches(left, subject) && matches(right, subject));
      seen[`${expected}`] += 1;
      assert.equal(doOverlap(left, right), expected, `${left} ${right}`);
    }),
    { numRuns: thinned(3000) },
  );
  assert.ok(seen.true > thinned(300) && seen.false > thinned(300), JSON.stringify(seen));
});

test('what is covered overlaps, and covering is passed on', () => {
  fc.assert(
    fc.property(
      pattern.chain((low) => widened(low).chain((mid) => fc.tuple(fc.constant(low), fc.constant(mid), widened(mid)))),
      ([low, mid, high]) => {
        assert.ok(doOverlap(mid, low));
        assert.ok(isCovered(high, low));
      },
    ),
  );
});

test('without effort left nothing covers and everything overlaps', () => {
  assert.ok(!isCovered('*', 'a', { stepsLeft: 0 }));
  assert.ok(doOverlap('a', 'b', { stepsLeft: 0 }));
  const long = `${'*a'.repeat(16)}${'?'.repeat(200)}`;
  assert.ok(!isCovered(long, `${'a'.repeat(255)}b`, { stepsLeft: 100 }));
  assert.ok(doOverlap(long, `${'*a'.repeat(16)}${'?'.repeat(100)}b`, { stepsLeft: 100 }));
});

test('takes at most about twice the product of the lengths, however the patterns are made', () => {
  const patterns = [
    `${'*a'.repeat(16)}*b`,
    'a'.repeat(256),
    `${'*?'.repeat(16)}b`,
    `${'*a?'.repeat(16)}${'a'.repeat(200)}b*`,
    `*${'?'.repeat(250)}b*`,
    `${'a'.repeat(127)}*${'a'.repeat(127)}b`,
  ];
  for (const left of patterns) {
    for (const right of patterns) {
      for (const compare of [isCovered, doOverlap]) {
        const effort = plenty();
        const before = effort.stepsLeft;
        compare(left, right, effort);
        const steps = before - effort.stepsLeft;
        assert.ok(steps > 0 && steps <= 2 * (left.length + 2) * (right.length + 2), `${left} ${right}: ${steps}`);
      }
    }
  }
});

function textsUpTo(length: number): readonly string[] {
  if (length === 0) return [''];
  const shorter = textsUpTo(length - 1);
  const longest = shorter.filter((each) => each.length === length - 1);
  return [...shorter, ...longest.flatMap((each) => ['a', 'b', 'c'].map((letter) => each + letter))];
}
