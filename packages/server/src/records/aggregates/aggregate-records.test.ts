import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition } from '../../schema/definition.ts';
import { thinned } from '../../store/testing/quick.ts';
import type { Node } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { defined } from '../import-export/testing/import.ts';
import { createCursors } from '../listing/cursor.ts';
import { noRows, rowsWhere } from '../testing/rows.ts';
import { type AggregateBounds, aggregateBounds } from './aggregate-run.ts';
import { shownGroups } from './group-page.ts';
import { aggregate } from './routes.ts';

const cursors = createCursors(new Uint8Array(32));

interface Answer {
  readonly items: readonly { readonly group: Row; readonly values: Row }[];
  readonly nexttoken: string | null;
  readonly partial?: true;
  readonly partial_reason?: string;
  readonly notes?: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;
type Sent = Readonly<Record<string, string>>;

interface Sender {
  readonly node: Node;
  readonly call: AuthorizedCall;
  readonly bounds?: Partial<AggregateBounds>;
  readonly elapsed?: () => number;
}

async function textOf({ node, call, bounds, elapsed = () => 0 }: Sender, sent: Sent): Promise<string> {
  const deps = { runtime: node.runtime, cursors, bounds: { ...aggregateBounds, ...bounds }, elapsed };
  const { status, body } = await aggregate(deps, { query: new Map(Object.entries(sent)) }, call);
  assert.equal(status, 200);
  return body ?? '';
}

async function ask(sender: Sender, sent: Sent): Promise<Answer> {
  return JSON.parse(await textOf(sender, sent));
}

async function refusalOf(sender: Sender, sent: Sent): Promise<readonly string[]> {
  try {
    await ask(sender, sent);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.details.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [error.code];
  }
  return ['none'];
}

const orders: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'status', colType: 'enum', enumValues: ['open', 'paid', 'é'] },
    { name: 'region', index: true },
    { name: 'n', colType: 'integer' },
    { name: 'price', colType: 'number' },
    { name: 'isPaid', colType: 'boolean' },
    { name: 'due', colType: 'date' },
    { name: 'at', colType: 'datetime', index: true },
    { name: 'customer_id', colType: 'guid' },
    { name: 'total', colType: 'formula', formula: { cel: 'n + 1', type: 'integer' } },
    { name: 'label', colType: 'formula', formula: '{status}-{region}' },
    { name: 'tags', colType: 'array' },
    { name: 'any', colType: 'json' },
    { name: 'pin', colType: 'encrypted' },
  ],
};

