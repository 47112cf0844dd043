/** The parameter `filter` over lookups: what it finds by other records, and that it finds nothing out about hidden ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type AppUser, act, allow, count, create, defineEntity, foundedOrg, list, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const lookup = (name: string, entity: string) => ({ name, colType: 'guid', lookup: { entity } });
await defineEntity(org, {
  entityName: 'customer',
  UpdateParams: [
    { name: 'tier', index: true },
    { name: 'region' },
    { name: 'debt', colType: 'integer' },
    { name: 'pin', colType: 'encrypted' },
  ],
});
await defineEntity(org, {
  entityName: 'ticket',
  UpdateParams: [{ name: 'title' }, { name: 'minutes', colType: 'integer' }, lookup('customer_id', 'customer')],
});

const gold = await create(founder, 'customer', { tier: 'gold', region: 'north', debt: 5, pin: '1' });
const tin = await create(founder, 'customer', { tier: 'tin', region: 'north' });
const far = await create(founder, 'customer', { tier: 'gold', region: 'south', debt: 7 });
for (const [title, customer_id, minutes] of [
  ['a', gold.id, 5],
  ['b', tin.id, 50],
  ['c', far.id, 500],
  ['d', undefined, 5],
  ['e', gold.id, 500],
] as const)
  await create(founder, 'ticket', { title, minutes, ...(customer_id === undefined ? {} : { customer_id }) });

const verbs = ['listticket', 'countticket', 'getticket'];
const north = { StringEquals: { 'record.region': ['north'] } };
/** Gets customers of one region, and their debts not at all. */
const agent = await memberWith(founder, [
  allow(verbs),
  { ...allow('getcustomer'), Condition: north, Fields: ['tier', 'region'] },
]);
const blind = await memberWith(founder, [allow(verbs)]);

const request = (filter: string): string => `?filter=${encodeURIComponent(filter)}`;

/** By list, count and export. */
async function found(user: AppUser, filter: string): Promise<string> {
  const { items } = await list(user, 'ticket', `${request(filter)}&sortdir=asc`);
  const titles = items.map(({ title }) => title).join('');
  assert.equal(await count(user, 'ticket', request(filter)), titles.length, filter);
  const { text } = await act(user, 'GET', `/export/ticket${request(filter)}&sortdir=asc`);
  const lines = text.split('\n').filter((line) => line !== '');
  assert.equal(lines.map((line) => (JSON.parse(line) as { title: string }).title).join(''), titles, filter);
  return titles;
}

test('a filter over a lookup chooses records of lists, counts and exports by the records they refer to', async () => {
  for (const [filter, titles] of [
    ['customer_id.tier == "gold"', 'ace'],
    ['record.customer_id.tier == "gold" && minutes > 100', 'ce'],
    ['!(customer_id.tier == "gold")', 'bd'],
    ['customer_id.debt >= 6 || title == "d"', 'cd'],
    ['has(customer_id.debt)', 'ace'],
    ['customer_id.created_at <= now', 'abce'],
    ['customer_id.tier.startsWith("t")', 'b'],
    ['record . customer_id . tier == "tin"', 'b'],
    [`customer_id == "${tin.id}" && customer_id.region == "north"`, 'b'],
  ] as const)
    assert.equal(await found(founder, filter), titles, filter);
});

test('a record that the caller may not get, and a field that he may not read, count as absent in filters over lookups', async () => {
  for (const [filter, ofAgent, ofBlind] of [
    ['customer_id.tier == "gold"', 'ae', ''],
    ['has(customer_id.id)', 'abe', ''],
    ['customer_id.debt == 5', '', ''],
    ['has(customer_id.debt)', '', ''],
    ['!(customer_id.debt == 5)', 'abcde', 'abcde'],
    ['customer_id.tier == "gold" || customer_id.tier != "gold"', 'abe', ''],
  ] as const) {
    assert.equal(await found(agent, filter), ofAgent, filter);
    assert.equal(await found(blind, filter), ofBlind, filter);
  }
});

test('what is hidden behind a lookup changes no reply to a filter over it', async () => {
  const filters = ['customer_id.tier == "gold"', '!(customer_id.debt > 6)', 'has(customer_id.region)'];
  const replies = async () =>
    Promise.all(
      filters.map(async (filter) => (await act(agent, 'GET', `/list/ticket${request(filter)}&total=true`)).text),
    );
  const before = await replies();
  const changed = async (id: string, body: object) =>
    assert.equal((await act(founder, 'PUT', `/update/customer/${id}`, { body })).status, 200);
  await changed(far.id, { tier: 'tin', debt: 1 });
  await changed(gold.id, { debt: 100 });
  assert.deepEqual(await replies(), before);
});

test('a filter over a lookup pages to its end', async () => {
  const filter = request('customer_id.region == "north"');
  const titles: unknown[] = [];
  for (let next = ''; ; ) {
    const page = await list(founder, 'ticket', `${filter}&pagesize=1&sortdir=asc${next}`);
    titles.push(...page.items.map(({ title }) => title));
    if (page.nexttoken === null) break;
    next = `&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(titles, ['a', 'b', 'e']);
});

test('a filter reads no secret, and follows no lookup of a record that a lookup points to', async () => {
  for (const filter of [
    'customer_id.pin == "1"',
    'customer_id.name == "x"',
    'customer_id.tier.x == "y"',
    'title.x == ""',
  ]) {
    const problem = assertProblem(await act(founder, 'GET', `/list/ticket${request(filter)}`), 'invalid_request');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/filter'], 'invalid_expression'], filter);
  }
});

test('a filter follows no lookup by a field that the caller may not read of every record', async () => {
  const member = await memberWith(founder, [{ ...allow(verbs), Fields: ['title'] }, allow('getcustomer')]);
  const refused = await act(member, 'GET', `/list/ticket${request('customer_id.tier == "gold"')}`);
  assert.equal(assertProblem(refused, 'invalid_request').errors?.[0]?.code, 'not_readable');
});
