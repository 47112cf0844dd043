import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, create, defineEntity, foundedOrg, manage, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

interface Order {
  readonly entity: string;
  readonly id: string;
}

async function newOrder(): Promise<Order> {
  const entity = `order_${random()}`;
  await defineEntity(org, {
    entityName: entity,
    UpdateParams: [{ name: 'title' }, { name: 'amount', colType: 'number' }],
    Views: { short: { fields: [{ name: 'title' }, { name: 'amount' }] } },
  });
  return { entity, id: (await create(founder, entity, { title: 'a', amount: 5 })).id };
}

async function change({ entity }: Order, api: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  const reply = await manage(org, 'PUT', `/api/${api}-${entity}?force=true`, { body });
  assert.equal(reply.status, 200, reply.text);
}

function get({ entity, id }: Order, tag?: string, query = '') {
  const headers = tag === undefined ? {} : { 'if-none-match': tag };
  return act(founder, 'GET', `/item/${entity}/${id}${query}`, { headers });
}

async function tagOf(order: Order, query = ''): Promise<string> {
  const tag = (await get(order, undefined, query)).headers.get('etag') ?? '';
  assert.equal((await get(order, tag, query)).status, 304, tag);
  return tag;
}

test('a copy is not current once a view shows something else', async () => {
  const order = await newOrder();
  const tag = await tagOf(order, '?view=short');
  await change(order, 'get', { Views: { short: { fields: [{ name: 'title' }] } } });
  const after = await get(order, tag, '?view=short');
  assert.deepEqual([after.status, after.body], [200, { title: 'a' }]);
  await change(order, 'get', { Views: { short: { fields: [{ name: 'title', as: 'name' }] } } });
  assert.deepEqual((await get(order, after.headers.get('etag') ?? '', '?view=short')).body, { name: 'a' });
  await change(order, 'get', { Views: { short: { fields: [{ name: 'amount', cast: 'string' }] } } });
  const cast = await get(order, undefined, '?view=short');
  await change(order, 'get', { Views: { short: { fields: [{ name: 'amount' }] } } });
  assert.deepEqual((await get(order, cast.headers.get('etag') ?? '', '?view=short')).body, { amount: 5 });
});

test('a copy is not current once `default` is another view', async () => {
  const order = await newOrder();
  const tag = await tagOf(order);
  await change(order, 'get', { Views: { default: { fields: [{ name: 'title' }] } } });
  assert.deepEqual((await get(order, tag)).body, { title: 'a' });
  const other = await tagOf(order);
  await change(order, 'get', { Views: {} });
  const back = await get(order, other);
  assert.deepEqual([back.status, back.body.amount], [200, 5]);
  assert.equal((await get(order, tag)).status, 304);
});

test('a copy is not current once a field is taken out of the definition, also by a view that was made before', async () => {
  for (const query of ['', '?view=short']) {
    const order = await newOrder();
    const tag = await tagOf(order, query);
    await change(order, 'create', {
      UpdateParams: [{ name: 'title' }, { name: 'amount', colType: 'number' }, { name: 'new' }],
    });
    assert.equal((await get(order, tag, query)).status, 304);
    await change(order, 'create', { removeFields: ['amount', 'new'], Views: null });
    const after = await get(order, tag, query);
    if (query !== '') assertProblem(after, 'invalid_request');
    else assert.deepEqual([after.status, 'amount' in after.body], [200, false]);
  }
});

test('a tag is of what its reply shows, and good for `If-Match` whatever that is', async () => {
  const order = await newOrder();
  const path = `/update/${order.entity}/${order.id}`;
  const put = (tag: string, query = '') =>
    act(founder, 'PUT', `${path}${query}`, { body: { amount: 6 }, headers: { 'if-match': tag } });
  const before = await tagOf(order, '?view=short');
  await change(order, 'get', { Views: { short: { fields: [{ name: 'title' }] } } });
  const updated = await put(before, '?view=short');
  assert.equal(updated.status, 200, updated.text);
  assertProblem(await put(before), 'version_mismatch');
  const tag = updated.headers.get('etag') ?? '';
  assert.equal((await get(order, tag)).status, 200);
  const reader = await memberWith(founder, [{ ...allow('get*'), Fields: ['title'] }, allow('update*')]);
  const masked = await act(reader, 'PUT', path, { body: { amount: 7 }, headers: { 'if-match': tag } });
  assert.equal(masked.status, 200, masked.text);
  const headers = { 'if-none-match': masked.headers.get('etag') ?? '' };
  const read = await act(reader, 'GET', `/item/${order.entity}/${order.id}`, { headers });
  assert.deepEqual([read.status, 'amount' in read.body], [200, false]);
});
