import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import {
  type AppUser,
  act,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  type Page,
  type StoredRecord,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'title', colType: 'string' },
  { name: 'region', colType: 'string', index: true },
  { name: 'amount', colType: 'number', index: true },
  { name: 'paid', colType: 'boolean', index: true },
];
await defineEntity(org, definition('order', fields));
await defineEntity(org, definition('invoice', fields));
await defineEntity(org, definition('empty', fields));

const regions = ['north', 'south', 'northeast', 'Nord', 'île'];
const amounts = [-10, 0, 0.5, 2, 10, 100, -0.25];
const orders: StoredRecord[] = [];
for (let index = 0; index < 30; index++) {
  const amount = index === 29 ? {} : { amount: amounts[index % amounts.length] };
  const region = regions[index % regions.length];
  orders.push(await create(founder, 'order', { title: `t${index}`, region, paid: index % 2 === 0, ...amount }));
}
const newestFirst = orders.toReversed();

/** Takes the pages of a list to their end. */
async function listAll(user: AppUser, entity: string, query = ''): Promise<readonly StoredRecord[]> {
  const items: StoredRecord[] = [];
  const separator = query === '' ? '?' : '&';
  let page = await list(user, entity, query);
  for (let pages = 0; ; pages++) {
    assert.ok(pages < 200, 'the list does not end');
    items.push(...page.items);
    if (page.nexttoken === null) return items;
    page = await list(user, entity, `${query}${separator}nexttoken=${encodeURIComponent(page.nexttoken)}`);
  }
}

const ids = (records: readonly StoredRecord[]) => records.map((record) => record.id);

test('a list of nothing is empty', async () => {
  const reply = await act<Page>(founder, 'GET', '/list/empty');
  assert.deepEqual([reply.status, reply.text], [200, '{"items":[],"nexttoken":null}']);
  assert.equal(await count(founder, 'empty'), 0);
});

test('a plain list holds the newest 20 first, and a token for the rest', async () => {
  const page = await list(founder, 'order');
  assert.deepEqual(page.items, newestFirst.slice(0, 20));
  assert.ok(page.nexttoken);
  const rest = await list(founder, 'order', `?nexttoken=${encodeURIComponent(page.nexttoken)}`);
  assert.deepEqual(rest, { items: newestFirst.slice(20), nexttoken: null });
});

for (const pagesize of [1, 7, 30, 200]) {
  test(`pages of ${pagesize} taken to the end hold every record once`, async () => {
    assert.deepEqual(await listAll(founder, 'order', `?pagesize=${pagesize}`), newestFirst);
  });
}

for (const pagesize of ['0', '-1', '201', '1e9', 'NaN', 'abc', '', '1.5', '10&pagesize=10', '1%00', '٣']) {
  test(`I04: the page size ${JSON.stringify(pagesize)} is refused`, async () => {
    assertRefusal(await act(founder, 'GET', `/list/order?pagesize=${pagesize}`), [400]);
  });
}

type Keep = (record: StoredRecord) => boolean;
const text = (record: StoredRecord, field: string) => record[field] as string;
const amount = (record: StoredRecord) => record.amount as number | undefined;
const over = (bound: number) => (record: StoredRecord) => (amount(record) ?? Number.NaN) > bound;

const filters: readonly (readonly [string, Keep])[] = [
  ['region=north', (record) => record.region === 'north'],
  ['region=%C3%AEle', (record) => record.region === 'île'],
  ['region=nowhere', () => false],
  ['region=NORTH', () => false],
  ['region=north&region_op=eq', (record) => record.region === 'north'],
  ['region=north&region_op=ne', (record) => record.region !== 'north'],
  ['region=north&region_op=startswith', (record) => text(record, 'region').startsWith('north')],
  ['region=north,south&region_op=in', (record) => ['north', 'south'].includes(text(record, 'region'))],
  ['region=north&region_op=gt', (record) => text(record, 'region') > 'north'],
  ['region=north&region_op=lte', (record) => text(record, 'region') <= 'north'],
  ['amount=2', (record) => record.amount === 2],
  ['amount=-0.25', (record) => record.amount === -0.25],
  ['amount=2&amount_op=gt', over(2)],
  ['amount=2&amount_op=gte', (record) => record.amount === 2 || over(2)(record)],
  ['amount=0&amount_op=lt', (record) => (amount(record) ?? 0) < 0],
  ['amount=0&amount_op=lte', (record) => (amount(record) ?? 1) <= 0],
  ['amount=-1,2&amount_op=between', (record) => (amount(record) ?? 99) >= -1 && (amount(record) ?? 99) <= 2],
  ['amount=0,100&amount_op=in', (record) => record.amount === 0 || record.amount === 100],
  ['amount=true&amount_op=exists', (record) => record.amount !== undefined],
  ['amount=false&amount_op=exists', (record) => record.amount === undefined],
  ['paid=true', (record) => record.paid === true],
  ['paid=false', (record) => record.paid === false],
  ['region=north&paid=true', (record) => record.region === 'north' && record.paid === true],
  ['region=south&amount=0&amount_op=gt', (record) => record.region === 'south' && over(0)(record)],
  ['title=t7', (record) => record.title === 't7'],
  ['title=t1&title_op=startswith', (record) => text(record, 'title').startsWith('t1')],
];
for (const [query, keep] of filters) {
  test(`list and count agree with a plain reading of \`${query}\``, async () => {
    const expected = orders.filter(keep);
    assert.deepEqual(ids(await listAll(founder, 'order', `?${query}`)).toSorted(), ids(expected).toSorted());
    assert.deepEqual(ids(await listAll(founder, 'order', `?${query}&pagesize=2`)).toSorted(), ids(expected).toSorted());
    assert.equal(await count(founder, 'order', `?${query}`), expected.length);
  });
}

