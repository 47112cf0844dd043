/** A field gets another name while clients use it: its values stay, and both names work until the old one is taken out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list, manage, memberWith, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, diff, prodFounder, provisionedOrg, rollback } from './promotion.ts';

const gateways = await platformForTests();

const comment = {
  ...definition('comment', [
    { name: 'body', index: true, search: true },
    { name: 'rank', colType: 'integer' },
    { name: 'twice', colType: 'formula', formula: { cel: 'rank * 2', type: 'integer' } },
  ]),
  UniqueIndexes: [{ indexName: 'once', fields: ['body'] }],
  checks: [{ cel: 'rank < 100', message: 'ranks are low' }],
};
const rename = { UpdateParams: [{ name: 'text', renamedFrom: 'body' }] };

function put(org: Org, body: unknown, query = '') {
  return manage<Shown>(org, 'PUT', `/api/create-comment${query}`, { body });
}

interface Shown {
  readonly plan: readonly { readonly [member: string]: unknown }[];
  readonly would_lose: boolean;
  readonly would_fail: boolean;
  readonly indexes: readonly { readonly name: string; readonly state: string }[];
  readonly fills?: unknown;
}

async function change(org: Org, body: unknown): Promise<Shown> {
  const reply = await put(org, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('a renamed field keeps its values, its index and its unique values, and is read and written by both names', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  const first = await create(founder, 'comment', { body: 'broken lamp', rank: 1 });
  const planned = await put(org, rename, '?dry_run=true');
  assert.deepEqual(
    planned.body.plan.map(({ message: _, ...step }) => step),
    [{ change: 'field_renamed', field: 'text', from: 'body', records: 0, examples: [] }],
  );
  assert.deepEqual([planned.body.would_fail, planned.body.would_lose], [false, false]);
  const { indexes, fills } = await change(org, rename);
  assert.ok(indexes.every(({ state }) => state === 'ready'));
  assert.equal(fills, undefined);
  const read = await act(founder, 'GET', `/item/comment/${first.id}`);
  assert.deepEqual([read.body.text, read.body.body], ['broken lamp', 'broken lamp']);
  assert.equal(read.body.version, first.version);
  await create(founder, 'comment', { body: 'a new bulb', rank: 2 });
  const updated = await act(founder, 'PUT', `/update/comment/${first.id}`, { body: { text: 'broken lamps' } });
  assert.deepEqual([updated.status, updated.body.body], [200, 'broken lamps']);
  for (const name of ['text', 'body']) {
    const { items } = await list(founder, 'comment', `?sortby=${name}&sortdir=asc`);
    assert.deepEqual(
      items.map((record) => record.text),
      ['a new bulb', 'broken lamps'],
    );
    assert.equal(await count(founder, 'comment', `?${name}=broken%20lamps`), 1);
    assertProblem(
      await act(founder, 'POST', '/create/comment', { body: { [name]: 'a new bulb' } }),
      'unique_violation',
    );
  }
  assert.equal((await list(founder, 'comment', '?q=lamps')).items.length, 1);
});

test('a rename may be sent again, and the old name goes when its alias is taken out', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  await create(founder, 'comment', { body: 'x' });
  await change(org, rename);
  await change(org, rename);
  await change(org, { UpdateParams: [{ name: 'text', aliases: [] }] });
  const { items } = await list(founder, 'comment');
  assert.deepEqual([items[0]?.text, items[0]?.body], ['x', undefined]);
  assertProblem(await act(founder, 'POST', '/create/comment', { body: { body: 'y' } }), 'unknown_field');
  const again = await put(org, { UpdateParams: [{ name: 'body' }] });
  assert.deepEqual(pointers(assertProblem(again, 'validation_failed')), ['/UpdateParams/0/name']);
});

test('a request that is repeated after renames is answered by the names that the field has now', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  const request = { body: { body: 'x' }, headers: { 'Idempotency-Key': 'one-comment' } };
  const first = await act(founder, 'POST', '/create/comment', request);
  await change(org, rename);
  await change(org, { UpdateParams: [{ name: 'content', renamedFrom: 'text' }] });
  const again = await act(founder, 'POST', '/create/comment', request);
  assert.deepEqual([again.status, again.body.id, again.body.content], [201, first.body.id, 'x']);
});

test('a rename that would be ambiguous is refused, and names the other field', async () => {
  const { org } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  for (const [field, named, code] of [
    [{ name: 'rank', renamedFrom: 'body' }, '`rank`', 'validation_failed'],
    [{ name: 'text', renamedFrom: 'title' }, '`title`', 'unknown_field'],
    [{ name: 'body', renamedFrom: 'body' }, '`body`', 'validation_failed'],
  ] as const) {
    const reply = await put(org, { UpdateParams: [field] });
    assert.deepEqual(pointers(assertProblem(reply, code)), ['/UpdateParams/0/renamedFrom']);
    assert.ok(reply.text.includes(named), reply.text);
  }
});

test('an alias stays as long as an expression of the definition uses it', async () => {
  const { org } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  await change(org, { UpdateParams: [{ name: 'place', renamedFrom: 'rank' }] });
  const reply = await put(org, { UpdateParams: [{ name: 'place', aliases: [] }] });
  assert.ok(pointers(assertProblem(reply, 'validation_failed')).includes('/checks/0/cel'));
  await change(org, {
    UpdateParams: [
      { name: 'place', aliases: [] },
      { name: 'twice', formula: { cel: 'place * 2', type: 'integer' } },
    ],
    checks: [{ cel: 'place < 100', message: 'ranks are low' }],
  });
});

test('a policy that names a field by its old name holds on, also when the alias is taken out', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, comment);
  const reader = await memberWith(founder, [
    { Effect: 'Allow', Action: ['*'], Resource: ['*'] },
    { Effect: 'Deny', Action: ['*'], Resource: ['*'], Fields: ['body'] },
  ]);
  await create(founder, 'comment', { body: 'secret', rank: 1 });
  const seen = async () => (await list(reader, 'comment')).items.map(({ body, text, rank }) => [body, text, rank]);
  const hidden = [[undefined, undefined, 1]];
  assert.deepEqual(await seen(), hidden);
  await change(org, rename);
  assert.deepEqual(await seen(), hidden);
  await change(org, { UpdateParams: [{ name: 'text', aliases: [] }] });
  assert.deepEqual(await seen(), hidden);
});

test('production reads its records by the new name with the activation, and by the old one after a rollback', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, comment);
  const { version } = await deploy(org);
  const user = await prodFounder(org);
  const first = await create(user, 'comment', { body: 'one' });
  await change(org, rename);
  const [difference] = await diff(org);
  assert.ok(difference !== undefined && JSON.stringify(difference).includes('field `body` is called `text` now'));
  await deploy(org);
  const second = await create(user, 'comment', { text: 'two' });
  await act(user, 'PUT', `/update/comment/${first.id}`, { body: { text: 'ONE' } });
  await rollback(org, version);
  const texts = async () =>
    new Map((await list(user, 'comment')).items.map((record) => [record.id, [record.text, record.body]]));
  assert.deepEqual(
    await texts(),
    new Map([
      [first.id, [undefined, 'ONE']],
      [second.id, [undefined, 'two']],
    ]),
  );
  await act(user, 'PUT', `/update/comment/${second.id}`, { body: { body: 'TWO' } });
  await rollback(org, version + 1);
  assert.deepEqual((await texts()).get(second.id), ['TWO', 'TWO']);
});

test('a policy of production that names a field as a release does holds on after a rollback of it', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, comment);
  const { version } = await deploy(org);
  const user = await prodFounder(org);
  await create(user, 'comment', { body: 'secret', rank: 1 });
  await change(org, rename);
  await deploy(org);
  const reader = await memberWith(user, [
    { Effect: 'Allow', Action: ['*'], Resource: ['*'] },
    { Effect: 'Deny', Action: ['*'], Resource: ['*'], Fields: ['text'] },
  ]);
  const seen = async () => (await list(reader, 'comment')).items.map(({ body, text, rank }) => [body, text, rank]);
  const hidden = [[undefined, undefined, 1]];
  assert.deepEqual(await seen(), hidden);
  await rollback(org, version);
  assert.deepEqual(await seen(), hidden);
});
