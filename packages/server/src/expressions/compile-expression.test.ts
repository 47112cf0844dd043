import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExpression, type Evaluated, type Expression, ExpressionLanguage } from './compile-expression.ts';
import { isMistake } from './grammar.ts';

const timestamp = 'google.protobuf.Timestamp';
const fields = new Map([
  ['minutes', 'int'],
  ['rate', 'double'],
  ['title', 'string'],
  ['done', 'bool'],
  ['starts', timestamp],
  ['ends', timestamp],
  ['tags', 'list<string>'],
  ['notes', 'dyn'],
  ['record', 'string'],
]);
const any = ['bool', 'int', 'double', 'string', timestamp, 'dyn', 'list<string>', 'list<int>'];
const language = new ExpressionLanguage(fields);
const compile = (source: string, results: readonly string[] = any) => compileExpression(source, language, results);

function compiled(source: string): Expression {
  const expression = compile(source);
  assert.ok(!isMistake(expression), JSON.stringify(expression));
  return expression;
}

const values: Readonly<Record<string, unknown>> = {
  minutes: 90n,
  rate: 3,
  title: 'Émile',
  done: true,
  starts: new Date('2026-11-20T09:00:00Z'),
  ends: new Date('2026-11-20T10:30:00Z'),
  tags: ['red', 'blue'],
  notes: { a: { b: 3 } },
};

function evaluate(source: string, without: readonly string[] = []): Evaluated {
  return compiled(source).evaluate((name) => (without.includes(name) ? undefined : values[name]));
}

const results: readonly (readonly [source: string, type: string, value: unknown])[] = [
  ['minutes * rate / 60', 'double', 4.5],
  ['minutes * rate / 60.0', 'double', 4.5],
  ['rate in [1, 3]', 'bool', true],
  ['minutes / 60', 'int', 1n],
  ['minutes > 1.5', 'bool', true],
  ['ends > starts', 'bool', true],
  ['ends - starts > duration("1h")', 'bool', true],
  ['starts < timestamp("2027-01-01T00:00:00Z")', 'bool', true],
  ['title.startsWith("É") && size(title) == 5', 'bool', true],
  ['"red" in tags', 'bool', true],
  ['tags.exists(t, t == "blue" && rate > 1)', 'bool', true],
  ['tags.all(t, t.size() > 3)', 'bool', false],
  ['notes.a.b == 3', 'bool', true],
  ['has(minutes) && has(record.rate) && !has(notes.x)', 'bool', true],
  ['done ? "yes" : "no"', 'string', 'yes'],
  ['title + ": " + string(minutes)', 'string', 'Émile: 90'],
  ['record.minutes + 1', 'int', 91n],
];

for (const [source, type, value] of results)
  test(`\`${source}\` is of the type ${type}, and is evaluated`, () => {
    assert.equal(compiled(source).type, type);
    assert.deepEqual(evaluate(source), { kind: 'value', value });
  });

test('it says which fields it reads, as often as it does, and which for each element of another', () => {
  const { readings } = compiled('has(minutes) && record.minutes > 1 || tags.exists(t, t == title)');
  assert.deepEqual(
    readings.map(({ name, forEach }) => (forEach === undefined ? name : `${name} for each of ${forEach}`)),
    ['minutes', 'minutes', 'tags', 'tags', 'title for each of tags'],
  );
});

const absent: readonly (readonly [source: string, result: Evaluated])[] = [
  ['minutes > 1', { kind: 'absent' }],
  ['record.minutes > 1', { kind: 'absent' }],
  ['notes.a.c == 3', { kind: 'absent' }],
  ['minutes > 1 || done', { kind: 'value', value: true }],
  ['minutes > 1 && !done', { kind: 'value', value: false }],
  ['has(minutes)', { kind: 'value', value: false }],
  ['has(minutes) ? minutes : 0', { kind: 'value', value: 0n }],
];

for (const [source, result] of absent)
  test(`\`${source}\` without \`minutes\` is ${JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}`, () => {
    assert.deepEqual(evaluate(source, ['minutes']), result);
  });

test('a division by zero, a number that is no number and a place beyond a list are errors, and no values', () => {
  for (const source of [
    '1 / (minutes - 90) == 1',
    'int(title) == 1',
    'tags[5] == "x"',
    'minutes % (minutes - 90) == 0',
  ])
    assert.equal(evaluate(source).kind, 'error', source);
});

