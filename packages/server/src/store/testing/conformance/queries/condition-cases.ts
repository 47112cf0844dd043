import assert from 'node:assert/strict';
import {
  always,
  type Comparison,
  type MemberType,
  type MemberValue,
  never,
  type Where,
} from '../../../../lib/where.ts';
import type { MeasureRead } from '../../../port.ts';
import { byBytes, type ConformanceCase } from '../bench.ts';
import { keysOf, measure, n, numbered, select, stock, wanted } from './asking.ts';

/** Values that hold nothing of a type: of other types, absent, or JSON null. */
const others: readonly (readonly [sk: string, value: string])[] = [
  ['z-absent', '{"b":"a"}'],
  ['z-array', '{"a":["a","a"]}'],
  ['z-null', '{"a":null}'],
  ['z-object', '{"a":{"a":"a"}}'],
];

const comparisons: readonly Comparison[] = ['eq', 'lt', 'lte', 'gt', 'gte'];

interface TypeCase {
  readonly name: string;
  readonly type: MemberType;
  /** Texts of JSON, and the values of the type that they hold. */
  readonly values: readonly (readonly [json: string, value: MemberValue])[];
  /** Texts of JSON of other types, or of another form. */
  readonly noValues: readonly string[];
  readonly order: (left: MemberValue, right: MemberValue) => number;
}

const ofTexts = (left: MemberValue, right: MemberValue): number => byBytes(String(left), String(right));
const ofNumbers = (left: MemberValue, right: MemberValue): number => Number(left) - Number(right);

const typeCases: readonly TypeCase[] = [
  {
    name: 'texts, by their bytes',
    type: 'text',
    values: ['', ' ', 'A', 'a', 'ab', 'b', 'e\u0301', 'é', '\ud7ff', '\uffff', '\u{1f600}', '[1]', '1', 'true', '"\\']
      .map((text) => [JSON.stringify(text), text] as const)
      .concat([['"\\u0061c"', 'ac']]),
    noValues: ['1', 'true', '[1]'],
    order: ofTexts,
  },
  {
    name: 'numbers, as doubles',
    type: 'number',
    values: (
      [
        ...[
          '-1.5',
          '-1',
          '0',
          '0.1',
          '0.30000000000000004',
          '1',
          '1.5',
          '2',
          '10',
          '100000',
          '1e21',
          '5e-324',
          '1e300',
        ],
        ...['9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775808', '1.0', '1e2', '-0'],
      ] as const
    ).map((json) => [json, Number(json)] as const),
    noValues: ['"1"', 'true', 'false', '""', '[1]'],
    order: ofNumbers,
  },
  {
    name: 'whole numbers that a double holds exactly',
    type: 'integer',
    values: ['-9007199254740991', '-1', '0', '1', '1.0', '1e2', '9007199254740991'].map(
      (json) => [json, Number(json)] as const,
    ),
    noValues: ['1.5', '"1"', 'true', '9007199254740992', '9007199254740993', '-9007199254740992', '1e21', '0.1'],
    order: ofNumbers,
  },
  {
    name: 'booleans, of which false comes first',
    type: 'boolean',
    values: [
      ['true', true],
      ['false', false],
    ],
    noValues: ['1', '0', '"true"'],
    order: ofNumbers,
  },
  {
    name: 'dates, by their form and the calendar',
    type: 'date',
    values: ['0000-01-01', '2024-02-29', '2025-01-01'].map((text) => [`"${text}"`, text] as const),
    noValues: [
      '"2024-02-30"',
      '"2023-02-29"',
      '"0000-00-00"',
      '"2024-2-29"',
      '"2024-02-29\\n"',
      '"x2024-02-29"',
      '"٢٠٢٤-02-29"',
      '"2024-02-29T10:00:00.000Z"',
      '20240229',
    ],
    order: ofTexts,
  },
  {
    name: 'times, by their form and the calendar',
    type: 'datetime',
    values: ['2024-02-29T10:00:00.000Z', '2024-02-29T10:00:00.001Z', '2025-01-01T00:00:00.000Z'].map(
      (text) => [`"${text}"`, text] as const,
    ),
    noValues: [
      '"2024-02-29T10:00:00Z"',
      '"2024-02-29T24:00:00.000Z"',
      '"2024-02-30T10:00:00.000Z"',
      '"2024-02-29T10:00:00.000+00:00"',
      '"2024-02-29"',
      '"2024-02-29t10:00:00.000z"',
    ],
    order: ofTexts,
  },
];

