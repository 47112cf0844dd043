import fc from 'fast-check';

/** Characters that engines are known to confuse: case, width, composition, patterns, blanks, and both ends of UTF-16. */
const nastyCharacters = [
  'a',
  'A',
  'b',
  '0',
  '1',
  '9',
  '10',
  '#',
  ';',
  '%',
  '_',
  '*',
  '?',
  '\\',
  "'",
  '"',
  ' ',
  '\t',
  '\n',
  '\u0001',
  '\u007f',
  '\u00a0',
  '\u00ad',
  'é',
  'e\u0301',
  'ß',
  'ss',
  'i',
  'ı',
  'İ',
  'ſ',
  'ﬁ',
  'Ω',
  '\u2126',
  '\u200d',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '\ud7ff',
  '\ue000',
  '\ufffe',
  '\uffff',
  '\u{10000}',
  '😀',
  '👩‍👧',
  '\u{10ffff}',
];

/** Well-formed text without U+0000, short and full of traps. */
export const nastyText = (maxLength = 4): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...nastyCharacters) }, { weight: 1, arbitrary: anyCharacter }),
      {
        maxLength,
      },
    )
    .map((characters) => characters.join(''));

export const nastyKey = (): fc.Arbitrary<string> => nastyText(3).map((text) => (text === '' ? 'k' : text));

const anyCharacter = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => !text.includes('\0'));
