import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from './context/context.ts';
import { decisionSteps } from './effort.ts';
import { compileAll } from './testing/agreement.ts';

type Fields = Readonly<Record<string, unknown>>;

const path = '/item/order/1';
const many = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));
const manyNames = (length: number) => Object.fromEntries(many(length, (index) => [`n${index}`, index]));
const variable = (inside: string) => `$\u007b${inside}}`;

function contextWith(record: Fields, request: Partial<AccessContext['request']> = {}): AccessContext {
  return {
    request: { method: 'GET', path, pathParameters: {}, queryParameters: new Map(), ip: '', time: 0, ...request },
    user: { id: 'u1', email: 'u1@example.com' },
    tenant: { id: 't1', code: 'one' },
    jwt: {},
    record,
  };
}

/** Statements with 50 of these conditions each, one of which holds; by themselves all are sound. */
function spread(count: number, condition: (index: number) => object): readonly object[] {
  return many(count, (index) => ({ Action: 'get*', Resource: '*', Condition: condition(index) }));
}

const hostile = (index: number) => `*${'?n'.repeat(120)}q${index}*`;
const long = 'n'.repeat(500_000);

/** Conditions of which none holds, and a record of 1 MB at most on which they take longer than a decision may. */
const costly: readonly (readonly [name: string, statements: readonly object[], record: Fields])[] = [
  [
    '1,200 patterns with `?` on a text of 500 kB',
    spread(24, (index) => ({ StringLike: { 'record.note': many(50, (value) => hostile(50 * index + value)) } })),
    { note: long },
  ],
  [
    '200 words in a text of 200 kB',
    spread(4, (index) => ({ StringLike: { 'record.note': many(50, (value) => `*q${50 * index + value}*`) } })),
    { note: 'n'.repeat(200_000) },
  ],
  [
    'patterns with a variable',
    spread(50, () => ({ StringLike: { 'record.note': `*?${variable('record.own')}?*` } })),
    { note: long, own: 'q' },
  ],
  [
    'a text of the record in a value',
    spread(50, () => ({ StringEquals: { 'record.note': `${variable('record.note')}q` } })),
    { note: long },
  ],
  [
    'long texts but for case',
    spread(50, () => ({ StringEqualsIgnoreCase: { 'record.note': variable('record.other') } })),
    { note: long, other: `${long.slice(1)}q` },
  ],
  ['long numbers', spread(50, () => ({ NumericEquals: { 'record.note': 1 } })), { note: '9'.repeat(500_000) }],
  ['long numbers for dates', spread(50, () => ({ DateEquals: { 'record.note': 1 } })), { note: '9'.repeat(500_000) }],
  [
    'lists of many values',
    spread(50, () => ({ 'ForAnyValue:NumericEquals': { 'record.list': many(50, (value) => value + 1) } })),
    { list: many(50_000, () => 0) },
  ],
  ['whether there is a list', spread(50, () => ({ Null: { 'record.list': 'true' } })), { list: many(50_000, () => 0) }],
  [
    'objects of many members',
    spread(50, () => ({ StringEquals: { 'record.meta.nosuch': 'x' } })),
    { meta: manyNames(20_000) },
  ],
  [
    'many members whose names differ in case',
    spread(50, () => ({ 'ForAnyValue:StringEquals': { [`record.meta.abcdefghijklmn${'.x'.repeat(100)}`]: 'x' } })),
    { meta: cases('abcdefghijklmn') },
  ],
];

/** An object with the name in every case. */
function cases(name: string): Fields {
  const names = [...name].reduce<readonly string[]>(
    (starts, letter) => starts.flatMap((start) => [start + letter, start + letter.toUpperCase()]),
    [''],
  );
  return Object.fromEntries(names.map((one) => [one, 1]));
}

const allowAll = { Effect: 'Allow', Action: '*', Resource: '*' };
const withEffect = (Effect: string, statements: readonly object[]) =>
  statements.map((statement) => ({ Effect, ...statement }));

