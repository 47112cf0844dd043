import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpressionLanguage } from './compile-expression.ts';
import { type CompiledCondition, compileCondition, stepsOfRecordMax } from './condition.ts';
import { isMistake } from './grammar.ts';

const timestamp = 'google.protobuf.Timestamp';
const fields = new Map([
  ['minutes', 'int'],
  ['rate', 'double'],
  ['title', 'string'],
  ['done', 'bool'],
  ['starts', timestamp],
  ['tags', 'list<string>'],
  ['times', `list<${timestamp}>`],
  ['numbers', 'list<int>'],
  ['user', 'string'],
  ['customer_id', 'string'],
]);
const language = new ExpressionLanguage(fields, {
  variables: new Map<string, string | ReadonlyMap<string, string>>([
    ['now', timestamp],
    ['user', new Map([['id', 'string']])],
  ]),
  lookups: new Map([['customer_id', new Map([['tier', 'string']])]]),
});

function compiled(source: string): CompiledCondition {
  const condition = compileCondition(source, language);
  assert.ok(!isMistake(condition), JSON.stringify(condition));
  return condition;
}

const variables = { now: new Date('2026-11-23T12:00:00Z'), user: { id: 'ann' } };
const record = {
  minutes: 90n,
  rate: 2,
  title: 'Desk "A"',
  done: true,
  starts: new Date('2026-11-23T11:00:00Z'),
  tags: ['red', 'blue'],
  times: [new Date('2026-11-23T11:00:00Z')],
  numbers: [2n, 3n],
  user: 'ann',
  customer_id: 'c1',
};
const customers = { customer_id: { tier: 'gold' } };
const small = { characters: 1, elements: 2 };

function holds(source: string, values: { readonly [name: string]: unknown } = record, lookups = customers): boolean {
  const request = { fields: values, lookups: 'customer_id' in values ? lookups : {}, variables, sizeOf: () => small };
  return compiled(source).holds(request, { steps: 0 });
}

/** The results for the record, and for one without a value. */
const conditions: readonly (readonly [source: string, ofRecord: boolean, ofNothing: boolean])[] = [
  ['minutes > 60', true, false],
  ['!(minutes > 60)', false, true],
  ['minutes != 60', true, false],
  ['done', true, false],
  ['!done', false, true],
  ['done || minutes > 1000', true, false],
  ['(minutes + 10) * 2 == 200 && (title).startsWith(("Desk"))', true, false],
  ['title == "Desk \\"A\\"" && title.contains("\\u0022")', true, false],
  ['has(minutes) ? minutes > 60 : !has(title)', true, true],
  ['minutes > 60 ? done : true', true, true],
  ['(minutes > 60) == done', true, false],
  ['1 / (minutes - 90) > 0', false, false],
  ['!(1 / (minutes - 90) > 0)', true, true],
  ['starts < now && starts > now - duration("2h")', true, false],
  ['record.user == user.id', true, false],
  ['has(user.id)', true, true],
  ['tags.exists(user, user == "red")', true, false],
  ['"red" in tags', true, false],
  ['tags.all(t, size(t) > 2)', true, false],
  ['customer_id.tier == "gold"', true, false],
  ['(record.customer_id).tier in ["gold"]', true, false],
  ['has(customer_id.tier)', true, false],
  ['!has(record.customer_id.tier)', false, true],
  ['tags.exists(customer_id, customer_id == "red") && customer_id == "c1"', true, false],
  ['rate == 2 && rate in [1, 2] && minutes == 90.0', true, false],
  ['title in []', false, false],
];

for (const [source, ofRecord, ofNothing] of conditions)
  test(`\`${source}\` is ${ofRecord} of a record, and ${ofNothing} of an empty one`, () => {
    assert.equal(holds(source), ofRecord);
    assert.equal(holds(source, {}), ofNothing);
  });

const refused: readonly (readonly [source: string, message: RegExp, at: number])[] = [
  ['minutes', /gives a value of the type `int`, not bool/, 0],
  ['done && user == "ann"', /`user` is read by its members, such as `user\.id`/, 8],
  ['user.name == "ann"', /^there is no member `name`$/, 5],
  ['customer_id.tiers == "gold"', /no field `customer_id\.tiers`/, 0],
  ['has(rate) && customer_id.tier == 5', /^no operator takes these types: `string == int`$/, 13],
  ['title.contains(title)', /takes a text of at most 250 characters/, 0],
  [`title.contains("${'a'.repeat(251)}")`, /takes a text of at most 250 characters/, 0],
  ['tags.exists(t, t == title)', /reads nothing but its variable/, 20],
  [`tags.exists(t, ${Array.from({ length: 5 }, () => 't == "a"').join(' || ')})`, /more than 12 parts/, 15],
  ['rate in []', /a number is in no empty list/, 0],
];

