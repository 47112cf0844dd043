import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldAscii } from '../../lib/fold-ascii.ts';
import { wholeEffort } from '../effort.ts';
import { globFits } from '../testing/reference-evaluator.ts';
import { collapseStars, compileGlob, matchesGlob } from './glob.ts';

function matches(pattern: string, subject: string): boolean {
  return matchesGlob(compileGlob(pattern), subject, wholeEffort());
}

test('`*` takes any run, none, slashes and line ends included', () => {
  for (const subject of ['', '/', 'a', '/content/a/b', 'a\nb\r\n', '\u2028', '😀']) {
    assert.ok(matches('*', subject));
    assert.ok(matches('**', subject));
    assert.ok(matches(`*${subject}*`, subject));
  }
  assert.ok(matches('/content/*', '/content/'));
  assert.ok(matches('/content/*', '/content/a/b\nc'));
  assert.ok(!matches('/content/*', '/content'));
  assert.ok(matches('/content*', '/contentsecret'));
  assert.ok(matches('b/*/test/*', 'b/1///test///x'));
  assert.ok(!matches('b/*/test/*', 'b/test/x'));
});

test('`?` takes exactly one code point', () => {
  assert.ok(matches('a?c', 'abc'));
  assert.ok(matches('a?c', 'a/c'));
  assert.ok(matches('a?c', 'a\nc'));
  assert.ok(matches('a?c', 'a😀c'));
  assert.ok(!matches('a?c', 'ac'));
  assert.ok(!matches('a??c', 'a😀c'));
  assert.ok(!matches('*??', '😀'));
  assert.ok(matches('*??', 'x😀'));
  assert.ok(matches('?', '\ud83d'));
  assert.ok(matches('a?', 'a\ud83d'));
  assert.ok(matches('?b', '\ud83db'));
});

test('everything else stands for itself, whatever it means elsewhere', () => {
  for (const text of ['.', '[a-z]', '(a|b)', 'a+', '^a$', '\\', '\\d', '{a,b}', '!a', '%2F', '$&', '__proto__']) {
    assert.ok(matches(text, text), text);
    assert.ok(!matches(text, 'a'), text);
    assert.ok(matches(`${text}?*`, `${text}xy`), text);
  }
  assert.ok(!matches('\\*', '*'));
  assert.ok(!matches('é', 'e\u0301'));
});

test('matches the whole subject and minds case', () => {
  assert.ok(!matches('/item', '/item/order'));
  assert.ok(!matches('item', '/item'));
  assert.ok(!matches('/Item', '/item'));
  assert.ok(!matches('', 'a'));
  assert.ok(matches('', ''));
});

test('folds A to Z and nothing else', () => {
  assert.equal(foldAscii('GetORDER_9'), 'getorder_9');
  assert.equal(foldAscii('getorder'), 'getorder');
  assert.equal(foldAscii('@AZ[`az{'), '@az[`az{');
  for (const text of ['\u212a', '\u017f', 'É', 'İ', 'Σ', '@[`{']) assert.equal(foldAscii(text), text);
  assert.equal(foldAscii('A\u212aB'), 'a\u212ab');
});

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '/', '😀', '\n'), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyPattern = fc.oneof(
  fc.string({ unit: fc.constantFrom('*', '*', '?', 'a', 'b', '/', '😀'), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('*', 'a', 'b'), maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('agrees with the plainest definition of a glob', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(anyPattern, anyText, (pattern, subject) => {
      const expected = globFits(Array.from(pattern), Array.from(subject));
      seen[`${expected}`] += 1;
      assert.equal(matches(pattern, subject), expected);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(seen.true > 1000 && seen.false > 1000, JSON.stringify(seen));
});

test('matches any subject with a pattern made from it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyText, fc.constantFrom('keep', '*', '?')), { size: 'max', maxLength: 12 }),
      (parts) => {
        const subject = parts.map(([text]) => text).join('');
        const pattern = parts.map(([text, how]) =>
          how === 'keep' ? text : how === '*' ? '*' : '?'.repeat([...text].length),
        );
        assert.ok(matches(pattern.join(''), subject));
      },
    ),
  );
});

test('says the same of a pattern whatever the length of its runs of stars', () => {
  assert.equal(collapseStars('***a**b*c**'), '*a*b*c*');
  assert.equal(collapseStars('**'), '*');
  fc.assert(
    fc.property(anyPattern, anyText, (pattern, subject) => {
      assert.ok(!collapseStars(pattern).includes('**'));
      assert.equal(matches(pattern, subject), matches(pattern.replaceAll('*', '***'), subject));
    }),
  );
});

test('folded texts match without regard to ASCII case', () => {
  const upper = (text: string) => [...text].map((letter) => (letter < '\x7f' ? letter.toUpperCase() : letter)).join('');
  fc.assert(
    fc.property(anyPattern, anyText, (pattern, subject) => {
      const folded = matches(foldAscii(pattern), foldAscii(subject));
      assert.equal(matches(foldAscii(upper(pattern)), foldAscii(upper(subject))), folded);
    }),
  );
});

/** Counts how often a character is looked at one by one, which a timed test could only guess. */
function charactersRead(pattern: string, subject: string): number {
  let reads = 0;
  const counted =
    <Result>(read: (index: number) => Result) =>
    (index: number) => {
      reads += 1;
      return read(index);
    };
  const counting = {
    length: subject.length,
    charCodeAt: counted((index) => subject.charCodeAt(index)),
    codePointAt: counted((index) => subject.codePointAt(index)),
    indexOf: (text: string, from: number) => subject.indexOf(text, from),
  };
  matchesGlob(compileGlob(pattern), counting as unknown as string, wholeEffort());
  return reads;
}

test('reads each character of a long subject a few times at most, however the pattern is made', () => {
  const subject = 'a'.repeat(8000);
  const patterns = [
    `${'*a'.repeat(16)}*b`,
    `*${'a'.repeat(250)}b*`,
    `${'*aaaaaaaaaaaaaa'.repeat(16)}b`,
    `${'*?'.repeat(16)}b`,
    `${'*a?'.repeat(16)}b*`,
    `*${'?'.repeat(250)}b*`,
    `*${'a?'.repeat(125)}b*`,
    '?*?b',
  ];
  let most = 0;
  for (const pattern of patterns) {
    assert.equal(matches(pattern, subject), false, pattern);
    const reads = charactersRead(pattern, subject);
    most = Math.max(most, reads);
    assert.ok(reads <= 2 * subject.length, `${pattern}: ${reads}`);
  }
  assert.ok(most >= subject.length, `${most}`);
});