const orderArbitrary = fc.record(
  {
    status: fc.constantFrom('open', 'paid', 'é'),
    region: fc.constantFrom('', 'north', 'south', 'ß', '😀'),
    n: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)),
    price: fc.integer({ min: -40, max: 40 }).map((n) => n / 4),
    isPaid: fc.boolean(),
    due: fc.constantFrom('2024-02-29', '2026-01-01', '2026-03-31'),
    at: fc
      .date({ min: new Date('2025-10-01'), max: new Date('2026-04-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    customer_id: fc.constantFrom('018bcfe5-0000-7000-8000-00000000000a', '018bcfe5-0000-7000-8000-00000000000b'),
  },
  { requiredKeys: [] },
);
type Order = typeof orderArbitrary extends fc.Arbitrary<infer T> ? T : never;

const groupTexts = [
  'status',
  'region',
  'n',
  'isPaid',
  'due',
  'customer_id',
  'year(due)',
  'month(at)',
  'day(at)',
  'year(at)',
  'label',
] as const;
const measureTexts = [
  'count',
  'sum:n',
  'avg:n',
  'sum:price',
  'avg:price',
  'min:status',
  'max:region',
  'min:at',
  'max:due',
  'min:n',
  'max:price',
  'distinct:region',
  'distinct:n',
  'distinct:customer_id',
  'max:isPaid',
  'sum:total',
] as const;

/** The value of a record by a term, as an aggregate names and shows it. */
function plainValue(order: Order, term: string): unknown {
  const [, unit, inner] = /^(\w+)\((\w+)\)$/.exec(term) ?? [];
  const of = (name: string): unknown => {
    if (name === 'total')
      return order.n === undefined || Math.abs(order.n + 1) > Number.MAX_SAFE_INTEGER ? undefined : order.n + 1;
    if (name === 'label') return `${order.status ?? ''}-${order.region ?? ''}`;
    return order[name as keyof Order];
  };
  const value = of(inner ?? term) ?? null;
  const length = { year: 4, month: 7, day: 10 }[unit ?? ''];
  return value === null ? null : length === undefined ? value : String(value).slice(0, length);
}

function plainFigure(orders: readonly Order[], measure: string): unknown {
  const [kind = '', field = ''] = measure.split(':');
  if (kind === 'count') return orders.length;
  const values = orders.map((order) => plainValue(order, field)).filter((value) => value !== null);
  const inOrder = values.toSorted((left, right) =>
    typeof left === 'string'
      ? Buffer.compare(Buffer.from(left), Buffer.from(String(right)))
      : Number(left) - Number(right),
  );
  if (kind === 'distinct') return new Set(values).size;
  if (values.length === 0) return null;
  if (kind === 'min') return inOrder[0];
  if (kind === 'max') return inOrder.at(-1);
  const isWhole = values.every((value) => Number.isInteger(value)) && field !== 'price';
  const sum = isWhole
    ? Number(values.reduce((all: bigint, value) => all + BigInt(Number(value)), 0n))
    : values.reduce((all: number, value) => all + Number(value), 0);
  return kind === 'avg' ? Number(sum) / values.length : sum;
}

function plainGroups(orders: readonly Order[], groups: readonly string[], measures: readonly string[]) {
  const found = new Map<string, { readonly group: Row; readonly orders: Order[] }>();
  const nameOf = (term: string): string => term.replace(/^(\w+)\((\w+)\)$/, '$1_$2').replace(':', '_');
  if (groups.length === 0) found.set('[]', { group: {}, orders: [] });
  for (const order of orders) {
    const key = JSON.stringify(groups.map((term) => plainValue(order, term)));
    const group = Object.fromEntries(groups.map((term) => [nameOf(term), plainValue(order, term)]));
    const before = found.get(key) ?? { group, orders: [] };
    before.orders.push(order);
    found.set(key, before);
  }
  return [...found.values()].map(({ group, orders: of }) => ({
    group,
    values: Object.fromEntries(measures.map((measure) => [nameOf(measure), plainFigure(of, measure)])),
  }));
}

const byText = (left: unknown, right: unknown): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);

/** Sums of numbers are compared as near as the store promises. */
function assertSame(found: Answer['items'], wanted: ReturnType<typeof plainGroups>): void {
  const rounded = (items: readonly { readonly group: Row; readonly values: Row }[]) =>
    items
      .map(({ group, values }) => ({
        group,
        values: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            typeof value === 'number' ? Number(value.toPrecision(12)) : value,
          ]),
        ),
      }))
      .toSorted(byText);
  assert.deepEqual(rounded(found), rounded(wanted));
}

const questionArbitrary = fc.record({
  groups: fc.uniqueArray(fc.constantFrom(...groupTexts), { maxLength: 3 }),
  measures: fc.uniqueArray(fc.constantFrom(...measureTexts), { minLength: 1, maxLength: 6 }),
  way: fc.constantFrom('stored', 'filter', 'words', 'rows', 'in'),
});

test('groups and figures are those of a plain computation, found by the store or by reading', async (context) => {
  const { bench, node, call } = await defined(context, orders);
  let runs = 0;
  const property = fc.asyncProperty(
    fc.array(orderArbitrary, { maxLength: 20 }),
    questionArbitrary,
    async (made, question) => {
      const { groups, measures, way } = question;
      const workspace = bench.workspaceOf(`run${++runs}`);
      for (const body of made) await node.runtime.create({ ...call, workspace }, body);
      const sent: Record<string, string> = { measure: measures.join(), pagesize: '1000' };
      if (groups.length > 0) sent.group = groups.join();
      if (way === 'filter') sent.isPaid = 'true';
      if (way === 'words') sent.filter = 'isPaid == true';
      if (way === 'in') Object.assign(sent, { region: 'north,ß', region_op: 'in' });
      const rows = way === 'rows' ? rowsWhere((record) => record.isPaid === true) : undefined;
      const answer = await ask({ node, call: { ...call, workspace, rows } }, sent);
      const isChosen = ({ isPaid, region }: Order): boolean =>
        way === 'stored' || (way === 'in' ? region === 'north' || region === 'ß' : isPaid === true);
      assertSame(answer.items, plainGroups(made.filter(isChosen), groups, measures));
      assert.equal(answer.nexttoken, null);
    },
  );
  await fc.assert(property, { numRuns: thinned(120) });
});

async function filled(context: TestContext, bodies: readonly object[], definition = orders): Promise<Sender> {
  const { node, call } = await defined(context, definition);
  for (const body of bodies) await node.runtime.create(call, body);
  return { node, call };
}