for (const [name, statements, record] of costly) {
  const context = contextWith(record);
  test(`a Deny that takes too much counts, and is explained so: ${name}`, () => {
    const access = compileAll([[allowAll], withEffect('Deny', statements)]);
    assert.equal(access.brokenStatements, 0);
    assert.equal(access.rule('getorder', path, () => context).outcome, 'explicit_deny');
    const { decision, over_budget, matched } = access.explain('getorder', path, () => context);
    assert.deepEqual([decision, over_budget], ['explicit_deny', true]);
    assert.ok(matched.some((one) => one.Effect === 'Deny' && one.over_budget === true));
  });

  test(`an Allow that takes too much does not, and is explained so: ${name}`, () => {
    const holding = { Action: 'get*', Resource: '*', Condition: { Null: { 'record.nosuch': 'true' } } };
    const access = compileAll([withEffect('Allow', [...statements, holding])]);
    assert.equal(access.rule('getorder', path, () => context).outcome, 'implicit_deny');
    const { decision, over_budget, matched, near } = access.explain('getorder', path, () => context);
    assert.deepEqual([decision, over_budget, matched.length], ['implicit_deny', true, 0]);
    assert.ok(near.some((one) => one.over_budget === true && one.failed_condition === undefined));
  });

  test(`evaluating a record takes no more than a decision may: ${name}`, () => {
    const pending = { ...contextWith({}), record: undefined, pending: ['record'] as const };
    const { record: _, ...open } = pending;
    for (const [policies, outcome] of [
      [[[allowAll], withEffect('Deny', statements)], 'explicit_deny'],
      [[withEffect('Allow', statements)], 'implicit_deny'],
    ] as const) {
      const ruling = compileAll(policies).rule('getorder', path, () => open);
      assert.equal(ruling.outcome, 'undecided');
      assert.equal(ruling.evaluate(record).outcome, outcome);
      assert.ok(ruling.steps > decisionSteps / 2 && ruling.steps <= decisionSteps + 1, String(ruling.steps));
      assert.equal(
        ruling.evaluate({ note: '5', list: [0.5], meta: {} }).outcome,
        outcome === 'explicit_deny' ? 'allowed' : outcome,
      );
    }
  });
}

test('an Allow without conditions holds whatever else is to be compared', () => {
  const [, statements, record] = costly[0] ?? assert.fail();
  const policies = [withEffect('Allow', statements), [{ ...allowAll, Resource: '/item/*' }]];
  const { outcome } = compileAll(policies).rule('getorder', path, () => contextWith(record));
  assert.equal(outcome, 'allowed');
});

test('what a request leaves of its budget is what each record has', () => {
  const [, statements, { note }] = costly[0] ?? assert.fail();
  const half = { Action: 'get*', Resource: '*', Condition: { StringLike: { 'request.body.note': hostile(0) } } };
  const policies = [[allowAll], withEffect('Deny', [half, ...statements.slice(0, 1)])];
  const known = contextWith({}, { body: { note: 'n'.repeat(150_000) } });
  const { record: _, ...open } = { ...known, pending: ['record'] as const };
  const ruling = compileAll(policies).rule('getorder', path, () => open);
  assert.equal(ruling.outcome, 'undecided');
  ruling.evaluate({ note });
  assert.ok(ruling.steps < 1.2 * decisionSteps - 150_000 * 8, String(ruling.steps));
});

