/** The parameter `sortby` over lookups: lists in the order of the records that they refer to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provisionedOrg } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const lookup = (name: string, entity: string, more: object = {}) => ({
  name,
  colType: 'guid',
  lookup: { entity },
  ...more,
});
const customer = {
  entityName: 'customer',
  UpdateParams: [
    { name: 'tier', aliases: ['level'], index: true },
    { name: 'rank', colType: 'integer' },
    { name: 'region', index: true },
  ],
  indexes: [{ fields: ['region', '-rank'] }],
};
const ticket = {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'title' },
    { name: 'status', index: true },
    lookup('customer_id', 'customer', { aliases: ['client_id'] }),
    {
      name: 'customer_ids',
      colType: 'array',
      items: { colType: 'guid', lookup: { entity: 'customer', onDelete: 'setnull' } },
    },
  ],
};
await defineEntity(org, customer);
await defineEntity(org, ticket);

/** Two tickets of each customer, one of a customer without a value, and one without a customer. */
async function fill(user: AppUser) {
  const made = [];
  for (const [tier, region, rank] of [
    ['tin', 'south', 1],
    ['gold', 'north', 2],
    ['lead', 'north', 3],
    [undefined, 'south', 4],
  ] as const)
    made.push(await create(user, 'customer', { region, rank, ...(tier === undefined ? {} : { tier }) }));
  for (const [title, at, status] of [
    ['a', 2, 'open'],
    ['b', undefined, 'open'],
    ['c', 0, 'done'],
    ['d', 1, 'open'],
    ['e', 3, 'open'],
    ['f', 0, 'open'],
    ['g', 1, 'done'],
    ['h', 2, 'open'],
  ] as const)
    await create(user, 'ticket', { title, status, ...(at === undefined ? {} : { customer_id: made[at]?.id }) });
  return made;
}
const customers = await fill(founder);

async function sorted(user: AppUser, query: string): Promise<string> {
  const titles: unknown[] = [];
  for (let next = ''; ; ) {
    const page = await list(user, 'ticket', `?${query}&pagesize=3${next}`);
    titles.push(...page.items.map(({ title }) => title));
    if (page.nexttoken === null) return titles.join('');
    next = `&nexttoken=${page.nexttoken}`;
  }
}

test('a list is sorted by a field of the records that it refers to, those without a value first, and each by its own', async () => {
  for (const [query, titles] of [
    ['sortby=customer_id.tier', 'bedgahcf'],
    ['sortby=customer_id.tier&sortdir=desc', 'fchagdeb'],
    ['sortby=client_id.level', 'bedgahcf'],
    ['sortby=customer_id.region,customer_id.rank&sortdir=asc,desc', 'bahdgecf'],
    ['sortby=customer_id.region,customer_id.rank&sortdir=desc,asc', 'fcegdhab'],
    ['sortby=customer_id.created_at&sortdir=desc', 'ehagdfcb'],
    ['sortby=customer_id.tier&status=open', 'bedahf'],
    ['sortby=customer_id.tier&filter=customer_id.tier != "lead" %26%26 status == "done"', 'gc'],
    ['sortby=customer_id.tier&sortdir=desc&filter=customer_id.tier >= "lead"', 'fcha'],
    ['sortby=customer_id.tier&filter=!has(customer_id.tier)', 'be'],
  ] as const)
    assert.equal(await sorted(founder, query), titles, query);
});

test('counts, totals and exports take the same order', async () => {
  assert.equal(await count(founder, 'ticket', '?sortby=customer_id.tier&status=open'), 6);
  const page = await act<{ readonly total: number }>(
    founder,
    'GET',
    '/list/ticket?sortby=customer_id.tier&pagesize=1&total=true',
  );
  assert.equal(page.body.total, 8);
  const { text } = await act(founder, 'GET', '/export/ticket?sortby=customer_id.tier&sortdir=desc');
  const lines = text.trim().split('\n');
  assert.equal(lines.map((line) => (JSON.parse(line) as { title: string }).title).join(''), 'fchagdeb');
});