const some = [
  { status: 'open', n: 1, region: 'a', at: '2026-03-29T00:30:00.000Z' },
  { status: 'open', n: 2, region: 'b', at: '2026-03-29T01:30:00.000Z' },
  { status: 'paid', n: 4, region: 'a', at: '2026-10-25T00:30:00.000Z' },
  { n: 8, at: '2026-10-25T01:30:00.000Z' },
];

test('a count of all is taken where nothing else is asked for', async (context) => {
  const sender = await filled(context, some);
  assert.deepEqual(await ask(sender, {}), { items: [{ group: {}, values: { count: 4 } }], nexttoken: null });
  assert.deepEqual((await ask(sender, { n: '99', measure: 'sum:n,count,min:at' })).items, [
    { group: {}, values: { sum_n: null, count: 0, min_at: null } },
  ]);
});

test('groups are in the order of their keys, without a value first, as in lists, or in a requested order', async (context) => {
  const sender = await filled(context, some);
  const order = async (sent: Sent) =>
    (await ask(sender, { group: 'status', measure: 'sum:n', ...sent })).items.map(({ group }) => group.status);
  assert.deepEqual(await order({}), [null, 'open', 'paid']);
  assert.deepEqual(await order({ sortdir: 'desc' }), ['paid', 'open', null]);
  assert.deepEqual(await order({ sortby: 'sum_n', sortdir: 'desc' }), [null, 'paid', 'open']);
  assert.deepEqual(await order({ sortby: 'status', sortdir: 'desc' }), ['paid', 'open', null]);
});

test('the two hours of one name at the end of summer time are two groups', async (context) => {
  const sender = await filled(context, some);
  const { items } = await ask(sender, { group: 'hour(at)', time_zone: 'Europe/Berlin', n_op: 'gte', n: '4' });
  assert.deepEqual(
    items.map(({ group }) => group.hour_at),
    ['2026-10-25T02:00+02:00', '2026-10-25T02:00+01:00'],
  );
});

test('a condition on groups reads their members, and one without a value is absent', async (context) => {
  const sender = await filled(context, some);
  const having = async (text: string) =>
    (await ask(sender, { group: 'status', measure: 'count,sum:n,avg:n,max:at', having: text })).items.map(
      ({ group }) => group.status,
    );
  assert.deepEqual(await having('count > 1'), ['open']);
  assert.deepEqual(await having('sum_n >= 4 && avg_n < 5.0'), ['paid']);
  assert.deepEqual(await having('status == "open" || sum_n == 8'), [null, 'open']);
  assert.deepEqual(await having('has(status)'), ['open', 'paid']);
  assert.deepEqual(await having('max_at < timestamp("2026-04-01T00:00:00Z")'), ['open']);
});

test('pages follow one another through all groups, also where the last one has gone', async (context) => {
  const sender = await filled(
    context,
    Array.from({ length: 25 }, (_, n) => ({ n, region: `r${n % 7}` })),
  );
  for (const sent of [{}, { sortby: 'sum_n', sortdir: 'desc' }, { having: 'count > 3' }] as readonly Sent[]) {
    const question = { group: 'region', measure: 'sum:n,count', ...sent };
    const whole = (await ask(sender, question)).items;
    const found: unknown[] = [];
    let next: Sent = {};
    do {
      const page = await ask(sender, { ...question, pagesize: '3', ...next });
      assert.ok(page.items.length <= 3);
      found.push(...page.items);
      next = page.nexttoken === null ? {} : { nexttoken: page.nexttoken };
    } while (next.nexttoken !== undefined);
    assert.deepEqual(found, whole);
  }
});

test('a cursor is good for its caller and its question alone', async (context) => {
  const sender = await filled(context, some);
  const { nexttoken } = await ask(sender, { group: 'n', pagesize: '1' });
  const next = { group: 'n', pagesize: '2', nexttoken: nexttoken ?? '' };
  assert.equal((await ask(sender, next)).items.length, 2);
  for (const other of [
    { group: 'region' },
    { measure: 'sum:n' },
    { having: 'count > 0' },
    { sortdir: 'desc' },
    { status: 'open' },
    { time_zone: 'Europe/Berlin' },
  ] as readonly Sent[])
    assert.deepEqual(
      await refusalOf(sender, { ...next, ...other }),
      ['/nexttoken invalid_cursor'],
      JSON.stringify(other),
    );
  const { call } = sender;
  const actor = { ...call.actor, userId: '018bcfe5-0000-7000-8000-0000000000ff' };
  assert.deepEqual(await refusalOf({ ...sender, call: { ...call, actor } }, next), ['/nexttoken invalid_cursor']);
});

