/** Filters and the plainest reading of each, for the fields that `filteredFields` has. */
import fc from 'fast-check';
import type { FieldDefinition } from '../../schema/definition.ts';
import { user } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';

export interface PlainFilter {
  readonly text: string;
  readonly holds: (record: RecordData) => boolean;
}

/** @param index whether fields have one. */
export function filteredFields(index: boolean): readonly FieldDefinition[] {
  return [
    { name: 'status', index },
    { name: 'minutes', colType: 'integer', index },
    { name: 'rate', colType: 'number', index },
    { name: 'due', colType: 'date', index },
    { name: 'at', colType: 'datetime', index },
    { name: 'done', colType: 'boolean', index },
    { name: 'keeper' },
    { name: 'tags', colType: 'array' },
    {
      name: 'cost',
      colType: 'formula',
      formula: { cel: 'minutes * rate', type: 'number' },
      index,
    },
  ];
}

/** Beyond what an index holds of a value, so that only the records tell them apart. */
const long = 'a'.repeat(520);
const statuses = ['', 'open', 'opened', 'done', 'é', '\uffee', '😀', 'a\u0001', long, `${long}b`];
const numbers = [-1, 0, 1, 2, 60];
const rates = [-1.5, 0, 0.5, 1, 2];
const days = ['2026-11-22', '2026-11-23', '2026-11-24'];
const moments = ['2026-11-23T00:00:00.000Z', '2026-11-23T11:59:59.999Z', '2026-11-23T12:00:00.000Z'];
const tags = ['x', 'y', ''];

const maybe = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null });

export const filteredBody = fc.record({
  status: maybe(...statuses),
  minutes: maybe(...numbers, Number.MAX_SAFE_INTEGER),
  rate: maybe(...rates),
  due: maybe(...days),
  at: maybe(...moments),
  done: maybe(true, false),
  keeper: maybe(user, 'another'),
  tags: fc.option(fc.array(fc.constantFrom(...tags), { maxLength: 3 }), { nil: null }),
});

type Ordered = string | number;

const comparisons: Readonly<Record<string, (left: Ordered, right: Ordered) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => difference(left, right) < 0,
  '<=': (left, right) => difference(left, right) <= 0,
  '>': (left, right) => difference(left, right) > 0,
  '>=': (left, right) => difference(left, right) >= 0,
};

/** Texts are ordered by their UTF-8 bytes. */
function difference(left: Ordered, right: Ordered): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
}

/** The value in a comparison: undefined where there is no value, which makes it false. */
type Operand = readonly [text: string, read: (record: RecordData) => Ordered | undefined];

const field =
  (name: string) =>
  (record: RecordData): Ordered | undefined => {
    const value = record[name];
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  };
const timeOf =
  (name: string) =>
  ({ [name]: value }: RecordData): number | undefined =>
    typeof value === 'string' ? Date.parse(value) : undefined;
const constant = (text: string, value: Ordered): Operand => [text, () => value];
const literal = (value: string): Operand => constant(JSON.stringify(value), value);

/** Of one kind each, so that any two can be compared. */
function operandsOf(now: number): readonly (readonly Operand[])[] {
  const product = (record: RecordData): number | undefined =>
    typeof record.minutes === 'number' && typeof record.rate === 'number' ? record.minutes * record.rate : undefined;
  return [
    [['status', field('status')], ['record.status', field('status')], ...statuses.map(literal)],
    [
      ['minutes', field('minutes')],
      ['rate', field('rate')],
      ['record.rate', field('rate')],
      ['cost', field('cost')],
      ['minutes * rate', product],
      ...numbers.map((value) => constant(String(value), value)),
      ...rates.map((value) => constant(value.toFixed(1), value)),
      constant('9007199254740991', Number.MAX_SAFE_INTEGER),
      constant('9007199254740993.0', 2 ** 53),
    ],
    [
      ['due', timeOf('due')],
      ['at', timeOf('at')],
      ['created_at', timeOf('created_at')],
      ['now', () => now],
      ['now - duration("24h")', () => now - 86_400_000],
      ...[...moments, '2026-11-23T12:00:00+01:00'].map((text) => constant(`timestamp("${text}")`, Date.parse(text))),
    ],
    [['keeper', field('keeper')], constant('user.id', user), literal('another')],
  ];
}

