/** The parameter `filter`: conditions in CEL on lists, counts and exports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type AppUser, act, allow, count, create, defineEntity, deny, foundedOrg, list, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'title', index: true },
    { name: 'status', index: true },
    { name: 'minutes', colType: 'integer', index: true },
    { name: 'rate', colType: 'number' },
    { name: 'due', colType: 'date' },
    { name: 'tags', colType: 'array' },
    { name: 'keeper' },
    { name: 'salary', colType: 'integer', index: true },
    { name: 'pin', colType: 'encrypted' },
    { name: 'meta', colType: 'json' },
    { name: 'cost', colType: 'formula', formula: { cel: 'minutes * rate', type: 'number' } },
  ],
});

const member = await memberWith(founder, [
  { ...allow(['getticket', 'listticket', 'countticket']), Fields: ['title', 'status', 'minutes', 'keeper'] },
]);
await create(founder, 'ticket', { title: 'a', status: 'open', minutes: 90, rate: 2, due: '2026-11-20', tags: ['x'] });
await create(founder, 'ticket', {
  title: 'b',
  status: 'open',
  minutes: 10,
  keeper: member.id,
  salary: 7000,
  pin: '123',
});
await create(founder, 'ticket', { title: 'c', status: 'done', due: '9999-12-31', meta: { canary: 'c4n4ry' } });
await create(founder, 'ticket', { title: 'd' });

const request = (filter: string): string => `?filter=${encodeURIComponent(filter)}`;
const titles = async (user: AppUser, filter: string, more = ''): Promise<string> =>
  (await list(user, 'ticket', `${request(filter)}&sortdir=asc${more}`)).items.map(({ title }) => title).join('');

const found: readonly (readonly [filter: string, titles: string])[] = [
  ['status == "open" && minutes > 60', 'a'],
  ['status == "open" || title == "d"', 'abd'],
  ['!(minutes > 60)', 'bcd'],
  ['minutes != 90', 'b'],
  ['status in ["done", "open"] && !has(keeper)', 'ac'],
  ['has(due) && due < now', 'a'],
  ['due > timestamp("2026-11-19T12:00:00Z")', 'ac'],
  ['title.startsWith("a") || title.contains("b")', 'ab'],
  ['"x" in tags', 'a'],
  ['cost == 180 && rate == 2', 'a'],
  ['created_at <= now && created_by == user.id', 'abcd'],
  ['status in []', ''],
];

test('a filter chooses the records of lists, counts and exports', async () => {
  for (const [filter, expected] of found) {
    assert.equal(await titles(founder, filter), expected, filter);
    assert.equal(await count(founder, 'ticket', request(filter)), expected.length, filter);
    const { text } = await act(founder, 'GET', `/export/ticket${request(filter)}&sortdir=asc`);
    const lines = text.split('\n').filter((line) => line !== '');
    assert.equal(lines.map((line) => (JSON.parse(line) as { title: string }).title).join(''), expected, filter);
  }
  assert.equal(await titles(member, 'keeper == user.id'), 'b');
  assert.equal(await titles(founder, 'minutes > 5', '&status=open&sortby=minutes'), 'ba');
});

test('a filter pages to its end, and its cursor is good for it alone', async () => {
  const filter = request('has(minutes)');
  const first = await list(founder, 'ticket', `${filter}&pagesize=1`);
  const next = await list(founder, 'ticket', `${filter}&pagesize=1&nexttoken=${first.nexttoken}`);
  assert.deepEqual(
    [...first.items, ...next.items].map(({ title }) => title),
    ['b', 'a'],
  );
  const other = await act(founder, 'GET', `/list/ticket?nexttoken=${first.nexttoken}`);
  assertProblem(other, 'invalid_cursor');
});

test('a mistake is refused with its character', async () => {
  for (const [filter, message] of [
    ['minutes >', /^at character \d+: /],
    ['status == 5', /^at character 1: no operator takes these types: `string == int`$/],
    ['title == "a" && nope == 1', /^at character 17: there is no field `nope`/],
    ['due > "2026-11-20"', /^at character 1: /],
    ['pin == "123"', /^at character 1: field `pin` cannot be filtered on$/],
    ['has(meta)', /^at character 5: field `meta` cannot be filtered on$/],
    ['title.matches("a")', /there is no function `matches`/],
  ] as const)
    for (const route of ['list', 'count', 'export']) {
      const problem = assertProblem(await act(founder, 'GET', `/${route}/ticket${request(filter)}`), 'invalid_request');
      assert.deepEqual(pointers(problem), ['/filter']);
      assert.match(problem.errors?.[0]?.message ?? '', message);
    }
});

test('P04: a filter tells nothing of fields that the caller may not read, nor of hidden records', async () => {
  for (const filter of ['salary > 1', 'has(salary)', 'true || salary == 1', 'record.salary == 7000', 'cost > 1'])
    for (const route of ['list', 'count']) {
      const problem = assertProblem(await act(member, 'GET', `/${route}/ticket${request(filter)}`), 'invalid_request');
      assert.deepEqual(
        problem.errors?.map(({ pointer, code }) => [pointer, code]),
        [['/filter', 'not_readable']],
      );
    }
  const blind = await memberWith(founder, [
    allow(['getticket', 'listticket', 'countticket']),
    { ...deny('getticket'), Condition: { StringEquals: { 'record.title': 'b' } } },
  ]);
  for (const filter of ['title == "b"', 'minutes == 10', 'salary == 7000', 'title.startsWith("b")'])
    assert.deepEqual([await titles(blind, filter), await count(blind, 'ticket', request(filter))], ['', 0]);
});

test('P05: empty lists and values match nothing, and an empty filter is refused', async () => {
  for (const filter of ['status in []', 'title == ""', 'keeper in [""]'])
    assert.equal(await titles(founder, filter), '');
  for (const filter of ['', ' ', 'minutes in [null]', 'minutes == null'])
    assertProblem(await act(founder, 'GET', `/list/ticket${request(filter)}`), 'invalid_request');
});

test('P08: the count of a filter is of visible records, whatever invisible ones there are', async () => {
  const own = await memberWith(founder, [
    { ...allow(['listticket', 'countticket']), Condition: { StringEquals: { 'record.status': 'own' } } },
  ]);
  await create(founder, 'ticket', { title: 'mine', status: 'own', minutes: 3 });
  const counted = async () => [
    await count(own, 'ticket', request('minutes < 100')),
    await count(own, 'ticket', request('has(title)')),
    await count(own, 'ticket', request('status == "other"')),
  ];
  const before = await counted();
  for (let index = 0; index < 5; index++) await create(founder, 'ticket', { title: 'x', status: 'other', minutes: 1 });
  assert.deepEqual(await counted(), before);
  assert.deepEqual(before, [1, 1, 0]);
});

test('P10: filters that are too deep, too wide or go through products are refused', async () => {
  const list = `[${Array.from({ length: 1000 }, (_, index) => index).join()}]`;
  const many = Array.from({ length: 32 }, () => 'minutes in [1, 2, 3, 4, 5, 6, 7]').join(' && ');
  for (const filter of [
    `${'('.repeat(100)}true${')'.repeat(100)}`,
    `${'!'.repeat(300)}true`,
    `minutes in ${list}`,
    many,
    Array.from({ length: 100 }, () => 'minutes > 1').join(' || '),
    'tags.exists(t, tags.exists(u, t == u))',
    'tags.exists(t, title.contains(t))',
    'title.contains(keeper)',
    `title.contains("${'a'.repeat(251)}")`,
  ])
    assertProblem(await act(founder, 'GET', `/count/ticket${request(filter)}`), 'invalid_request');
});
