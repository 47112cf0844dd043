/** Figures of groups of records: `GET /aggregate/{entity}`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '@freehold/client';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  deny,
  foundedOrg,
  memberWith,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, {
  entityName: 'sale',
  UpdateParams: [
    { name: 'status', index: true },
    { name: 'region' },
    { name: 'amount', colType: 'integer' },
    { name: 'sold_at', colType: 'datetime' },
    { name: 'salary', colType: 'integer' },
    { name: 'tags', colType: 'array' },
  ],
});
for (const sale of [
  { status: 'open', region: 'north', amount: 10, sold_at: '2026-03-31T22:30:00Z', salary: 1 },
  { status: 'open', region: 'south', amount: 20, sold_at: '2026-04-01T10:00:00Z' },
  { status: 'paid', region: 'north', amount: 40, sold_at: '2026-04-02T10:00:00Z' },
  { region: 'north', amount: 80 },
])
  await create(founder, 'sale', sale);

interface Groups {
  readonly items: readonly { readonly group: object; readonly values: object }[];
  readonly nexttoken: string | null;
}

interface Listed {
  readonly items: readonly object[];
  readonly nexttoken: string | null;
  readonly facets?: object;
}

type Sent = Readonly<Record<string, string>>;

const send = (user: AppUser, sent: Sent) => act<Groups>(user, 'GET', `/aggregate/sale?${new URLSearchParams(sent)}`);

async function groups(user: AppUser, sent: Sent): Promise<Groups> {
  const reply = await send(user, sent);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('records are grouped, counted and added up, and groups are chosen, ordered and shown in pages', async () => {
  const whole = await groups(founder, { group: 'status', measure: 'count,sum:amount' });
  assert.deepEqual(whole, {
    items: [
      { group: { status: null }, values: { count: 1, sum_amount: 80 } },
      { group: { status: 'open' }, values: { count: 2, sum_amount: 30 } },
      { group: { status: 'paid' }, values: { count: 1, sum_amount: 40 } },
    ],
    nexttoken: null,
  });
  const sent = {
    group: 'status',
    measure: 'sum:amount',
    having: 'sum_amount > 35',
    sortby: 'sum_amount',
    sortdir: 'desc',
  };
  const first = await groups(founder, { ...sent, pagesize: '1' });
  const next = await groups(founder, { ...sent, pagesize: '1', nexttoken: first.nexttoken ?? '' });
  assert.deepEqual(
    [...first.items, ...next.items].map(({ values }) => values),
    [{ sum_amount: 80 }, { sum_amount: 40 }],
  );
  assert.equal(next.nexttoken, null);
});

test('times are grouped by parts of them in a time zone, of the records that filters choose', async () => {
  const months = async (sent: Sent) => (await groups(founder, { group: 'month(sold_at)', ...sent })).items;
  assert.deepEqual(await months({ region: 'north', filter: 'has(status)' }), [
    { group: { month_sold_at: '2026-03' }, values: { count: 1 } },
    { group: { month_sold_at: '2026-04' }, values: { count: 1 } },
  ]);
  assert.deepEqual(await months({ region: 'north', filter: 'has(status)', time_zone: 'Europe/Berlin' }), [
    { group: { month_sold_at: '2026-04' }, values: { count: 2 } },
  ]);
});

test('the client gives the same, with the names of its own', async () => {
  const app = createApp({ url: org.app, org: org.code, clientId: org.clientId });
  await app.signIn({ email: founder.email, password: founder.password });
  const page = await app.entity('sale').aggregate({
    where: { region: 'north' },
    group: ['month(sold_at)'],
    measure: ['count', 'max:amount'],
    sort: 'max_amount',
    having: 'count > 0',
    filter: 'has(status)',
    timeZone: 'Europe/Berlin',
    pageSize: 1,
  });
  assert.deepEqual(page.items, [{ group: { month_sold_at: '2026-04' }, values: { count: 2, max_amount: 40 } }]);
  assert.equal(page.nextToken, null);
});

test('figures are those of the records that the caller may list, and are denied with the list or by themselves', async () => {
  const isOpen = { StringEquals: { 'record.status': 'open' } };
  const own = await memberWith(founder, [withCondition(allow('listsale'), isOpen)]);
  assert.deepEqual((await groups(own, { measure: 'count,sum:amount' })).items[0]?.values, { count: 2, sum_amount: 30 });
  for (const path of ['/list/sale', '/aggregate/sale']) {
    const user = await memberWith(founder, [allow('listsale'), deny('listsale', path)]);
    assertProblem(await send(user, {}), 'access_denied');
  }
  for (const path of ['/list/sale', '/aggregate/sale'])
    assertProblem(await send(await memberWith(founder, [allow('listsale', path)]), {}), 'access_denied');
  const narrowed = await memberWith(founder, [
    allow('listsale'),
    withCondition(deny('listsale', '/list/sale'), { StringEquals: { 'record.region': 'north' } }),
  ]);
  assert.deepEqual((await groups(narrowed, { group: 'region' })).items, [
    { group: { region: 'south' }, values: { count: 1 } },
  ]);
  assertProblem(await send(await memberWith(founder, [allow('countsale')]), {}), 'access_denied');
});

test('a field that the caller may not read in every record is refused, whatever the records are', async () => {
  const user = await memberWith(founder, [withFields(allow('listsale'), 'status', 'amount')]);
  assert.equal((await groups(user, { group: 'status', measure: 'sum:amount' })).items.length, 3);
  for (const [sent, pointer] of [
    [{ measure: 'sum:salary' }, '/measure'],
    [{ group: 'region' }, '/group'],
    [{ salary: '1' }, '/salary'],
    [{ filter: 'salary == 1' }, '/filter'],
  ] as const) {
    const problem = assertProblem(await send(user, sent), 'invalid_request');
    assert.deepEqual(pointers(problem), [pointer]);
    assert.equal(problem.errors?.[0]?.code, 'not_readable');
  }
});

test('what cannot be grouped or measured is refused with its parameter', async () => {
  const reply = await send(founder, { group: 'tags,month(amount)', measure: 'sum:region', having: 'x > 1' });
  assert.deepEqual(pointers(assertProblem(reply, 'invalid_request')), ['/group', '/group', '/measure']);
  assertProblem(await send(founder, { nexttoken: 'abc', group: 'status' }), 'invalid_cursor');
});

test('the first page of a list has facets of the records that the caller may list', async () => {
  const facets = async (user: AppUser, sent: Sent) =>
    (await act<Listed>(user, 'GET', `/list/sale?${new URLSearchParams({ facets: 'status', ...sent })}`)).body;
  const first = await facets(founder, { region: 'north', pagesize: '1', sortby: 'status' });
  assert.deepEqual(first.facets, {
    status: [
      { value: null, count: 1 },
      { value: 'open', count: 1 },
      { value: 'paid', count: 1 },
    ],
  });
  const next = await facets(founder, {
    region: 'north',
    pagesize: '1',
    sortby: 'status',
    nexttoken: first.nexttoken ?? '',
  });
  assert.deepEqual([next.items.length, next.facets], [1, undefined]);
  const isOpen = { StringEquals: { 'record.status': 'open' } };
  const own = await memberWith(founder, [withCondition(allow('listsale'), isOpen)]);
  assert.deepEqual((await facets(own, {})).facets, { status: [{ value: 'open', count: 2 }] });
  const part = await memberWith(founder, [withFields(allow('listsale'), 'status')]);
  const refused = await act(part, 'GET', '/list/sale?facets=region');
  assert.equal(assertProblem(refused, 'invalid_request').errors?.[0]?.code, 'not_readable');
  const app = createApp({ url: org.app, org: org.code, clientId: org.clientId });
  await app.signIn({ email: founder.email, password: founder.password });
  const page = await app.entity('sale').list({ where: { status: 'open' }, facets: ['status'], pageSize: 1 });
  assert.deepEqual(page.facets, { status: [{ value: 'open', count: 2 }] });
});