const mistakes: readonly (readonly [source: string, at: number, message: RegExp])[] = [
  ['minutes +', 9, /^it ends before it is complete$/],
  ['', 0, /^it ends before it is complete$/],
  ['hours * 2', 0, /no field `hours`/],
  ['title + hours', 8, /no field `hours`/],
  ['title + 1', 0, /^no operator takes these types: `string \+ int`$/],
  ['minutes > 1 ) && done', 12, /^it cannot be read from here on$/],
  ['minutes > 1 # 2', 12, /^it cannot be read from here on$/],
  ['title == "a', 9, /^a text has no closing quote$/],
  ['title == "\\q"', 10, /^a text has an escape that does not exist$/],
  ['minutes > 0x', 10, /^a number cannot be read$/],
  ['title.size > 1', 6, /^a value of the type `string` has no members$/],
  ['duration(minutes) > duration("1h")', 0, /^no function takes these types: `duration\(int\)`$/],
  ['title && done', 0, /^`&&`, `\|\|` and `!` take bool, not `string`$/],
  ['(title ? 1 : 2) > 1', 1, /^a condition gives bool, not `string`$/],
  ['(done ? 1 : title) == 1', 1, /^both values of `\? :` have one type$/],
  ['title in ["a", 1]', 15, /^all elements of a list have one type$/],
  ['has(minutes) && title + 1 == "a"', 16, /string \+ int/],
  ['has(minutes) && has(rate) && (title < 5)', 30, /string < int/],
  ['record == "a"', 0, /read by its members/],
  ['record.hours > 1', 0, /no field `hours`/],
  ['title.matches("a*b")', 0, /no function `matches`/],
  ['title.split(",") == tags', 0, /no function `split`/],
  ['tags.map(t, t + t) == tags', 0, /no function `map`/],
  ['cel.bind(a, title + title, a + a)', 0, /no function `bind`/],
  ['starts.getHours("Europe/Berlin") == 1', 0, /^`getHours` reads time zones, which only templates do$/],
  ['formatTime(starts, "yyyy", "UTC", "en") == title', 0, /^`formatTime` reads time zones, which only templates do$/],
  ['starts.getHours(1, 2) == 1', 0, /takes 0 arguments/],
  ['tags.exists(t, tags.exists(u, t == u))', 15, /another quantifier/],
  ['[1, 2].exists(t, t == minutes)', 0, /a field that is a list/],
  ['notes.list.exists(t, t == 1)', 0, /a field that is a list/],
  ['{"a": title} == notes', 0, /maps/],
  [`${'title + '.repeat(20)}title`, 160, /more than 20 values/],
  [`${'1 + '.repeat(200)}1`, 0, /^it has more than 200 parts$/],
  [`${'('.repeat(40)}1${')'.repeat(40)}`, 30, /^it is nested more than 30 deep$/],
  ['x'.repeat(1001), 1000, /longer than 1000/],
];

for (const [source, at, message] of mistakes)
  test(`\`${source.slice(0, 40)}\` is refused, and the place is told`, () => {
    const mistake = compile(source);
    assert.ok(isMistake(mistake));
    assert.match(mistake.message, message);
    assert.equal(mistake.at, at);
  });

const durations: readonly (readonly [text: string, seconds: number])[] = [
  ['1h', 3600],
  ['1h30m', 5400],
  ['-1.5h', -5400],
  ['+2s', 2],
  ['.5s', 0.5],
  ['3.s', 3],
  ['1500ms', 1.5],
  ['2m500000us', 120.5],
  ['1s1000000000ns', 2],
];

for (const [text, seconds] of durations)
  test(`\`duration("${text}")\` is ${seconds} seconds`, () => {
    const ends = new Date(values.starts as Date);
    ends.setTime(ends.getTime() + 1000 * seconds);
    const read = (name: string): unknown => (name === 'title' ? text : name === 'ends' ? ends : values[name]);
    for (const source of [`starts + duration("${text}") == ends`, 'starts + duration(title) == ends'])
      assert.deepEqual(compiled(source).evaluate(read), { kind: 'value', value: true }, source);
  });

test('a text that is no duration is an error, in the time of its length', () => {
  const expression = compiled('duration(title) > duration("1s")');
  const long = 1_000_000;
  const texts = [
    '9'.repeat(long),
    `${'1'.repeat(long)}h`,
    `${'1'.repeat(48)}h!`,
    `${'1.'.repeat(long)}h`,
    '1h'.repeat(long),
    `${'.'.repeat(long)}s`,
  ];
  for (const title of ['', '-', 'x', '1', '1h ', ' 1h', '1d', '1h-1m', ...texts])
    assert.equal(expression.evaluate(() => title).kind, 'error', title.slice(0, 20));
});

test('a mistake is told with the name and the place that `duration` has', () => {
  const mistake = compile('ends - starts > duration("1h") && duration(minutes) > duration("1h")');
  assert.ok(isMistake(mistake));
  assert.match(mistake.message, /`duration\(int\)`/);
  assert.equal(mistake.at, 34);
  const afterwards = compile('ends - starts > duration("1h") && title < 5');
  assert.ok(isMistake(afterwards));
  assert.equal(afterwards.at, 34);
});

test('a result of another type is refused', () => {
  const mistake = compile('minutes + 1', ['bool']);
  assert.ok(isMistake(mistake));
  assert.match(mistake.message, /`int`, not bool/);
});

test('a number of a JSON field among whole numbers cannot be evaluated, and among others can', () => {
  const among = (list: string, notes: unknown) => compiled(`notes in ${list}`).evaluate(() => notes);
  const message = 'a number of a JSON field is looked for in whole numbers: write them as `1.0`';
  assert.deepEqual(among('[1, 2]', 2), { kind: 'error', message });
  assert.deepEqual(among('[1, 2]', 'a'), { kind: 'value', value: false });
  assert.deepEqual(among('[1.0, 2.0]', 2), { kind: 'value', value: true });
});
