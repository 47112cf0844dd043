/** Random records, and questions about them, for engines that are compared with the reference. */
import fc from 'fast-check';
import type { Comparison, MemberPath, MemberType, MemberValue, Where } from '../../../lib/where.ts';
import type { GroupMember, Measure } from '../../port.ts';

const names = ['a', 'b', 'c-d', '__proto__'] as const;

const pathArbitrary: fc.Arbitrary<MemberPath> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<MemberPath[]>(['a'], ['a'], ['b']) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }) },
);

const dates = ['2024-02-29', '2025-01-01', '0000-01-01'];
const datetimes = ['2024-02-29T10:00:00.000Z', '2024-02-29T10:00:00.001Z', '2025-01-01T00:00:00.000Z'];
const texts = [
  ...[
    '',
    'a',
    'A',
    'ab',
    'abc',
    'b',
    'é',
    'e\u0301',
    '\uffff',
    '\ue000',
    '\ud7ff',
    '\u{1f600}',
    '\u{1f600}a',
    '하',
    '%',
  ],
  ...['AB', 'B', '*', '_', '"', '\\', "'", '\n', '[1]', '[]', '{}', '{"b":1}', '1', '1.0', 'true', 'null', '\\ud83d'],
  ...[...dates, ...datetimes],
];
/** What is in stored texts alone: U+0000, halves of surrogate pairs, and what is nearly of a form. */
const storedTexts = [
  ...['\0', 'a\0', 'a\0b', 'ab\0', '\ud83d', '\ude00', '\ud83da', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00'],
  ...['2023-02-29', '0000-00-00', '2025-04-31', '2025-02-29T10:00:00.000Z', '2025-01-01T24:00:00.000Z'],
  ...[
    '2024-02-29\0',
    '2024-02-29\n',
    '2024-2-29',
    '٢024-02-29',
    '2024-02-29T10:00:00.000Z\0',
    '2025-01-01T00:00:00.000Z\0',
  ],
];
const numbers = [0, -0, 1, -1, 2, 100, 1.5, -1.5, 0.1, 0.30000000000000004, 1e21, -1e300, 5e-324, 123456.789];
const wholeNumbers = [0, 1, -1, 2, 100, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 52 + 1];
const storedNumbers = [
  ...[
    '1.0',
    '1e2',
    '-0',
    '-0.0',
    '0e5',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
  ],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740991.0',
  ],
];

const textArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }).map((text) => text.replaceAll('\0', 'x')) },
);

/** Each unit of UTF-16 as an escape. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const storedText = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: textArbitrary }, { weight: 1, arbitrary: fc.constantFrom(...storedTexts) }),
    fc.nat(9),
  )
  .map(([text, die]) => (die === 0 ? escaped(text) : JSON.stringify(text)));
const storedNumber = fc.oneof(
  fc.constantFrom(...numbers, ...wholeNumbers).map((number) => JSON.stringify(number)),
  fc.constantFrom(...storedNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }).map((number) => JSON.stringify(number)),
);

const storedArray = fc
  .array(
    fc.oneof(
      fc.constantFrom('1', '0', 'true', 'false', '"1"', '"a"', '100', '["a"]', 'null'),
      storedText,
      storedNumber,
    ),
    {
      maxLength: 4,
    },
  )
  .map((values) => `[${values.join(',')}]`);
/** Of nulls, around the number up to which one value beside them counts. */
const longArray = fc
  .tuple(fc.constantFrom(99, 100), fc.constantFrom('"a"', '"a"', '1', 'true', '"a","a"'))
  .map(([nulls, values]) => `[${'null,'.repeat(nulls)}${values}]`);