test('the queries, the bodies and the paths of requests are no way round', () => {
  const many500 = many(500, (index) => index);
  const queryParameters = new Map(many500.map((index) => [`n${index}`, 'x']));
  const statements = withEffect(
    'Deny',
    spread(500, (index) => ({ StringEquals: { [`request.queryParameters.m${index}`]: 'x' } })),
  );
  const decide = (policies: readonly unknown[], context: AccessContext, action = 'getorder') =>
    compileAll(policies).rule(action, context.request.path, () => context).outcome;
  assert.equal(decide([[allowAll], statements], contextWith({}, { queryParameters })), 'explicit_deny');
  const paths = many500.map((index) => ({ Effect: 'Deny', Action: '*', Resource: [`/*${'?a'.repeat(120)}${index}*`] }));
  assert.equal(decide([[allowAll], paths], contextWith({}, { path: `/${'a'.repeat(8191)}` })), 'explicit_deny');
  const names = many500.map((index) => ({ Effect: 'Deny', Action: `get*${'?a'.repeat(100)}${index}*`, Resource: '*' }));
  assert.equal(decide([[allowAll], names], contextWith({}), `get${'a'.repeat(8000)}`), 'explicit_deny');
  const explained = compileAll([[allowAll], names]).explain(`get${'a'.repeat(8000)}`, path, () => contextWith({}));
  assert.deepEqual([explained.decision, explained.over_budget], ['explicit_deny', true]);
});

test('reads of a path no more than a decision may', () => {
  let reads = 0;
  const counted =
    <Result>(read: (index: number) => Result) =>
    (index: number) => {
      reads += 1;
      return read(index);
    };
  const text = `/${'a'.repeat(8191)}`;
  const counting = {
    length: text.length,
    charCodeAt: counted((index) => text.charCodeAt(index)),
    codePointAt: counted((index) => text.codePointAt(index)),
    startsWith: (found: string) => {
      reads += found.length;
      return text.startsWith(found);
    },
    endsWith: (found: string) => {
      reads += found.length;
      return text.endsWith(found);
    },
    indexOf: (found: string, from: number) => {
      reads += text.length - from;
      return text.indexOf(found, from);
    },
  } as unknown as string;
  const resources = many(2500, (index) => `/*${index % 2 === 0 ? '?a' : 'a'}b${index}*`);
  const policies = many(50, (index) => [
    { Effect: 'Allow', Action: '*', Resource: resources.slice(50 * index, 50 * (index + 1)) },
  ]);
  assert.equal(compileAll(policies).rule('getorder', counting, () => assert.fail()).outcome, 'implicit_deny');
  assert.ok(reads > decisionSteps / 10 && reads <= decisionSteps, String(reads));
});

test('names of fields that take too much are in no set', () => {
  const fields = (index: number) => many(50, (value) => `*${'?a'.repeat(28)}${50 * index + value}*`);
  const statements = many(50, (index) => ({ ...allowAll, Fields: [...fields(index), 'title'] }));
  const ruling = compileAll([statements]).rule('getorder', path, () => contextWith({}));
  assert.equal(ruling.fields?.has('title'), true);
  assert.equal(ruling.fields?.has('a'.repeat(1_000_000)), false);
  assert.equal(ruling.fields?.has('title'), true);
  assert.equal(ruling.fields?.has(`${'aa'.repeat(28)}0`), false);
});

test('all that a person may hold is within the budget on ordinary paths and texts', () => {
  const id = '018bcfe5-0000-7000-8000-000000000001';
  const text = 'the quick brown fox jumps over the lazy dog; '.repeat(5);
  const resources = withEffect(
    'Deny',
    many(500, (index) => ({ Action: '*', Resource: many(3, (n) => `/*r?er/*${n}z${index}*`) })),
  );
  const conditions = withEffect(
    'Deny',
    many(500, (index) => ({
      Action: '*',
      Resource: '*',
      Condition: {
        StringLike: { 'record.note': many(2, (n) => `*d?g*${n}z${index}*`) },
        Bool: { 'record.flag': 'true' },
      },
    })),
  );
  for (const statements of [resources, conditions]) {
    const access = compileAll([[allowAll], statements]);
    const explained = access.explain('getorder', `/item/order/${id}`, () => contextWith({ note: text, flag: true }));
    assert.deepEqual([explained.decision, explained.over_budget], ['allowed', undefined]);
  }
});
