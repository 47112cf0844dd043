import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../lib/byte-order.ts';
import type { FieldDefinition } from '../definition.ts';
import { type FieldBehaviour, type FieldValue, isValueProblem } from './field-type.ts';
import { fieldTypes } from './registry.ts';

/** One type with hints, and what becomes of values and query texts. A string in place of a value is a problem's code. */
interface TypeCases {
  readonly colType: string;
  readonly hints?: Partial<FieldDefinition>;
  readonly values: readonly (readonly [input: unknown, outcome: Value | Refused])[];
  readonly texts?: readonly (readonly [text: string, outcome: Value | Refused])[];
}

interface Value {
  readonly is: FieldValue;
}

interface Refused {
  readonly refused: string;
}

const is = (value: FieldValue): Value => ({ is: value });
const wrong: Refused = { refused: 'wrong_type' };
const guid = '018bcfe5-6800-7000-8000-00000000000a';
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

const cases: readonly TypeCases[] = [
  {
    colType: 'string',
    values: [
      ...['', 'a', ' é😀 ', '\u0001'].map((text) => [text, is(text)] as const),
      [1, wrong],
      [true, wrong],
      [[], wrong],
    ],
    texts: [
      ['', is('')],
      ['1', is('1')],
      ['true', is('true')],
    ],
  },
  {
    colType: 'string',
    hints: { validate: true, minlength: 2, maxlength: 3 },
    values: [
      ['ab', is('ab')],
      ['😀😀😀', is('😀😀😀')],
      ['a', { refused: 'too_short' }],
      ['😀', { refused: 'too_short' }],
      ['abcd', { refused: 'too_long' }],
      ['é'.normalize('NFD').repeat(2), { refused: 'too_long' }],
    ],
    texts: [['a', is('a')]],
  },
  {
    colType: 'number',
    values: [
      [0, is(0)],
      [-0, is(0)],
      [-1.5e-300, is(-1.5e-300)],
      ...['1', Number.NaN, Number.POSITIVE_INFINITY, true, [1], {}, 1n].map((value) => [value, wrong] as const),
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
    colType: 'date',
    values: [
      ['2026-11-20', is('2026-11-20')],
      ['2024-02-29', is('2024-02-29')],
      ['0001-01-01', is('0001-01-01')],
      ...[
        '2026-02-29',
        '2026-13-01',
        '2026-00-10',
        '2026-11-31',
        '26-11-20',
        '2026-1-2',
        '2026-11-20T00:00:00Z',
        '',
        20261120,
      ].map((value) => [value, wrong] as const),
    ],
    texts: [
      ['1999-12-31', is('1999-12-31')],
      [' 1999-12-31', wrong],
    ],
  },
  {
    colType: 'datetime',
    values: [
      ['2026-11-20T09:30:00Z', is('2026-11-20T09:30:00.000Z')],
      ['2026-11-20t09:30:00.5z', is('2026-11-20T09:30:00.500Z')],
      ['2026-11-20T00:30:00+01:00', is('2026-11-19T23:30:00.000Z')],
      ['2026-11-20T09:30:00-00:00', is('2026-11-20T09:30:00.000Z')],
      ...[
        '2026-11-20',
        '2026-11-20T09:30:00',
        '2026-11-20 09:30:00Z',
        '2026-11-20T24:00:00Z',
        '2026-11-20T09:30:60Z',
        '2026-11-20T09:30:00.1234Z',
        '2026-02-30T09:30:00Z',
        '0000-01-01T00:00:00+01:00',
        '9999-12-31T23:59:59-01:00',
        '2026-11-20T09:30:00+24:00',
        1795167000000,
      ].map((value) => [value, wrong] as const),
    ],
    texts: [['2026-11-20T09:30:00Z', is('2026-11-20T09:30:00.000Z')]],
  },
  {
    colType: 'url',
    values: [
      ['https://example.com/a?b=c#d', is('https://example.com/a?b=c#d')],
      ['HTTP://EXAMPLE.com', is('HTTP://EXAMPLE.com')],
      ...[
        'example.com',
        '//example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
        'https://a b',
        'https://a\\b',
        ' https://a.b',
        'https://a.b\n',
        `https://a.b/${'x'.repeat(2048)}`,
        7,
      ].map((value) => [value, wrong] as const),
    ],
    texts: [['https://a.b/', is('https://a.b/')]],
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
    colType: 'guid',
    values: [
      [guid, is(guid)],
      [guid.toUpperCase(), is(guid)],
      ...['', `{${guid}}`, guid.replaceAll('-', ''), `${guid}\n`, ` ${guid}`, 7].map(
        (value) => [value, wrong] as const,
      ),
    ],
    texts: [
      [guid.toUpperCase(), is(guid)],
      ['x', wrong],
    ],
  },
  {
    colType: 'enum',
    hints: { enumValues: ['open', 'done'] },
    values: [
      ['open', is('open')],
      ['Open', { refused: 'not_in_enum' }],
      ['', { refused: 'not_in_enum' }],
      [0, wrong],
    ],
    texts: [
      ['done', is('done')],
      ['gone', { refused: 'not_in_enum' }],
      ['toString', { refused: 'not_in_enum' }],
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
];

for (const { colType, hints, values, texts = [] } of cases) {
  const behaviour = behaviourOf({ name: 'x', colType, ...hints });
  const title = `${colType}${hints === undefined ? '' : ` with ${JSON.stringify(hints)}`}`;
  for (const [input, outcome] of values)
    test(`${title}: the value ${shown(input)} ${told(outcome)}`, () => {
      const parsed = behaviour.parse(input);
      const problem = isValueProblem(parsed) ? parsed : behaviour.check?.(parsed.value);
      compare(problem ?? parsed, outcome);
    });
  for (const [text, outcome] of texts)
    test(`${title}: the query text ${shown(text)} ${told(outcome)}`, () => {
      assert.ok(behaviour.parseQuery !== undefined);
      compare(behaviour.parseQuery(text), outcome);
    });
}

const badHints: readonly FieldDefinition[] = [
  { name: 'x', minlength: 3, maxlength: 2 },
  { name: 'x', colType: 'number', min: 1, max: 0 },
  { name: 'x', colType: 'enum' },
  { name: 'x', colType: 'enum', enumValues: [] },
  { name: 'x', colType: 'enum', enumValues: ['a', 'b', 'a'] },
];

for (const field of badHints)
  test(`the hints ${JSON.stringify(field)} contradict themselves`, () => {
    assert.equal(typeof fieldTypes.get(field.colType ?? 'string')?.behave(field), 'string');
  });

test('every type is entered under its own name and has no word for null', () => {
  for (const [colType, type] of fieldTypes) {
    assert.equal(type.colType, colType);
    for (const input of [null, undefined, Symbol('x'), () => 1])
      assert.ok(isValueProblem(behaviourOf({ name: 'x', colType, enumValues: ['a'] }).parse(input)));
  }
});

test('a value that was taken is taken again and stays what it is', () => {
  for (const { colType, hints, values } of cases) {
    const behaviour = behaviourOf({ name: 'x', colType, ...hints });
    for (const [, outcome] of values)
      if ('is' in outcome) assert.deepEqual(behaviour.parse(outcome.is), { value: outcome.is });
  }
});

test('a type that can be filtered on reads the text of each of its values', () => {
  for (const { colType, hints, values } of cases) {
    const behaviour = behaviourOf({ name: 'x', colType, ...hints });
    assert.equal(behaviour.parseQuery === undefined, behaviour.encode === undefined);
    for (const [, outcome] of values)
      if ('is' in outcome && behaviour.parseQuery !== undefined)
        assert.deepEqual(behaviour.parseQuery(String(outcome.is)), { value: outcome.is });
  }
});

test('index texts of numbers are in their order, for any two numbers', () => {
  const { encode } = behaviourOf({ name: 'x', colType: 'number' });
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  const property = fc.property(double, double, (left, right) => {
    assert.equal(compareBytes(encode?.(left) ?? '', encode?.(right) ?? '') < 0, left < right);
  });
  fc.assert(property);
});

function behaviourOf(field: FieldDefinition): FieldBehaviour {
  const behaviour = fieldTypes.get(field.colType ?? 'string')?.behave(field);
  assert.ok(behaviour !== undefined && typeof behaviour !== 'string');
  return behaviour;
}

function compare(actual: object, outcome: Value | Refused): void {
  if ('is' in outcome) assert.deepEqual(actual, { value: outcome.is });
  else assert.equal('code' in actual ? actual.code : actual, outcome.refused);
}

function shown(input: unknown): string {
  if (Object.is(input, -0)) return '-0';
  return typeof input === 'bigint' || typeof input === 'number'
    ? String(input)
    : (JSON.stringify(input) ?? 'undefined');
}

function told(outcome: Value | Refused): string {
  return 'is' in outcome ? `is taken as ${JSON.stringify(outcome.is)}` : `is refused as ${outcome.refused}`;
}