for (const [source, message, at] of refused)
  test(`\`${source.slice(0, 60)}\` is refused, and the place is told`, () => {
    const mistake = compileCondition(source, language);
    assert.ok(isMistake(mistake));
    assert.match(mistake.message, message);
    assert.equal(mistake.at, at);
  });

test('a condition demands what all of its conjuncts compare with constants', () => {
  const demandsOf = (source: string) =>
    compiled(source).demands.map(({ field, member, operator, constant }) => [
      member === undefined ? field : `${field}.${member}`,
      operator,
      constant(variables),
    ]);
  assert.deepEqual(demandsOf('minutes == 1 && (2.5 < rate && record.user in [user.id]) && done'), [
    ['minutes', '==', 1n],
    ['rate', '>', 2.5],
    ['user', '==', 'ann'],
    ['done', '==', true],
  ]);
  assert.deepEqual(demandsOf('starts <= now && title.startsWith("a" + "b") && customer_id.tier == "gold"'), [
    ['starts', '<=', variables.now],
    ['title', 'startsWith', 'ab'],
    ['customer_id.tier', '==', 'gold'],
  ]);
  assert.deepEqual(demandsOf('title in ["a", "b"] && (minutes == 1 || 2 == minutes || minutes in [3, 4])'), [
    ['title', 'in', ['a', 'b']],
    ['minutes', 'in', [1n, 2n, 3n, 4n]],
  ]);
  for (const source of [
    'minutes == 1 || done',
    'minutes == 1 || minutes > 4',
    '!done',
    'minutes == rate',
    'title != "a"',
  ])
    assert.deepEqual(demandsOf(source), [], source);
});

test('a part that a record has not the steps for is false, and the work is counted', () => {
  const condition = compiled('title.contains("a") || title.contains("Desk")');
  const ask = (characters: number): readonly [boolean, boolean] => {
    const effort = { steps: 0 };
    const sizeOf = () => ({ characters, elements: 0 });
    const held = condition.holds({ fields: record, lookups: {}, variables, sizeOf }, effort);
    return [held, effort.steps > characters && effort.steps <= stepsOfRecordMax];
  };
  assert.deepEqual(ask(2_000_000), [true, true]);
  assert.deepEqual(ask(3_000_000), [false, true]);
});

const list = { characters: 0, elements: 1000 };
const text = { characters: 1000, elements: 0 };
const spelled = 'a'.repeat(100);

/** The amounts that are counted at least, for values of a size: that many steps were measured, of some 2 ns. */
const counted: readonly (readonly [source: string, size: typeof list, stepsMin: number])[] = [
  ['size(title) < 0', text, 12_000],
  ['size(title) + size(title) < 0', text, 24_000],
  ['title.lowerAscii() == "x"', text, 6_000],
  [`tags.exists(t, size("${spelled}") == size(t))`, list, 1000 * 1200],
  [`tags.exists(t, "${spelled}".startsWith(t))`, list, 1000 * 600],
  ['times.exists(t, t.getDayOfYear() == 1)', list, 1000 * 700],
  ['times.exists(t, t < timestamp("2026-01-01T00:00:00Z"))', list, 1000 * 4300],
  ['times.exists(t, now - t < duration("1h"))', list, 1000 * 9000],
  ['times.exists(t, duration("1h") < duration("1s"))', list, 1000 * 10_000],
  ['tags.exists(t, double(t) == 1.5)', list, 1000 * 4000],
  ['tags.exists(t, int(t) == 1 || double(t) == 1.5)', list, 1000 * 8000],
  ['numbers.exists(t, 1 / t == 2)', list, 1000 * 4000],
  ['numbers.exists(t, t * t % 7 + t == -t)', list, 1000 * 16_000],
];

for (const [source, size, stepsMin] of counted)
  test(`of \`${source.replace(spelled, '…')}\` the work that is measured is counted`, () => {
    const effort = { steps: 0 };
    compiled(source).holds({ fields: record, lookups: {}, variables, sizeOf: () => size }, effort);
    assert.ok(effort.steps >= stepsMin && effort.steps < 4 * stepsMin, String(effort.steps));
  });

test('what cannot be evaluated is counted where that shows, and keeps no other part from its steps', () => {
  const condition = compiled('1 / (minutes - 90) > 0');
  const ask = (minutes: bigint) => {
    const effort = { steps: 0 };
    const none = { characters: 0, elements: 0 };
    condition.holds({ fields: { minutes }, lookups: {}, variables, sizeOf: () => none }, effort);
    return effort.steps;
  };
  assert.equal(ask(90n) - ask(91n), 4000);
});

test('a list so long that its elements could not all fail in time is asked nothing', () => {
  const condition = compiled('numbers.exists(t, 100 / t == 50)');
  const ask = (elements: number): boolean => {
    const sizeOf = () => ({ characters: 0, elements });
    return condition.holds({ fields: { numbers: [2n] }, lookups: {}, variables, sizeOf }, { steps: 0 });
  };
  assert.deepEqual([ask(5000), ask(10_000)], [true, false]);
});