const { value: storedValue } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    { weight: 4, arbitrary: storedText },
    { weight: 4, arbitrary: storedNumber },
    { weight: 2, arbitrary: storedArray },
    { weight: 2, arbitrary: longArray },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`) },
    { weight: 1, arbitrary: tie('object') },
  ),
  object: objectOf(tie('value')),
}));

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'a', ...names), value), { maxLength: 4, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
}

/** Texts of JSON. */
export const recordArbitrary: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: objectOf(storedValue) },
  { weight: 1, arbitrary: storedValue },
);

const types: readonly MemberType[] = ['text', 'number', 'integer', 'boolean', 'date', 'datetime'];
const typeArbitrary = fc.constantFrom(...types);

function valueArbitrary(type: MemberType): fc.Arbitrary<MemberValue> {
  switch (type) {
    case 'text':
      return textArbitrary;
    case 'number':
      return fc.constantFrom(...numbers, ...wholeNumbers);
    case 'integer':
      return fc.constantFrom(...wholeNumbers);
    case 'boolean':
      return fc.boolean();
    case 'date':
      return fc.constantFrom(...dates);
    case 'datetime':
      return fc.constantFrom(...datetimes);
  }
}

const comparisons: readonly Comparison[] = ['eq', 'lt', 'lte', 'gt', 'gte'];

const leafArbitrary: fc.Arbitrary<Where> = fc.tuple(pathArbitrary, typeArbitrary).chain(([path, type]) => {
  const value = valueArbitrary(type);
  return fc.oneof<fc.Arbitrary<Where>[]>(
    fc.record({
      kind: fc.constant('compare' as const),
      path: fc.constant(path),
      type: fc.constant(type),
      operator: fc.constantFrom(...comparisons),
      value,
    }),
    fc
      .tuple(fc.constantFrom('in' as const, 'sole' as const), fc.array(value, { maxLength: 4 }))
      .map(([kind, values]) => ({ kind, path, type, values })),
    fc.constant({ kind: 'exists', path, type }),
    fc.constant({ kind: 'present', path }),
    fc
      .tuple(fc.constantFrom('prefix' as const, 'contains' as const), textArbitrary)
      .map(([kind, text]) => ({ kind, path, value: text })),
    value.map((one) => ({ kind: 'element', path, type, value: one })),
  );
});

/** Of one member, in both directions, with a comparison as another type now and then. */
const rangeArbitrary: fc.Arbitrary<Where> = fc
  .tuple(pathArbitrary, fc.constantFrom<MemberType[]>('number', 'integer', 'date', 'datetime', 'text'))
  .chain(([path, type]) => {
    const compare = (operators: readonly Comparison[], as = type) =>
      fc.record({
        kind: fc.constant('compare' as const),
        path: fc.constant(path),
        type: fc.constant(as),
        operator: fc.constantFrom(...operators),
        value: valueArbitrary(as),
      });
    const other = typeArbitrary.chain((as) => compare(comparisons, as));
    return fc.tuple(compare(['gt', 'gte']), compare(['lt', 'lte']), fc.option(other, { freq: 2, nil: undefined }));
  })
  .map((parts) => ({ kind: 'and' as const, parts: parts.filter((part) => part !== undefined) }));

export const whereArbitrary: fc.Arbitrary<Where> = fc.letrec<{ where: Where }>((tie) => ({
  where: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: leafArbitrary },
    { weight: 1, arbitrary: rangeArbitrary },
    { weight: 2, arbitrary: tie('where').map((part) => ({ kind: 'not' as const, part })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('where'), { maxLength: 3 }))
        .map(([kind, parts]) => ({ kind, parts })),
    },
  ),
})).where;

export const groupArbitrary: fc.Arbitrary<GroupMember> = fc
  .tuple(pathArbitrary, typeArbitrary)
  .chain(([path, type]) =>
    fc
      .option(fc.uniqueArray(valueArbitrary(type), { maxLength: 6 }), { nil: undefined })
      .map((bounds) => (bounds === undefined ? { path, type } : { path, type, bounds })),
  );

export const measureArbitrary: fc.Arbitrary<Measure> = fc
  .tuple(pathArbitrary, typeArbitrary, fc.boolean())
  .chain(([path, type, isWhole]) =>
    fc.constantFrom<Measure[]>(
      { kind: 'count' },
      { kind: 'sum', path, type: isWhole ? 'integer' : 'number' },
      { kind: 'min', path, type },
      { kind: 'max', path, type },
      { kind: 'distinct', path, type },
    ),
  );
