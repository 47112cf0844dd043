import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { searchTerms, wordsOf } from './words.ts';

const cases: readonly (readonly [what: string, text: string, words: readonly string[]])[] = [
  ['nothing', '', []],
  ['what is no word', ' .,;-_ \t\n😀?', []],
  ['case', 'Hello WORLD', ['hello', 'world']],
  ['digits and what stands between them', 'A-4711 3.14', ['a', '4711', '3', '14']],
  ['names in addresses', 'john.smith@example.com', ['john', 'smith', 'example', 'com']],
  ['either apostrophe', "O'Brien O’Brien", ['o', 'brien', 'o', 'brien']],
  ['accents, composed or not', 'Café Cafe\u0301 Škoda', ['cafe', 'cafe', 'skoda']],
  ['sharp s in each of its cases', 'Straße STRASSE STRAẞE', ['strasse', 'strasse', 'strasse']],
  ['sigma wherever it stands', 'ΟΔΟΣ οδός οδόσ', ['οδοσ', 'οδοσ', 'οδοσ']],
  ['every i of Turkish', 'İ I ı i', ['i', 'i', 'i', 'i']],
  ['ligatures and wide letters', 'ﬁne Ｗｉｄｅ', ['fine', 'wide']],
  ['fractions', '½', ['1', '2']],
  ['soft hyphens and joiners', 'Donau\u00addampf می\u200cخواهم', ['donaudampf', 'میخواهم']],
  ['points of Hebrew and Arabic', 'שָׁלוֹם قُرْآن', ['שלום', 'قران']],
  ['vowel signs, which are letters', 'की कि', ['की', 'कि']],
  ['Chinese and Japanese words side by side', '東京都庁へ行く', ['東京', '都庁', 'へ', '行く']],
  [
    'the marks of the kana, which make other letters',
    'が か ぱ は',
    ['が', 'か', 'ぱ', 'は'].map((kana) => kana.normalize('NFD')),
  ],
  ['Thai words side by side', 'ทำงานที่บ้าน', ['ทํางาน', 'ที่', 'บ้าน']],
  ['marks on what is no letter', '♪\u{1d165} \u0e33', ['า']],
  ['a surrogate pair', '𝔸𐐀', ['a𐐨']],
];

for (const [what, text, words] of cases) test(`words: ${what}`, () => assert.deepEqual(wordsOf(text), words));

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc
    .array(fc.constantFrom('Straße', 'café', 'Σ', 'ς', '½', '\u00ad', '\u200b', '東京', 'ไทย', 'की', ' ', '.', 'x1'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

// A dictionary may part words again where others stand beside them, but it loses nothing of them.
const lettersOf = (text: string): string => wordsOf(text).join('');

test('folding a word again changes nothing, for each character by itself and in any text', () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    for (const word of wordsOf(String.fromCodePoint(point))) assert.equal(lettersOf(word), word);
  }
  const property = fc.property(anyText, (text) => {
    const folded = wordsOf(text);
    assert.equal(lettersOf(folded.join(' ')), folded.join(''));
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

test('case, and whether accents are composed, decide nothing', () => {
  const property = fc.property(anyText, (text) => {
    // In capitals an iota below a vowel is beside it, and is a letter.
    fc.pre(!text.normalize('NFD').includes('\u0345'));
    for (const other of [text.toLowerCase(), text.toUpperCase(), text.normalize('NFC'), text.normalize('NFD')])
      assert.equal(lettersOf(other), lettersOf(text));
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

test('the fast way of ASCII gives what the segmenter of Unicode gives, cut at what is no letter or digit', () => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
  const ascii = fc.string({
    unit: fc.constantFrom(...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))),
  });
  const property = fc.property(ascii, (text) => {
    const segments = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike);
    const expected = segments.flatMap(({ segment }) => segment.toLowerCase().split(/[^a-z0-9]+/)).filter(Boolean);
    assert.deepEqual(wordsOf(text), expected);
    // The same text with one letter more, which is not ASCII, goes the other way.
    assert.deepEqual(wordsOf(`${text} ж`), [...expected, 'ж']);
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

test('a word is cut at 64 characters, however many units or bytes they take', () => {
  assert.deepEqual(wordsOf('x'.repeat(100)), ['x'.repeat(64)]);
  assert.deepEqual(wordsOf('ж'.repeat(100)), ['ж'.repeat(64)]);
  assert.deepEqual(wordsOf('𐐨'.repeat(100)), ['𐐨'.repeat(64)]);
  assert.deepEqual(wordsOf('𐐨'.repeat(64)), ['𐐨'.repeat(64)]);
});

test('the words of a very long piece are those of the piece as a whole', () => {
  const unwritten = /[[\p{Cf}[\p{M}&&[\p{sc=Zinh}\p{sc=Arabic}\p{sc=Cyrillic}\p{sc=Hebrew}]]]--[\u3099\u309a]]+/gv;
  const run = /[\p{L}\p{N}][[\p{L}\p{N}\p{M}\p{Cf}]--[\u200b]]*/gv;
  const whole = (piece: string): readonly string[] => {
    const bare = piece.normalize('NFKD').replace(unwritten, '').toLowerCase().toUpperCase().toLowerCase();
    return [...bare.replaceAll('ς', 'σ').matchAll(run)].map(([word]) => Array.from(word).slice(0, 64).join(''));
  };
  const unit = fc.constantFrom(
    'é',
    'x',
    'Σ',
    'ß',
    '½',
    '\ufdfa',
    '𐐨',
    '𝔸',
    'かﾞ',
    'e\u0301\u0316',
    'की',
    '\u00ad',
    'İ',
    '7',
  );
  const property = fc.property(
    fc.array(unit, { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 400 }),
    (units, times) => {
      // A letter before, since a piece begins with one, and a letter that is not ASCII.
      const piece = `é${units.join('').repeat(times)}`.slice(0, 20_000).toWellFormed().replaceAll('\ufffd', '');
      if (!/か/.test(piece)) assert.deepEqual(wordsOf(piece), whole(piece));
      assert.deepEqual(wordsOf(`${piece} ${piece}`), [...wordsOf(piece), ...wordsOf(piece)]);
    },
  );
  fc.assert(property, { numRuns: thinned(200) });
});

test('a letter with a megabyte of marks is a word like others, in the time of others', () => {
  assert.deepEqual(wordsOf(`a${'\u0301\u0316'.repeat(250_000)}b c`), ['ab', 'c']);
});

test('the terms of a record are the distinct words of its texts and lists of texts, at most 200 of the first 10,000', () => {
  assert.deepEqual(searchTerms(['One two', ['TWO', 3, 'three'], 7, true, { four: 'four' }]), ['one', 'two', 'three']);
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
  assert.deepEqual(searchTerms([words.join(' ')]), words.slice(0, 200));
  assert.deepEqual(searchTerms(['x '.repeat(1000), 'y']), ['x', 'y']);
  assert.deepEqual(searchTerms(['x '.repeat(10_000), 'y']), ['x']);
});
