import { guid, is, type TypeCases, wrong } from './field-case.ts';

const noNumbers = [
  '',
  ' 1',
  '1 ',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '1e',
  '1e999',
  '-',
  '١',
  '1,5',
];

export const otherCases: readonly TypeCases[] = [
  {
    colType: 'number',
    values: [
      [0, is(0)],
      [-0, is(0)],
      [-1.5e-300, is(-1.5e-300)],
      [Number.MAX_SAFE_INTEGER, is(Number.MAX_SAFE_INTEGER)],
      ...['1', Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1, -1e300, true, [1], {}, 1n].map(
        (value) => [value, wrong] as const,
      ),
    ],
    texts: [
      ['-0', is(0)],
      ['-0.0', is(0)],
      ['007', is(7)],
      ['1.5E+3', is(1500)],
      ['5e-324', is(5e-324)],
      ...noNumbers.map((text) => [text, wrong] as const),
    ],
  },
  {
    colType: 'number',
    hints: { validate: true, min: -1, max: 1 },
    values: [
      [-1, is(-1)],
      [1, is(1)],
      [1.0000001, { refused: 'too_large' }],
      [-1.1, { refused: 'too_small' }],
    ],
  },
  {
    colType: 'integer',
    values: [
      [0, is(0)],
      [-0, is(0)],
      [Number.MAX_SAFE_INTEGER, is(Number.MAX_SAFE_INTEGER)],
      ...[1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN, '1', true, null].map((value) => [value, wrong] as const),
    ],
    texts: [
      ['-0', is(0)],
      ['007', is(7)],
      ['-9007199254740991', is(Number.MIN_SAFE_INTEGER)],
      ...['1.0', '1e3', '9007199254740992', ...noNumbers].map((text) => [text, wrong] as const),
    ],
  },
  {
    colType: 'integer',
    hints: { validate: true, min: 1, max: 3 },
    values: [
      [1, is(1)],
      [3, is(3)],
      [0, { refused: 'too_small' }],
      [4, { refused: 'too_large' }],
    ],
  },
  {
    colType: 'boolean',
    values: [
      [true, is(true)],
      [false, is(false)],
      [0, wrong],
      ['true', wrong],
      [[], wrong],
    ],
    texts: [
      ['true', is(true)],
      ['false', is(false)],
      ...['TRUE', '1', '', 'yes'].map((text) => [text, wrong] as const),
    ],
  },
  {
    colType: 'json',
    values: [
      [{ a: [1, null] }, is({ a: [1, null] })],
      [[], is([])],
      ['', is('')],
      [0, is(0)],
      [false, is(false)],
      [undefined, wrong],
    ],
  },
  {
    colType: 'array',
    values: [
      [[], is([])],
      [['b', 'a', 'b'], is(['b', 'a', 'b'])],
      [['a', 1, 'b', null], { refused: '/1 wrong_type, /3 wrong_type' }],
      [[['a']], { refused: '/0 wrong_type' }],
      ['a', wrong],
      [{}, wrong],
    ],
  },
  {
    colType: 'array',
    hints: { validate: true, minlength: 1, maxlength: 2, items: { colType: 'guid' } },
    values: [
      [[guid.toUpperCase()], is([guid])],
      [[], { refused: 'too_short' }],
      [[guid, guid, guid], { refused: 'too_long' }],
      [['x', guid, 'y'], { refused: '/0 wrong_type, /2 wrong_type' }],
    ],
  },
  {
    colType: 'array',
    hints: { validate: true, items: { maxlength: 2, pattern: '^a' } },
    values: [
      [['ab', 'a'], is(['ab', 'a'])],
      [['b', 'a', 'abc'], { refused: '/0 pattern_mismatch, /2 too_long' }],
    ],
  },
  {
    colType: 'array',
    hints: { items: { colType: 'integer', min: 2 } },
    values: [
      [[1], is([1])],
      [[1.5], { refused: '/0 wrong_type' }],
    ],
  },
  {
    colType: 'array',
    hints: { items: { colType: 'json' } },
    values: [
      [[{}, [1], 'a', false], is([{}, [1], 'a', false])],
      [[null], { refused: '/0 wrong_type' }],
    ],
  },
  {
    colType: 'formula',
    hints: { formula: '{a}' },
    values: [
      ['x', is('x')],
      ['', is('')],
      [1, wrong],
    ],
    texts: [['', is('')]],
  },
  {
    colType: 'autoincrement',
    values: [
      [1, is(1)],
      [1.5, wrong],
      ['1', wrong],
    ],
    texts: [
      ['7', is(7)],
      ['x', wrong],
    ],
  },
  {
    colType: 'encrypted',
    hints: { validate: true, minlength: 2 },
    values: [
      ['ab', is('ab')],
      ['a', { refused: 'too_short' }],
      [1, wrong],
    ],
  },
];