test('a cursor goes on under an alias, and is good for its own order alone', async () => {
  const first = await list(founder, 'ticket', '?sortby=customer_id.tier&pagesize=5');
  const next = `&nexttoken=${first.nexttoken}`;
  const second = await list(founder, 'ticket', `?sortby=client_id.level&pagesize=5${next}`);
  assert.equal([...first.items, ...second.items].map(({ title }) => title).join(''), 'bedgahcf');
  for (const other of ['customer_id.region', 'customer_id', 'customer_id.tier&sortdir=desc'])
    assertProblem(await act(founder, 'GET', `/list/ticket?sortby=${other}${next}`), 'invalid_cursor');
});

test('a customer that changes its tier moves its tickets in the list', async () => {
  const user = await foundedOrg(gateways);
  await defineEntity(user.org, customer);
  await defineEntity(user.org, ticket);
  const [tin] = await fill(user.founder);
  const moved = await act(user.founder, 'PUT', `/update/customer/${tin?.id}`, { body: { tier: 'ash' } });
  assert.equal(moved.status, 200);
  assert.equal(await sorted(user.founder, 'sortby=customer_id.tier'), 'becfdgah');
});

const verbs = ['listticket', 'countticket', 'getticket', 'browseticket'];
const readCustomers = ['listcustomer', 'getcustomer'];
const notFirst = { StringNotEquals: { 'request.pathParameters.id': [String(customers[0]?.id)] } };
const north = { StringEquals: { 'record.region': ['north'] } };

test('a list is sorted by fields that have no index there, too', async () => {
  assert.equal(await sorted(founder, 'sortby=customer_id.rank'), 'bcfdgahe');
  assert.equal(await sorted(founder, 'sortby=customer_id.rank&sortdir=desc'), 'ehagdfcb');
  assert.equal(await sorted(founder, 'sortby=client_id.rank&status=open'), 'bfdahe');
  assert.equal(await sorted(founder, 'sortby=customer_id.region,customer_id.tier&sortdir=desc,asc'), 'efcgdhab');
  const member = await memberWith(founder, [allow(verbs), withFields(allow(readCustomers), 'tier')]);
  const refused = await act(member, 'GET', '/list/ticket?sortby=customer_id.rank');
  assert.equal(assertProblem(refused, 'invalid_request').errors?.[0]?.code, 'not_readable');
});

test('an order that no index has for an export, or that is none, is refused and says why', async () => {
  for (const [sortby, code, message] of [
    ['customer_id.rank', 'unindexed_sort', /field `rank` of `customer` has no index$/],
    ['customer_id.tier,customer_id.rank', 'unindexed_sort', /no index of `customer` .*\["tier", "rank"\].* there$/],
  ] as const) {
    const problem = assertProblem(await act(founder, 'GET', `/export/ticket?sortby=${sortby}`), 'unindexed_sort');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/sortby'], code], sortby);
    assert.match(problem.errors?.[0]?.message ?? '', message);
  }
  for (const [sortby, code] of [
    ['customer_id.nothing', 'unknown_field'],
    ['title.tier', 'unknown_field'],
    ['customer_ids.tier', 'not_sortable'],
    ['customer_id.tier.x', 'not_sortable'],
    ['customer_id.tier,status', 'contradiction'],
    ['status,customer_id.tier', 'contradiction'],
    ['customer_id.', 'unknown_field'],
  ] as const) {
    const problem = assertProblem(await act(founder, 'GET', `/list/ticket?sortby=${sortby}`), 'invalid_request');
    assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/sortby'], code], sortby);
  }
});

