import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../../lib/clock.ts';
import {
  always,
  type MemberPath,
  type MemberType,
  type MemberValue,
  meetsWhere,
  memberAt,
  typedValue,
  type Where,
} from '../../../lib/where.ts';
import type {
  GroupMember,
  Measure,
  Measured,
  MeasureRead,
  MeasureResult,
  Range,
  Scope,
  SelectRead,
} from '../../port.ts';
import { measureByReading, selectByReading } from '../../read-where.ts';
import { put, putIndex } from '../../testing/conformance/bench.ts';
import { nastyText } from '../../testing/conformance/text-arbitrary.ts';
import { comparisons, thinned } from '../../testing/quick.ts';
import { openPostgres } from '../open-postgres.ts';
import { fakeCitus } from '../testing/fake-citus.ts';
import { boundedMeasure, boundedSelect, openLongReads } from '../testing/long-reads-alone.ts';
import { runOn, startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';
import { Parameters } from './member-columns.ts';
import { textConditions } from './where-sql.ts';

const names = ['a', 'a', 'b', 'n'] as const;
const paths: readonly MemberPath[] = [['a'], ['a'], ['b'], ['n'], ['n', 'a'], ['n', 'n', 'b']];

const texts = [
  '',
  'r5',
  'R5',
  'é',
  '😀',
  'a/b',
  'a"b',
  'ﬁ',
  '\u{10000}',
  '\uffff',
  '2026-01-31',
  '2026-01-31T10:00:00.000Z',
];
const numbers = ['0', '1', '-1', '1.5', '100', '0.1', '9007199254740991', '-9007199254740991', '1e300', '1e-300'];
/** Numbers as no JSON.stringify writes them, and those that doubles or PostgreSQL do not hold. */
const oddNumbers = [
  ...['-0', '1e2', '1.50', '5.00000000000000000000001', '0.1000000000000000055511151231257827', '9007199254740993'],
  ...['123456789012345678901234567890123456789012', '1e308', '1.7976931348623157e308', '1.7976931348623159e308'],
  ...['1e400', '-1e400', '1e-400', '5e-324', '2e-324', '1e99999', '1e200000', '1e-20000'],
];
const oddTexts = [
  '\u0000',
  'a\u0000',
  '\ud800',
  'x\udfff',
  '\udfff\ud800',
  '\\u0000',
  '\\ud800',
  '\t\n',
  '\u001f',
  '\\',
];

const textJson = fc.oneof(
  fc.constantFrom(...texts).map((text) => JSON.stringify(text)),
  fc.constantFrom(...texts).map(escapedWhole),
  nastyText(3).map((text) => JSON.stringify(text)),
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts).map((text) => JSON.stringify(text)) },
  fc.constantFrom('"a\\/b"', '"2026-01-3"', '"2026-01-31\\n"', '"٢026-01-31"', '"\\uD800"', '"2026-01-31T10:00:00Z"'),
  fc.constantFrom(
    '"2026-02-30"',
    '"1900-02-29"',
    '"2000-02-29"',
    '"2026-04-31T10:00:00.000Z"',
    '"2026-01-31T24:00:00.000Z"',
  ),
);
const numberJson = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)) },
);
const scalarJson = fc.oneof(
  { weight: 4, arbitrary: textJson },
  { weight: 4, arbitrary: numberJson },
  fc.constantFrom('true', 'false', 'null'),
);
const arrayJson = fc.array(scalarJson, { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`);
const valueJson = fc.oneof(
  { weight: 5, arbitrary: scalarJson },
  arrayJson,
  fc.constantFrom('{}', '[["r5"]]', '[{"a":1}]', '["r5",null]'),
  fc.constantFrom(98, 99, 100).map((nulls) => `[${'null,'.repeat(nulls)}"r5"]`),
);
const recordJson = objectJson(2);
const itemJson = fc.oneof({ weight: 20, arbitrary: recordJson }, valueJson);

/** Every character as an escape. */
function escapedWhole(text: string): string {
  return `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

/** Members may be missing or there twice, between blanks. */
function objectJson(depth: number): fc.Arbitrary<string> {
  const value = depth === 0 ? valueJson : fc.oneof({ weight: 4, arbitrary: valueJson }, objectJson(depth - 1));
  const member = fc.tuple(fc.constantFrom(...names, 'n'), value).map(([name, json]) => `"${name}": ${json}`);
  return fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(' ,')}}`);
}

const types: readonly MemberType[] = ['text', 'number', 'integer', 'boolean', 'date', 'datetime'];
const valuesOf: Readonly<Record<MemberType, fc.Arbitrary<MemberValue>>> = {
  text: fc.oneof(fc.constantFrom(...texts), nastyText(2)),
  number: fc.oneof(fc.constantFrom(...numbers.map(Number)), fc.constantFrom(-0, 1.7976931348623157e308, 5e-324)),
  integer: fc.constantFrom(0, 1, -1, 100, 9007199254740991),
  boolean: fc.boolean(),
  date: fc.constantFrom('2026-01-31', '2026-02-01'),
  datetime: fc.constantFrom('2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.001Z'),
};
const pathOf = fc.constantFrom(...paths);
const typed = fc
  .constantFrom(...types)
  .chain((type) => fc.record({ path: pathOf, type: fc.constant(type), value: valuesOf[type] }));

const leaf: fc.Arbitrary<Where> = fc.oneof(
  fc
    .tuple(typed, fc.constantFrom('eq', 'lt', 'lte', 'gt', 'gte'))
    .map(([member, operator]) => ({ kind: 'compare', operator, ...member }) as const),
  fc.constantFrom(...types).chain((type) =>
    fc.record({
      kind: fc.constantFrom('in' as const, 'sole' as const),
      path: pathOf,
      type: fc.constant(type),
      values: fc.array(valuesOf[type], { maxLength: 4 }),
    }),
  ),
  typed.map(({ path, type }) => ({ kind: 'exists', path, type }) as const),
  pathOf.map((path) => ({ kind: 'present', path }) as const),
  fc.record({
    kind: fc.constantFrom('prefix' as const, 'contains' as const),
    path: pathOf,
    value: fc.constantFrom('', 'r', 'a', '5', 'é', 'a/', '2026', '"', '\u{10000}'),
  }),
  typed.map((member) => ({ kind: 'element', ...member }) as const),
);

function tree(depth: number): fc.Arbitrary<Where> {
  if (depth === 0) return leaf;
  const part = tree(depth - 1);
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(part, { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: part.map((of) => ({ kind: 'not', part: of }) as const) },
  );
}

const keys = fc.nat({ max: 40 }).map(keyOf);
const part: fc.Arbitrary<Range> = fc.oneof(
  fc.record({ reverse: fc.boolean() }),
  fc.record(
    { prefix: fc.constantFrom('k', 'k1', 'k2'), after: keys, before: keys, reverse: fc.boolean() },
    { requiredKeys: [] },
  ),
);
/** Of the texts that many records have there. */
const likely: fc.Arbitrary<Where> = fc.oneof(
  fc
    .constantFrom(...texts)
    .map((value) => ({ kind: 'compare', operator: 'eq', path: ['a'], type: 'text', value }) as const),
  fc
    .uniqueArray(fc.constantFrom('r5', 'R5', 'é', '2026-01-31', '\u{10000}'), { minLength: 2, maxLength: 3 })
    .map((values) => ({ kind: 'in', path: ['a'], type: 'text', values }) as const),
  fc.record({
    kind: fc.constantFrom('prefix' as const, 'contains' as const),
    path: fc.constant(['a']),
    value: fc.constantFrom('r', '/', 'a/', '"', 'a"', '2026', '\u{10000}'),
  }),
);
const where = fc.oneof(
  { weight: 4, arbitrary: tree(3) },
  { weight: 2, arbitrary: likely },
  {
    weight: 1,
    arbitrary: tree(1).map((part): Where => ({ kind: 'and', parts: [{ kind: 'present', path: ['a'] }, part] })),
  },
  { weight: 1, arbitrary: fc.constant(always) },
);
const bounded = fc.record({ where, rowsMax: fc.oneof(fc.constant(1000), fc.nat({ max: 30 })) });

const select: fc.Arbitrary<SelectRead> = fc
  .tuple(
    part,
    bounded,
    fc.record(
      { limit: fc.oneof(fc.constant(1000), fc.nat({ max: 8 })), bytesMax: fc.nat({ max: 400 }) },
      { requiredKeys: ['limit'] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as SelectRead);

const groupMember: fc.Arbitrary<GroupMember> = fc
  .constantFrom('text' as const, 'number' as const, ...types)
  .chain((type) =>
    fc.record(
      {
        path: pathOf,
        type: fc.constant(type),
        bounds: fc.array(valuesOf[type], { maxLength: 4 }).map((bounds) => bounds.toSorted(ascending)),
      },
      { requiredKeys: ['path', 'type'] },
    ),
  );
const measure: fc.Arbitrary<Measure> = fc.oneof(
  fc.constant({ kind: 'count' } as const),
  fc.record({
    kind: fc.constant('sum' as const),
    path: pathOf,
    type: fc.constantFrom('integer' as const, 'number' as const),
  }),
  fc.record({
    kind: fc.constantFrom('min' as const, 'max' as const, 'distinct' as const),
    path: pathOf,
    type: fc.constantFrom(...types),
  }),
);
const measureRead: fc.Arbitrary<MeasureRead> = fc
  .tuple(
    part,
    bounded,
    fc.record({
      group: fc.array(groupMember, { maxLength: 2, size: 'max' }),
      measures: fc.array(measure, { maxLength: 4 }),
      groupsMax: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 3 })),
    }),
  )
  .map((parts) => Object.assign({}, ...parts) as MeasureRead);

const questions = fc.array(fc.tuple(select, measureRead, fc.constantFrom('records', 'index#records')), {
  minLength: 16,
  maxLength: 16,
});

function ascending(left: MemberValue, right: MemberValue): number {
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  return Number(left) - Number(right);
}

function keyOf(index: number): string {
  return `k${String(index).padStart(2, '0')}`;
}

test('what spares the reading of values spares none that meet the condition', () => {
  const seen = { spared: 0, met: 0 };
  const property = fc.property(where, recordJson, (one, value) => {
    if (value.includes('\\u')) return;
    const parameters = new Parameters([]);
    const found = textConditions(one, parameters).map((condition) => {
      const texts = [...condition.matchAll(/\$(\d+)/g)].map(([, nr]) => String(parameters.values[Number(nr) - 1]));
      return condition.includes(' or ')
        ? texts.some((text) => value.includes(text))
        : texts.every((text) => value.includes(text));
    });
    if (found.includes(false)) {
      seen.spared += 1;
      assert.ok(!meetsWhere(one, JSON.parse(value)));
    } else if (found.length > 0 && meetsWhere(one, JSON.parse(value))) seen.met += 1;
  });
  fc.assert(property, { numRuns: thinned(20_000) });
  for (const [kind, times] of Object.entries(seen)) assert.ok(times > 0, `${kind}: ${times}`);
});

describe('selects and measures of PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  /** 32 questions each. */
  const { runs, ...limit } = comparisons(60, 105);
  test('are those of reading, of any records', limit, () => assertAgreement(server.url, runs));

  test('are those of reading in a database that orders text as people do', async () => {
    const database = await server.database(`locale_provider icu icu_locale 'en-US' locale 'C'`);
    await assertAgreement(database.url, 15);
    await database.stop();
  });

  test('are those of reading in the form that the store has on Citus', async () => {
    const database = await server.database('');
    await database.run(fakeCitus);
    await assertAgreement(`${database.url}?citus=true`, 15);
    await database.stop();
  });
});

/** Of what the store answers, and of windows of three rows. */
async function assertAgreement(url: string, runs: number): Promise<void> {
  const space = `query_${process.pid}`;
  const opened = await openPostgres({ url, space, clock: systemClock });
  const small = openLongReads(url, space, { rowsMin: 3, rowsMax: 11, milliseconds: 60_000 });
  let scopes = 0;
  const seen = { entries: 0, groups: 0, byGroups: 0, byRows: 0 };
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(itemJson, { minLength: 5, maxLength: 40, size: 'max' }),
        questions,
        async (records, all) => {
          const scope = opened.store.scope(`org${++scopes}-w`);
          await fill(scope, records);
          for (const [selectRead, read, pk] of all) {
            const expected = await selectByReading(scope, pk, selectRead);
            assert.deepEqual(await scope.select(pk, selectRead), expected);
            assert.deepEqual(await small.reads.select(scope.name, boundedSelect(pk, selectRead), now), expected);
            const measured = await measureByReading(scope, pk, read);
            assertEqualFigures(await scope.measure(pk, read), measured, { read, records });
            const other = await small.reads.measure(scope.name, boundedMeasure(pk, read), now);
            assertEqualFigures(other, measured, { read, records });
            seen.entries += expected.entries.length;
            seen.groups += measured.groups.length;
            seen.byGroups += measured.endedBy === 'groups' ? 1 : 0;
            seen.byRows += measured.endedBy === 'rows' ? 1 : 0;
          }
        },
      ),
      { numRuns: runs },
    );
    // Answers that are all empty would show nothing.
    for (const [kind, times] of Object.entries(seen)) assert.ok(times > 0, `${kind}: ${times}`);
  } finally {
    await Promise.all([small.close(), opened.store.close()]);
    await runOn(url.replace('?citus=true', ''), `drop schema "freehold_${space}" cascade`);
  }
}

const now = systemClock.now();

async function fill(scope: Scope, records: readonly string[]): Promise<void> {
  await scope.commit(
    records.flatMap((value, index) => [
      put('records', keyOf(index), { value }),
      putIndex('index#records', keyOf((index * 7) % 41), 'records', keyOf(index)),
    ]),
  );
}

interface Measuring {
  readonly read: MeasureRead;
  readonly records: readonly string[];
}

/** Sums of numbers within the promise of the port. -0 is 0, as `jsonb` has no other. */
function assertEqualFigures(actual: Measured, expected: Measured, { read, records }: Measuring): void {
  const { groups: found, ...looked } = actual;
  const { groups: wanted, ...lookedAt } = expected;
  assert.deepEqual(looked, lookedAt);
  const byKey = (groups: Measured['groups']) =>
    new Map(groups.map(({ key, results }) => [JSON.stringify(key.map(plain)), results]));
  const [left, right] = [byKey(found), byKey(wanted)];
  assert.deepEqual([...left.keys()].sort(), [...right.keys()].sort());
  for (const [key, results] of right) {
    const others = left.get(key) ?? [];
    assert.deepEqual(others.map(comparable), results.map(comparable));
    for (const [at, result] of results.entries())
      if (result.kind === 'sum' && typeof result.sum === 'number')
        assertSum(others[at], result.sum, magnitudeOf(read.measures[at], records));
  }
}

function plain(value: MemberValue | null | undefined): string | boolean | null | undefined {
  return typeof value === 'number' ? `number ${value}` : value;
}

function comparable(result: MeasureResult): unknown {
  switch (result.kind) {
    case 'count':
      return result;
    case 'sum':
      return { ...result, sum: typeof result.sum === 'bigint' ? result.sum : 'number' };
    case 'min':
    case 'max':
      return { ...result, value: plain(result.value) };
    case 'distinct':
      return { ...result, values: [...result.values].map(plain).sort() };
  }
}

/** Sums that no double holds in between may come out in another way in another order. */
function assertSum(found: MeasureResult | undefined, sum: number, magnitude: number): void {
  assert.ok(found?.kind === 'sum' && typeof found.sum === 'number');
  if (magnitude === Number.POSITIVE_INFINITY) return;
  assert.ok(Math.abs(found.sum - sum) <= magnitude * 1e-12, `${found.sum} for ${sum}`);
}

function magnitudeOf(measured: Measure | undefined, records: readonly string[]): number {
  if (measured?.kind !== 'sum') return 0;
  return records.reduce((sum, json) => {
    const value = typedValue(memberAt(JSON.parse(json), measured.path), measured.type);
    return sum + Math.abs(Number(value ?? 0));
  }, 0);
}