test('a space behind a comma counts for nothing', async (context) => {
  const sender = await filled(context, some);
  const spaced = { group: 'status, region', measure: 'count, sum:n', sortby: 'sum_n, status', sortdir: 'desc, asc' };
  const plain = Object.fromEntries(Object.entries(spaced).map(([name, text]) => [name, text.replaceAll(' ', '')]));
  assert.equal(await textOf(sender, spaced), await textOf(sender, plain));
});

test('refusals speak of the question, and propose what there is', async (context) => {
  const sender = await filled(context, [{ at: '2024-01-01T00:00:00.000Z' }, { at: '2026-01-01T00:00:00.000Z' }]);
  const parts = { ...sender, bounds: { bucketsMax: 1 } };
  await assert.rejects(ask(parts, { group: 'month(at)' }), /shorter time, or a longer part than month$/);
  await assert.rejects(ask(parts, { group: 'year(at)' }), /choose records of a shorter time$/);
  await assert.rejects(ask(sender, { nexttoken: 'x' }), /`nexttoken` is not a cursor of this query/);
  const { call } = sender;
  const unread = { ...sender, call: { ...call, rows: rowsWhere(() => true, { fields: new Set(['id', 'n']) }) } };
  await assert.rejects(ask(unread, { filter: 'region == "north"' }), /`filter` is not taken here, since .* `region`/);
});

const refused: readonly (readonly [sent: Sent, wanted: string])[] = [
  [{ group: 'nothing' }, '/group unknown_field'],
  [{ group: 'tags' }, '/group not_measurable'],
  [{ group: 'any' }, '/group not_measurable'],
  [{ measure: 'distinct:pin' }, '/measure not_measurable'],
  [{ measure: 'count,count' }, '/measure duplicate'],
  [{ group: 'status,status' }, '/group duplicate'],
  [{ group: 'status,n,region,due,at,isPaid' }, '/group too_many'],
  [{ measure: Array.from({ length: 11 }, (_, at) => `sum:${at}`).join() }, '/measure too_many'],
  [{ measure: 'sum:status' }, '/measure wrong_type'],
  [{ measure: 'median:n' }, '/measure unknown_measure'],
  [{ measure: '' }, '/measure unknown_measure'],
  [{ group: 'month(n)' }, '/group wrong_type'],
  [{ group: 'hour(due)' }, '/group wrong_type'],
  [{ group: 'decade(at)' }, '/group unknown_unit'],
  [{ time_zone: 'Mars/Olympus' }, '/time_zone unknown_time_zone'],
  [{ time_zone: '+02:00' }, '/time_zone unknown_time_zone'],
  [{ sortby: 'n' }, '/sortby unknown_name'],
  [{ sortby: 'count,count' }, '/sortby duplicate'],
  [{ sortdir: 'up' }, '/sortdir wrong_type'],
  [{ pagesize: '1001' }, '/pagesize wrong_type'],
  [{ having: 'n > 1' }, '/having invalid_expression'],
  [{ having: 'count' }, '/having invalid_expression'],
  [{ view: 'short' }, '/view unknown_parameter'],
  [{ total: 'true' }, '/total wrong_type'],
  [{ group: 'status', $group: 'n' }, '/group contradiction'],
  [{ nothing: '1' }, '/nothing unknown_parameter'],
];

for (const [sent, wanted] of refused)
  test(`${JSON.stringify(sent)} is refused`, async (context) => {
    const codes = await refusalOf(await filled(context, []), sent);
    assert.ok(codes.includes(wanted), codes.join());
  });

test('a parameter that a field is named as is sent with `$` before it', async (context) => {
  const definition = { UpdateParams: [{ name: 'group' }, { name: 'measure', colType: 'integer' }] };
  const sender = await filled(
    context,
    [
      { group: 'a', measure: 1 },
      { group: 'b', measure: 2 },
    ],
    definition,
  );
  assert.deepEqual((await ask(sender, { $group: 'group', $measure: 'sum:measure', measure: '2' })).items, [
    { group: { group: 'b' }, values: { sum_measure: 2 } },
  ]);
  assert.deepEqual(await refusalOf(sender, { $group: 'none' }), ['/$group unknown_field']);
});

test('a whole sum has all its digits', async (context) => {
  const sender = await filled(context, [{ n: Number.MAX_SAFE_INTEGER }, { n: Number.MAX_SAFE_INTEGER - 1 }]);
  const text = await textOf(sender, { measure: 'sum:n,avg:n' });
  assert.ok(text.includes('"sum_n":18014398509481981,"avg_n":9007199254740990'), text);
});