function typeCase({ name, type, values, noValues, order }: TypeCase): ConformanceCase {
  return {
    name: `finds records by ${name}, and none with a value of another type`,
    async run({ scope }) {
      const typed = values.map(([json, value], at) => ({ sk: `v${String(at).padStart(2, '0')}`, json, value }));
      const untyped = noValues.map((json, at) => ({ sk: `w${String(at).padStart(2, '0')}`, json }));
      const records = [...typed, ...untyped].map(({ sk, json }) => [sk, `{"a":${json}}`] as const);
      await stock(scope, [...records, ...others]);
      const all = typed.map(({ sk }) => sk);
      const found = (where: Where) => keysOf(scope, where);
      const keysWhere = (test: (value: MemberValue) => boolean) =>
        typed.filter(({ value }) => test(value)).map(({ sk }) => sk);
      const path = ['a'];
      assert.deepEqual(await found({ kind: 'exists', path, type }), all);
      for (const [, value] of values) {
        for (const operator of comparisons) {
          const expected = keysWhere((one) => holds[operator](order(one, value)));
          assert.deepEqual(
            await found({ kind: 'compare', path, type, operator, value }),
            expected,
            `${operator} ${value}`,
          );
        }
      }
      const some = values.filter((_, at) => at % 2 === 0).map(([, value]) => value);
      const isSome = (one: MemberValue) => some.some((value) => order(one, value) === 0);
      assert.deepEqual(await found({ kind: 'in', path, type, values: some }), keysWhere(isSome));
      assert.deepEqual(await found({ kind: 'in', path, type, values: [] }), []);
    },
  };
}

const holds: Readonly<Record<Comparison, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

const mixed: readonly (readonly [sk: string, value: string])[] = [
  ['a', '{"a":"ab","n":1,"tags":["x","y"]}'],
  ['b', '{"a":"Ab%_*","n":2.5,"tags":["X",1,true,null,["x"],{"x":"x"},"2024-02-29"]}'],
  ['c', '{"a":"","n":"1","tags":[]}'],
  ['d', '{"a":{"b":{"c":"deep"}},"n":true,"tags":{"0":"x"}}'],
  ['e', '{"a":[{"b":{"c":"deep"}}],"n":null,"tags":"x"}'],
  ['f', '{"a":null,"__proto__":"own","c-d@e_1":1}'],
  ['g', '{}'],
  ['h', '{"a":"\u{1f600}bé","n":9007199254740993}'],
  ['i', '{"b":false,"a":{"b":{"c":null}}}'],
];

const leafCases: readonly (readonly [where: Where, keys: string])[] = [
  [{ kind: 'present', path: ['a'] }, 'abcdehi'],
  [{ kind: 'present', path: ['b'] }, 'i'],
  [{ kind: 'present', path: ['a', 'b', 'c'] }, 'd'],
  [{ kind: 'present', path: ['__proto__'] }, 'f'],
  [{ kind: 'present', path: ['constructor'] }, ''],
  [{ kind: 'present', path: ['tags', 'length'] }, ''],
  [{ kind: 'exists', path: ['c-d@e_1'], type: 'integer' }, 'f'],
  [{ kind: 'compare', path: ['a', 'b', 'c'], type: 'text', operator: 'eq', value: 'deep' }, 'd'],
  [{ kind: 'compare', path: ['__proto__'], type: 'text', operator: 'eq', value: 'own' }, 'f'],
  [{ kind: 'prefix', path: ['a'], value: '' }, 'abch'],
  [{ kind: 'prefix', path: ['a'], value: 'a' }, 'a'],
  [{ kind: 'prefix', path: ['a'], value: 'A' }, 'b'],
  [{ kind: 'prefix', path: ['a'], value: 'ab%' }, ''],
  [{ kind: 'prefix', path: ['a'], value: '\u{1f600}b' }, 'h'],
  [{ kind: 'prefix', path: ['n'], value: '1' }, 'c'],
  [{ kind: 'contains', path: ['a'], value: '' }, 'abch'],
  [{ kind: 'contains', path: ['a'], value: 'b' }, 'abh'],
  [{ kind: 'contains', path: ['a'], value: 'B' }, ''],
  [{ kind: 'contains', path: ['a'], value: '%_*' }, 'b'],
  [{ kind: 'contains', path: ['a'], value: '_b' }, ''],
  [{ kind: 'contains', path: ['a'], value: 'é' }, 'h'],
  [{ kind: 'contains', path: ['tags'], value: 'x' }, 'e'],
  [{ kind: 'element', path: ['tags'], type: 'text', value: 'x' }, 'a'],
  [{ kind: 'element', path: ['tags'], type: 'text', value: 'X' }, 'b'],
  [{ kind: 'element', path: ['tags'], type: 'number', value: 1 }, 'b'],
  [{ kind: 'element', path: ['tags'], type: 'integer', value: 1 }, 'b'],
  [{ kind: 'element', path: ['tags'], type: 'boolean', value: true }, 'b'],
  [{ kind: 'element', path: ['tags'], type: 'boolean', value: false }, ''],
  [{ kind: 'element', path: ['tags'], type: 'date', value: '2024-02-29' }, 'b'],
  [always, 'abcdefghi'],
  [never, ''],
];

