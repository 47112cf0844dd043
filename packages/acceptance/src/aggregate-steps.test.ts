/** Steps of logic blocks that ask for figures of groups of records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  random,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('invoice', [
    { name: 'status', index: true },
    { name: 'region' },
    { name: 'amount', colType: 'integer' },
    { name: 'sent_at', colType: 'datetime' },
    { name: 'salary', colType: 'integer' },
    { name: 'tags', colType: 'array' },
    { name: 'card', colType: 'encrypted' },
  ]),
);
for (const invoice of [
  { status: 'open', region: 'north', amount: 10, sent_at: '2026-03-31T22:30:00Z', salary: 1 },
  { status: 'open', region: 'south', amount: 20, sent_at: '2026-04-01T10:00:00Z' },
  { status: 'paid', region: 'north', amount: 40, sent_at: '2026-04-02T10:00:00Z' },
  { status: "o'brien", region: 'north', amount: 80 },
])
  await create(founder, 'invoice', invoice);

const mayRun = allow('run*', '/logicblocks/*');

function define(name: string, steps: readonly object[], more: object = {}) {
  return manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, steps, ...more } } });
}

async function block(name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const reply = await define(name, steps, more);
  assert.equal(reply.status, 201, reply.text);
}

function run(user: AppUser, name: string, input: object = {}) {
  return act<unknown>(user, 'POST', `/logicblocks/${name}`, { body: input });
}

interface Figures {
  readonly items: readonly { readonly group: object; readonly values: Readonly<Record<string, unknown>> }[];
  readonly count: number;
  readonly has_more: boolean;
  readonly partial: boolean;
}

async function figures(name: string, input?: object, user = founder): Promise<Figures> {
  const reply = await run(user, name, input);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as Figures;
}

const sums = { id: 'sums', type: 'aggregate', entity: 'invoice', group: 'status', measure: 'count,sum:amount' };
const whole = { returns: '{{ steps.sums }}' };

test('a step gives the figures of groups, which later steps read by their names', async () => {
  await block(
    'months',
    [
      {
        ...{ ...sums, group: 'month(sent_at)', time_zone: '{{ input.zone }}', sortby: 'sum_amount', sortdir: 'desc' },
        filters: [{ field: 'region', op: 'in', value: '{{ input.regions }}' }],
        having: 'sum_amount >= {{ input.least }} && has(month_sent_at)',
      },
      { id: 'is_any', type: 'condition', if: 'steps.sums.items.exists(one, one.values.sum_amount > 25)' },
      {
        ...{ id: 'each', type: 'loop', over: '{{ steps.sums.items }}', max: 10 },
        steps: [
          {
            ...{ id: 'line', type: 'transform' },
            value: '{{ steps.each.item.group.month_sent_at }}: {{ steps.each.item.values.sum_amount * 2.0 }}',
          },
        ],
      },
    ],
    { returns: { lines: '{{ steps.each.items }}', sums: '{{ steps.sums }}' } },
  );
  const ask = async (input: object) => {
    const { body, text, status } = await run(founder, 'months', { regions: ['north', 'south'], least: 0, ...input });
    assert.equal(status, 200, text);
    return body as { readonly lines: unknown; readonly sums: Figures };
  };
  const inBerlin = await ask({ zone: 'Europe/Berlin' });
  assert.deepEqual(inBerlin.lines, ['2026-04: 140']);
  assert.deepEqual(inBerlin.sums, {
    items: [{ group: { month_sent_at: '2026-04' }, values: { count: 3, sum_amount: 70 } }],
    ...{ count: 1, has_more: false, partial: false },
  });
  const inUtc = await ask({ zone: 'UTC' });
  assert.deepEqual(inUtc.lines, ['2026-04: 120', '2026-03: 20']);
  assert.deepEqual((await ask({ zone: 'UTC', least: 10.5 })).lines, ['2026-04: 120']);
  assert.equal((await ask({ zone: 'UTC', regions: ['south'] })).lines, null);
  const problem = assertProblem(
    await run(founder, 'months', { zone: '', regions: ['south'], least: 0 }),
    'invalid_request',
  );
  assert.deepEqual([problem.step, problem.errors?.[0]?.code], ['sums', 'unknown_time_zone']);
});

test('what a caller sends stays a value of the condition', async () => {
  await block('named', [{ ...sums, having: 'status == {{ input.status }}' }], whole);
  const named = async (status: unknown) => (await figures('named', { status })).items.map(({ values }) => values.count);
  assert.deepEqual(await named("o'brien"), [1]);
  for (const status of ['" || true || "', "' || true || '", '"open"', 'status', true, 1, null, ['open']])
    assert.deepEqual(await named(status), [], String(status));
});

test('a step has as many groups as a page of the route, and with `all` those of the pages behind it', async () => {
  await block('first', [{ ...sums, pagesize: 2 }], whole);
  await block('every', [{ ...sums, pagesize: 2, all: true }], whole);
  const [first, every] = [await figures('first'), await figures('every')];
  assert.deepEqual([first.count, first.has_more, every.count, every.has_more], [2, true, 3, false]);
  assert.deepEqual(every.items.slice(0, 2), first.items);
});

test('a step is decided as the call of the route: by both paths, the records and the fields of its caller', async () => {
  await block('plain', [sums], whole);
  await block('salaries', [{ ...sums, measure: 'sum:salary' }], whole);
  await block('regions', [{ ...sums, group: 'region' }], whole);
  await block('as_app', [sums], {
    ...whole,
    run_as: 'app',
    policies: [withFields(allow('listinvoice'), 'status', 'amount')],
  });
  for (const path of ['/list/invoice', '/aggregate/invoice']) {
    const denied = await memberWith(founder, [mayRun, allow('listinvoice'), deny('listinvoice', path)]);
    assert.equal(assertProblem(await run(denied, 'plain'), 'access_denied').step, 'sums');
    const half = await memberWith(founder, [mayRun, allow('listinvoice', path)]);
    assert.equal(assertProblem(await run(half, 'plain'), 'access_denied').step, 'sums');
  }
  const isOpen = { StringEquals: { 'record.status': 'open' } };
  const some = await memberWith(founder, [mayRun, withCondition(allow('listinvoice'), isOpen)]);
  assert.deepEqual((await figures('plain', {}, some)).items, [
    { group: { status: 'open' }, values: { count: 2, sum_amount: 30 } },
  ]);
  const part = await memberWith(founder, [mayRun, withFields(allow('listinvoice'), 'status', 'amount')]);
  assert.equal((await figures('plain', {}, part)).count, 3);
  for (const [name, field] of [
    ['salaries', 'salary'],
    ['regions', 'region'],
  ] as const) {
    const problem = assertProblem(await run(part, name), 'invalid_request');
    assert.deepEqual([problem.step, problem.errors?.[0]?.code], ['sums', 'not_readable']);
    assert.match(problem.detail ?? '', new RegExp(`\`${field}\``));
  }
  const none = await memberWith(founder, [mayRun]);
  assertProblem(await run(none, 'plain'), 'access_denied');
  assert.equal((await figures('as_app', {}, none)).count, 3);
});

for (const [what, more, expected, code = 'validation_failed'] of [
  ['a field that there is not', { group: 'none' }, ['group'], 'unknown_field'],
  ['an array and an encrypted field', { group: 'tags', measure: 'distinct:card' }, ['group', 'measure']],
  ['a template for its groups', { group: '{{ input.field }}' }, ['group']],
  ['a condition on what it does not have', { having: 'avg_amount > 1' }, ['having']],
  ['more groups than a page has', { pagesize: 1001 }, ['pagesize']],
] as const)
  test(`a block whose step asks for ${what} is refused when it is saved`, async () => {
    const refused = assertProblem(await define('wrong', [{ ...sums, ...more }]), code);
    assert.deepEqual(
      pointers(refused),
      expected.map((name) => `/content/steps/0/${name}`),
    );
  });

test('an expression reads no member that the groups do not have', async () => {
  const refused = assertProblem(
    await define('wrong', [sums], { returns: '{{ steps.sums.items[0].values.avg_amount }}' }),
    'validation_failed',
  );
  assert.deepEqual(pointers(refused), ['/content/returns']);
});

test('fields of an entity may be called as the members of the step are', async () => {
  await defineEntity(org, definition('named', [{ name: 'group' }, { name: 'measure' }, { name: 'having' }]));
  for (const [group, measure] of [
    ['a', 'x'],
    ['a', 'y'],
    ['b', 'x'],
  ] as const)
    await create(founder, 'named', { group, measure });
  const filters = [{ field: 'measure', op: 'eq', value: 'x' }];
  const step = {
    ...sums,
    entity: 'named',
    group: 'group',
    measure: 'distinct:measure',
    having: 'group == "a"',
    filters,
  };
  await block('clash', [step], whole);
  assert.deepEqual((await figures('clash')).items, [{ group: { group: 'a' }, values: { distinct_measure: 1 } }]);
  const wrong = assertProblem(await define('wrong', [{ ...step, group: 'none', having: 'x' }]), 'unknown_field');
  assert.deepEqual(pointers(wrong), ['/content/steps/0/group']);
});

test('of transactions that meet, none adds to a sum that another one has changed', async () => {
  await defineEntity(
    org,
    definition('booking', [
      { name: 'room', index: true },
      { name: 'seats', colType: 'integer' },
    ]),
  );
  const taken = {
    ...{ id: 'taken', type: 'aggregate', entity: 'booking', measure: 'sum:seats' },
    filters: [{ field: 'room', op: 'eq', value: '{{ input.room }}' }],
    having: 'sum_seats > 7',
  };
  await block(
    'book',
    [
      taken,
      { id: 'is_full', type: 'condition', if: 'steps.taken.count > 0', else: 'made' },
      { id: 'full', type: 'raise', status: 409, code: 'full', message: 'the room is full' },
      { id: 'made', type: 'create', entity: 'booking', values: { room: '{{ input.room }}', seats: 3 } },
    ],
    { transaction: true },
  );
  for (let round = 0; round < 3; round++) {
    const room = random();
    const replies = await Promise.all(Array.from({ length: 12 }, () => run(founder, 'book', { room })));
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, 200, 200, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal((await list(founder, 'booking', `?room=${room}`)).items.length, 3);
  }
});