test('a sum that no number holds is none, and is noted', () => {
  const term = {
    kind: 'sum',
    name: 'sum_n',
    field: 'n',
    sent: 'n',
    type: 'number',
    value: { type: 'double', read: (value: unknown) => value },
  } as const;
  const query = {
    groups: [],
    measures: [term],
    having: undefined,
    order: [],
    offsetAt: () => 0,
    pageSize: 1,
    nexttoken: undefined,
    canonical: '',
  };
  const results = [{ kind: 'sum', count: 2, sum: Number.POSITIVE_INFINITY }] as const;
  const shown = shownGroups(query, { groups: [{ key: [], results }], partial: undefined, buckets: [] });
  assert.deepEqual(shown, {
    groups: [{ key: [], group: [], values: [null] }],
    notes: ['sum_n: a sum is too large for a number'],
  });
});

test('what is hidden in some record of the caller is neither grouped by nor measured', async (context) => {
  const { node, call } = await filled(context, some);
  const rows = rowsWhere(() => true, { fields: new Set(['status', 'n']) });
  const sender = { node, call: { ...call, rows } };
  assert.equal((await ask(sender, { group: 'status,day(created_at)', measure: 'sum:n' })).items.length, 3);
  assert.deepEqual(await refusalOf(sender, { group: 'region' }), ['/group not_readable']);
  assert.deepEqual(await refusalOf(sender, { measure: 'count,max:at' }), ['/measure not_readable']);
  assert.deepEqual(await refusalOf(sender, { region: 'a' }), ['/region not_readable']);
});

test('what denies the list of the entity, or the aggregate itself, denies the figures', async (context) => {
  const { node, call } = await filled(context, some);
  const own = rowsWhere((record) => record.status === 'open');
  const { access } = call;
  const count = async (rows: typeof own | undefined, listed: typeof own | undefined) => {
    const sender = { node, call: { ...call, rows, access: { ...access, rows: () => listed } } };
    return (await ask(sender, {})).items[0]?.values.count;
  };
  assert.equal(await count(own, undefined), 2);
  assert.equal(await count(undefined, own), 2);
  assert.equal(
    await count(
      rowsWhere((record) => record.region === 'a'),
      own,
    ),
    1,
  );
  await assert.rejects(count(noRows, undefined), /denied/);
  await assert.rejects(count(undefined, noRows), /denied/);
});

for (const [way, rows] of [
  ['in the store', undefined],
  ['by reading', rowsWhere(() => true)],
] as const) {
  test(`too many groups, distinct values or parts of time are refused, ${way}`, async (context) => {
    const { node, call } = await filled(
      context,
      Array.from({ length: 12 }, (_, n) => ({ n, at: new Date(Date.UTC(2026, n)).toISOString() })),
    );
    const sender = { node, call: { ...call, rows }, bounds: { groupsMax: 10, bucketsMax: 10 } };
    assert.deepEqual(await refusalOf(sender, { group: 'n' }), ['/group too_many_groups']);
    assert.deepEqual(await refusalOf(sender, { measure: 'distinct:n' }), ['/group too_many_groups']);
    assert.deepEqual(await refusalOf(sender, { group: 'month(at)' }), ['/group too_many_groups']);
    assert.equal((await ask(sender, { group: 'year(at)' })).items.length, 1);
  });

  test(`the result of a part of the records is marked, and has no cursor, ${way}`, async (context) => {
    const { node, call } = await filled(
      context,
      Array.from({ length: 12 }, (_, n) => ({ n, region: `r${n % 2}` })),
    );
    const sender = { node, call: { ...call, rows }, bounds: { recordsMax: 5 } };
    const { items, ...rest } = await ask(sender, { group: 'region', pagesize: '1' });
    assert.equal(items.length, 1);
    assert.deepEqual(rest, { nexttoken: null, partial: true, partial_reason: 'records' });
  });
}

test('records are read for so long and no longer', async (context) => {
  const { node, call } = await filled(context, some);
  let now = 0;
  const elapsed = () => {
    now += 1000;
    return now;
  };
  const sender = { node, call: { ...call, rows: rowsWhere(() => true) }, bounds: { recordsAtOnce: 1 }, elapsed };
  assert.deepEqual(await ask(sender, {}), {
    items: [{ group: {}, values: { count: 2 } }],
    nexttoken: null,
    partial: true,
    partial_reason: 'time',
  });
});