for (const sortdir of ['asc', 'desc'] as const) {
  test(`an indexed number sorts ${sortdir}, ties included, over any page size`, async () => {
    const sign = sortdir === 'asc' ? 1 : -1;
    for (const pagesize of [3, 200]) {
      const found = await listAll(founder, 'order', `?sortby=amount&sortdir=${sortdir}&pagesize=${pagesize}`);
      const values = found.map(amount).filter((value) => value !== undefined);
      assert.deepEqual(
        values,
        values.toSorted((left, right) => sign * (left - right)),
      );
      assert.equal(new Set(ids(found)).size, found.length);
      assert.ok(found.length >= 29);
    }
  });

  test(`an indexed text sorts ${sortdir} by its UTF-8 bytes`, async () => {
    const found = await listAll(founder, 'order', `?sortby=region&sortdir=${sortdir}&pagesize=4`);
    const values = found.map((record) => text(record, 'region'));
    const sorted = values.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    assert.deepEqual(values, sortdir === 'asc' ? sorted : sorted.toReversed());
    assert.equal(found.length, 30);
  });

  test(`the order of creation sorts ${sortdir}`, async () => {
    const found = await listAll(founder, 'order', `?sortby=created_at&sortdir=${sortdir}&pagesize=7`);
    assert.deepEqual(ids(found), ids(sortdir === 'asc' ? orders : newestFirst));
  });
}

test('a filter and a sort go together', async () => {
  const found = await listAll(founder, 'order', '?region=north&sortby=amount&sortdir=asc&pagesize=2');
  const expected = orders.filter((record) => record.region === 'north').map(amount);
  assert.deepEqual(found.map(amount).toSorted(), expected.toSorted());
});

test('a list is sorted by a field without an index too, and an export is not', async () => {
  const { items } = await list(founder, 'order', '?sortby=title&pagesize=200');
  const titles = items.map(({ title }) => String(title));
  assert.deepEqual(
    titles,
    titles.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  );
  assertProblem(await act(founder, 'GET', '/export/order?sortby=title'), 'unindexed_sort');
});

for (const query of [
  'colour=red',
  'sortby=colour',
  'sortby=toString',
  'constructor=x',
  '__proto__=x',
  'sortdir=up',
  'region=a&region_op=like',
  'region=a&region_op=constructor',
  'region_op=eq',
  'colour_op=eq',
  'amount=much',
  'amount=1e400',
  'amount=0x10',
  'amount=1&amount_op=between',
  'amount=1,2,3&amount_op=between',
  'paid=yes',
  'region=a&region=b',
  'region[$ne]=a',
  'region%00=a',
  'region=%ff',
  'region=%ud800',
  'limit=5',
]) {
  test(`B27, I07: the query \`${query}\` is refused by list and count alike`, async () => {
    assertRefusal(await act(founder, 'GET', `/list/order?${query}`), [400]);
    if (!query.startsWith('sort')) assertRefusal(await act(founder, 'GET', `/count/order?${query}`), [400]);
  });
}

test('I07: a query of ten thousand parameters is refused', async () => {
  const reply = await act(founder, 'GET', `/list/order?${'a=1&'.repeat(3000)}`);
  assert.ok([400, 414, 431].includes(reply.status), String(reply.status));
});

test('a change of a record moves it in the index, and a delete takes it out', async () => {
  const { id } = await create(founder, 'invoice', { region: 'before', amount: 1 });
  await act(founder, 'PUT', `/update/invoice/${id}`, { body: { region: 'after' } });
  assert.equal(await count(founder, 'invoice', '?region=before'), 0);
  assert.deepEqual(ids((await list(founder, 'invoice', '?region=after')).items), [id]);
  await act(founder, 'PUT', `/update/invoice/${id}`, { body: { region: null } });
  assert.equal(await count(founder, 'invoice', '?region=after'), 0);
  assert.equal(await count(founder, 'invoice', '?amount=1'), 1);
  await act(founder, 'DELETE', `/delete/invoice/${id}`);
  assert.equal(await count(founder, 'invoice', '?amount=1'), 0);
  assert.equal(await count(founder, 'invoice'), 0);
});

test('pages taken while others write hold every record that stood throughout exactly once', async () => {
  await defineEntity(org, definition('busy', fields));
  const current = await Promise.all(Array.from({ length: 40 }, () => create(founder, 'busy', { region: 'stays' })));
  const passing = await Promise.all(Array.from({ length: 10 }, () => create(founder, 'busy', { region: 'goes' })));
  const seen: string[] = [];
  let next: string | null = '';
  for (let round = 0; next !== null; round++) {
    const token: string = next === '' ? '' : `&nexttoken=${encodeURIComponent(next)}`;
    const page: Page = await list(founder, 'busy', `?pagesize=4${token}`);
    seen.push(...ids(page.items));
    next = page.nexttoken;
    await create(founder, 'busy', { region: 'comes' });
    const going = passing[round];
    if (going !== undefined) await act(founder, 'DELETE', `/delete/busy/${going.id}`);
  }
  assert.equal(new Set(seen).size, seen.length);
  for (const id of ids(current)) assert.ok(seen.includes(id), `${id} was missed`);
});