/** @param now the time of the requests. */
export function plainFilter(now: number): fc.Arbitrary<PlainFilter> {
  const comparison = fc.constantFrom(...operandsOf(now)).chain((operands) =>
    fc
      .tuple(fc.constantFrom(...operands), fc.constantFrom(...Object.keys(comparisons)), fc.constantFrom(...operands))
      .map(([[left, readLeft], sign, [right, readRight]]) => ({
        text: `${left} ${sign} ${right}`,
        holds: (record: RecordData) => {
          const [a, b] = [readLeft(record), readRight(record)];
          return a !== undefined && b !== undefined && comparisons[sign]?.(a, b) === true;
        },
      })),
  );
  const atom = fc.oneof({ weight: 4, arbitrary: comparison }, { weight: 2, arbitrary: otherAtoms });
  return combined(atom).filter(({ text }) => text.length < 1000 && (text.match(readings)?.length ?? 0) <= 20);
}

/** These, joined by the operators of conditions. */
export function combined(atom: fc.Arbitrary<PlainFilter>): fc.Arbitrary<PlainFilter> {
  const { filter } = fc.letrec<{ filter: PlainFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 3, arbitrary: atom },
      { weight: 3, arbitrary: fc.tuple(tie('filter'), tie('filter')).map(both) },
      { weight: 1, arbitrary: fc.tuple(tie('filter'), tie('filter')).map(either) },
      { weight: 1, arbitrary: tie('filter').map(negated) },
      { weight: 1, arbitrary: fc.tuple(tie('filter'), tie('filter'), tie('filter')).map(chosen) },
    ),
  }));
  return filter;
}

const readings = /\b(status|minutes|rate|cost|due|at|keeper|done|tags|t|created_at)\b/g;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const otherAtoms: fc.Arbitrary<PlainFilter> = fc.oneof(
  fc.constantFrom<PlainFilter>(
    { text: 'true', holds: () => true },
    { text: 'done', holds: ({ done }) => done === true },
    { text: 'done == false', holds: ({ done }) => done === false },
    { text: 'tags.exists(t, t == "x")', holds: ({ tags: held }) => isList(held) && held.includes('x') },
    { text: 'tags.all(t, size(t) == 1)', holds: ({ tags: held }) => isList(held) && !held.includes('') },
    { text: '1 / minutes == 1', holds: ({ minutes }) => minutes === 1 },
    { text: 'size(tags) > 1', holds: ({ tags: held }) => isList(held) && held.length > 1 },
    { text: 'status in []', holds: () => false },
    { text: 'minutes in [2]', holds: ({ minutes }) => minutes === 2 },
    { text: 'rate in [0, 1]', holds: ({ rate }) => rate === 0 || rate === 1 },
  ),
  fc.constantFrom('status', 'minutes', 'due', 'tags', 'done', 'cost').map((name) => ({
    text: `has(${name})`,
    holds: (record: RecordData) => record[name] !== undefined,
  })),
  fc.subarray(statuses, { minLength: 1 }).map((some) => ({
    text: `status in ${JSON.stringify(some)}`,
    holds: ({ status }: RecordData) => some.includes(String(status)) && status !== undefined,
  })),
  fc.tuple(fc.constantFrom('startsWith', 'endsWith'), fc.constantFrom(...statuses, 'op', 'ed')).map(([name, part]) => ({
    text: `status.${name}(${JSON.stringify(part)})`,
    holds: ({ status }: RecordData) =>
      typeof status === 'string' && (name === 'startsWith' ? status.startsWith(part) : status.endsWith(part)),
  })),
  fc.constantFrom('', 'e', 'pen', '😀').map((part) => ({
    text: `status.contains("${part}")`,
    holds: ({ status }: RecordData) => typeof status === 'string' && status.includes(part),
  })),
  fc.constantFrom(...tags).map((tag) => ({
    text: `"${tag}" in tags`,
    holds: ({ tags: held }: RecordData) => isList(held) && held.includes(tag),
  })),
);

function both([left, right]: readonly [PlainFilter, PlainFilter]): PlainFilter {
  const text = [left, right].map((one) => (/\|\||\?/.test(one.text) ? `(${one.text})` : one.text)).join(' && ');
  return { text, holds: (record) => left.holds(record) && right.holds(record) };
}

function either([left, right]: readonly [PlainFilter, PlainFilter]): PlainFilter {
  return { text: `(${left.text} || ${right.text})`, holds: (record) => left.holds(record) || right.holds(record) };
}

function negated({ text, holds }: PlainFilter): PlainFilter {
  return { text: `!(${text})`, holds: (record) => !holds(record) };
}

function chosen([one, then, otherwise]: readonly [PlainFilter, PlainFilter, PlainFilter]): PlainFilter {
  return {
    text: `((${one.text}) ? (${then.text}) : (${otherwise.text}))`,
    holds: (record) => (one.holds(record) ? then.holds(record) : otherwise.holds(record)),
  };
}