export const conditionCases: readonly ConformanceCase[] = [
  ...typeCases.map(typeCase),
  {
    name: 'finds records by each kind of condition, and the others by its negation',
    async run({ scope }) {
      await stock(scope, mixed);
      for (const [where, keys] of leafCases) {
        const label = JSON.stringify(where);
        assert.equal((await keysOf(scope, where)).join(''), keys, label);
        const rest = mixed.map(([sk]) => sk).filter((sk) => !keys.includes(sk));
        assert.deepEqual(await keysOf(scope, { kind: 'not', part: where }), rest, `not ${label}`);
        const twice: Where = { kind: 'not', part: { kind: 'not', part: where } };
        assert.equal((await keysOf(scope, twice)).join(''), keys, `not not ${label}`);
      }
    },
  },
  {
    name: 'joins conditions, however many and however deep a question may be',
    async run({ scope }) {
      await numbered(scope);
      const is = (value: number): Where => ({ kind: 'compare', ...n, operator: 'eq', value });
      assert.deepEqual(await keysOf(scope, { kind: 'or', parts: [is(1), is(7), is(20)] }), ['k1', 'k7']);
      assert.deepEqual(await keysOf(scope, { kind: 'and', parts: [wanted, { kind: 'not', part: is(3) }] }), [
        'k0',
        'k6',
        'k9',
      ]);
      const wide: Where = { kind: 'or', parts: Array.from({ length: 499 }, (_, at) => is(at + 9)) };
      assert.deepEqual(await keysOf(scope, wide), ['k9']);
      const values = Array.from({ length: 1000 }, (_, at) => at + 8);
      assert.deepEqual(await keysOf(scope, { kind: 'in', ...n, values }), ['k8', 'k9']);
      let deep: Where = is(4);
      for (let depth = 0; depth < 32; depth++)
        deep = depth % 2 === 0 ? { kind: 'not', part: deep } : { kind: 'and', parts: [deep, always] };
      assert.deepEqual(await keysOf(scope, { kind: 'and', parts: [is(4)] }), ['k4']);
      assert.deepEqual(await keysOf(scope, deep), ['k4']);
    },
  },
  {
    name: 'refuses what no engine can be asked for',
    async run({ scope }) {
      const path = ['a'];
      const compare = { kind: 'compare', operator: 'eq', path } as const;
      let deep: Where = always;
      for (let depth = 0; depth < 33; depth++) deep = { kind: 'not', part: deep };
      const refused: readonly Where[] = [
        deep,
        { kind: 'and', parts: Array.from({ length: 500 }, () => always) },
        { kind: 'present', path: [] },
        { kind: 'present', path: ["a'b"] },
        { kind: 'present', path: ['a"b'] },
        { kind: 'present', path: Array.from({ length: 9 }, () => 'a') },
        { ...compare, type: 'text', value: 1 },
        { ...compare, type: 'text', value: 'a\0' },
        { ...compare, type: 'text', value: '\ud83d' },
        { ...compare, type: 'number', value: Number.NaN },
        { ...compare, type: 'number', value: Number.POSITIVE_INFINITY },
        { ...compare, type: 'integer', value: 1.5 },
        { ...compare, type: 'date', value: '2024-2-29' },
        { kind: 'in', path, type: 'integer', values: Array.from({ length: 1001 }, (_, at) => at) },
        { kind: 'prefix', path, value: '\ud83d' },
        { kind: 'element', path, type: 'boolean', value: 'true' },
      ];
      for (const where of refused) {
        await assert.rejects(select(scope, { where }), TypeError, JSON.stringify(where));
        await assert.rejects(measure(scope, { where }), TypeError, JSON.stringify(where));
      }
      const reads: readonly Partial<MeasureRead>[] = [
        { group: Array.from({ length: 6 }, () => n) },
        { group: [{ ...n, bounds: [1.5] }] },
        { group: [{ ...n, bounds: Array.from({ length: 1001 }, (_, at) => at) }] },
        { group: [{ path: ["a'b"], type: 'text' }] },
        { measures: Array.from({ length: 11 }, () => ({ kind: 'count' })) },
        { measures: [{ kind: 'min', path: ['a b'], type: 'text' }] },
        { rowsMax: -1 },
        { groupsMax: 0.5 },
      ];
      for (const read of reads) await assert.rejects(measure(scope, read), TypeError);
      await assert.rejects(select(scope, { limit: -1 }), TypeError);
      await assert.rejects(select(scope, { prefix: '\ud83d' }), TypeError);
    },
  },
];