test('a caller who may not read every one of the other records, with that field, does not sort by it', async () => {
  for (const statements of [
    [],
    [allow('getcustomer')],
    [allow('listcustomer')],
    [withCondition(allow(readCustomers), north)],
    [withFields(allow(readCustomers), 'region')],
    [allow(readCustomers), deny('getcustomer', `*${customers[1]?.id}`)],
    [allow(readCustomers), withFields(deny('getcustomer'), 'tier')],
    [allow('listcustomer'), allow('getcustomer', '/item/customer/')],
    [allow('listcustomer'), withCondition(allow('getcustomer'), notFirst)],
  ]) {
    const member = await memberWith(founder, [allow(verbs), ...statements]);
    for (const route of ['list', 'count', 'export']) {
      const refused = await act(member, 'GET', `/${route}/ticket?sortby=customer_id.tier`);
      const problem = assertProblem(refused, 'invalid_request');
      assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/sortby'], 'not_readable']);
    }
    assert.equal((await act(member, 'GET', '/list/ticket')).status, 200);
  }
  const hidden = await memberWith(founder, [withFields(allow(verbs), 'title'), allow(readCustomers)]);
  const problem = assertProblem(await act(hidden, 'GET', '/list/ticket?sortby=customer_id.tier'), 'invalid_request');
  assert.equal(problem.errors?.[0]?.code, 'not_readable');
});

test('a caller who may read that field of all, and a part of the tickets, sorts these', async () => {
  const open = { StringEquals: { 'record.status': ['open'] } };
  const member = await memberWith(founder, [
    withCondition(allow(verbs), open),
    withFields(allow(readCustomers), 'tier'),
  ]);
  assert.equal(await sorted(member, 'sortby=customer_id.tier'), 'bedahf');
});

test('the records of an owner are sorted so, and of other records that have owners only by those who may browse them', async () => {
  const ownerIndexes = [
    {
      ownerFieldName: 'keeper',
      gpkTemplate: 'org#{org};keeper#{keeper}',
      gskTemplate: '{id}',
      scopeList: true,
      default: 'none',
    },
  ];
  const keeper = { name: 'keeper', colType: 'guid' };
  await defineEntity(org, {
    entityName: 'account',
    UpdateParams: [keeper, { name: 'tier', index: true }],
    ownerIndexes,
  });
  await defineEntity(org, {
    entityName: 'visit',
    UpdateParams: [keeper, { name: 'title' }, lookup('account_id', 'account')],
    ownerIndexes,
  });
  const read = ['listaccount', 'getaccount', 'listvisit', 'getvisit'];
  const member = await memberWith(founder, [allow([...read, 'browseaccount'])]);
  for (const [tier, title] of [
    ['tin', 'a'],
    ['gold', 'b'],
  ]) {
    const { id } = await create(founder, 'account', { tier, keeper: founder.id });
    for (const user of [member, founder]) await create(founder, 'visit', { title, keeper: user.id, account_id: id });
  }
  const { items } = await list(member, 'visit', '?sortby=account_id.tier');
  assert.deepEqual(
    items.map(({ title, keeper }) => [title, keeper]),
    [
      ['b', member.id],
      ['a', member.id],
    ],
  );
  const other = await memberWith(founder, [allow(read)]);
  const refused = await act(other, 'GET', '/list/visit?sortby=account_id.tier');
  assert.equal(assertProblem(refused, 'invalid_request').errors?.[0]?.code, 'not_readable');
});

test('an order over a lookup is explained with both indexes', async () => {
  const request = { env: 'test', tenant_code: founder.tenantCode };
  const { body } = await manage<{ token: string }>(org, 'POST', '/org/impersonate', { body: request });
  const builder = { ...founder, token: body.token };
  const page = await act<{ readonly explain: Readonly<Record<string, unknown>> }>(
    builder,
    'GET',
    '/list/ticket?sortby=customer_id.tier&sortdir=desc&pagesize=1&explain=true',
  );
  const { index, through, recordsTested } = page.body.explain;
  assert.deepEqual([index, recordsTested], [{ name: 'customer_id', kind: 'field' }, 0]);
  assert.deepEqual(through, { entity: 'customer', index: { name: 'tier', kind: 'field' }, records: 4 });
});

test('production sorts its own records so', async () => {
  const live = await provisionedOrg(gateways);
  await defineEntity(live, customer);
  await defineEntity(live, ticket);
  await deploy(live);
  const user = await prodFounder(live);
  await fill(user);
  assert.equal(await sorted(user, 'sortby=customer_id.tier&sortdir=desc'), 'fchagdeb');
});
