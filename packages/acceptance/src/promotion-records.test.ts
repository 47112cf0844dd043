/** A definition meets the records that production has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { creating, together } from './batches.ts';
import { type AppUser, act, count, create, defineEntity, definition, list, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  type Check,
  change,
  deploy,
  history,
  prodFounder,
  provisionedOrg,
  publish,
  rollback,
  settledIndexes,
  staged,
  tryActivate,
} from './promotion.ts';

const gateways = await platformForTests();

/** An org with orders in production. */
async function orgInProduction(
  fields: Parameters<typeof definition>[1] = [{ name: 'title' }],
): Promise<{ org: Org; user: AppUser }> {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('order', fields));
  await deploy(org);
  return { org, user: await prodFounder(org) };
}

const narrow = { UpdateParams: [{ name: 'title', validate: true, minlength: 1, maxlength: 3 }] };

test('a rule that records of production break is refused with how many and which, until it is forced', async () => {
  const { org, user } = await orgInProduction();
  const long = await create(user, 'order', { title: 'long' });
  const bare = await create(user, 'order', {});
  await create(user, 'order', { title: 'abc' });
  await change(org, 'create-order', narrow);
  const { checks } = await publish(org);
  const problem = assertProblem(await tryActivate(org), 'conflict');
  const refused = (problem.checks as readonly Check[]).filter(({ level }) => level === 'error');
  assert.deepEqual(
    refused.map(({ name, check, would_fail, checked, complete }) => [name, check, would_fail, checked, complete]),
    [['order', 'records', 2, 3, true]],
  );
  const examples = refused[0]?.examples as readonly {
    id: string;
    tenant_code: string;
    errors: readonly { pointer: string; code: string }[];
  }[];
  assert.deepEqual(
    new Map(
      examples.map(({ id, tenant_code, errors }) => [
        id,
        [tenant_code, errors.map(({ pointer, code }) => [pointer, code])],
      ]),
    ),
    new Map([
      [long.id, ['main', [['/title', 'too_long']]]],
      [bare.id, ['main', [['/title', 'required']]]],
    ]),
  );
  assert.deepEqual(
    checks.filter(({ check }) => check === 'records'),
    refused,
  );
  assert.match(problem.detail, /`force: true`/);
  assert.equal((await create(user, 'order', { title: 'still long' })).title, 'still long');
  assert.equal((await history(org)).length, 1);

  const forced = await activate(org, { force: true });
  const warnings = forced.checks.filter(({ check }) => check === 'records');
  assert.deepEqual(
    warnings.map(({ level, would_fail }) => [level, would_fail]),
    [['warning', 3]],
  );
  assertProblem(await act(user, 'POST', '/create/order', { body: { title: 'long' } }), 'validation_failed');
  assert.equal((await act(user, 'GET', `/item/order/${long.id}`)).body.title, 'long');
  assert.equal(await count(user, 'order'), 4);
});

const narrower: readonly (readonly [string, object])[] = [
  ['a lookup', { lookup: { entity: 'customer' } }],
  ['a number', { colType: 'number' }],
  ['an array', { colType: 'array' }],
  ['a list of values', { colType: 'enum', enumValues: ['a'] }],
  ['a pattern', { validate: true, pattern: '^a' }],
  ['a length', { validate: true, maxlength: 3 }],
];
for (const [what, hints] of narrower)
  test(`no check tells what records of production hold: a field that becomes ${what}`, async () => {
    const { org, user } = await orgInProduction();
    await create(user, 'order', { title: 'canary-of-production' });
    await defineEntity(org, definition('customer', [{ name: 'name' }]));
    await change(org, 'create-order', { UpdateParams: [{ name: 'title', ...hints }] });
    await publish(org);
    const shown = [await manage(org, 'GET', '/deploy/staged'), await tryActivate(org)];
    for (const { text } of shown) {
      assert.match(text, /"would_fail":1/);
      assert.doesNotMatch(text, /canary-of/);
    }
  });

test('records of test say nothing about production', async () => {
  const { org, user } = await orgInProduction();
  await create(user, 'order', { title: 'abc' });
  await change(org, 'create-order', narrow, '?force=true');
  const { checks } = await publish(org);
  assert.deepEqual(
    checks
      .filter(({ check }) => check === 'records')
      .map(({ level, would_fail, checked }) => [level, would_fail, checked]),
    [['info', 0, 1]],
  );
  await activate(org);
});

test('a rollback is never held up by records, and what was written since stays', async () => {
  const { org, user } = await orgInProduction([{ name: 'title', validate: true, maxlength: 3 }]);
  await change(org, 'create-order', { UpdateParams: [{ name: 'title' }, { name: 'place' }] });
  await deploy(org);
  const made = await create(user, 'order', { title: 'much longer', place: 'Ulm' });
  await rollback(org);
  const shown = (await act(user, 'GET', `/item/order/${made.id}`)).body;
  assert.deepEqual([shown.title, Object.hasOwn(shown, 'place')], ['much longer', false]);
  assertProblem(await act(user, 'POST', '/create/order', { body: { title: 'much longer' } }), 'validation_failed');
  await rollback(org, 2);
  assert.equal((await act(user, 'GET', `/item/order/${made.id}`)).body.place, 'Ulm');
});

test('indexes are built from the records of production, and hold once they are', async () => {
  const { org, user } = await orgInProduction([{ name: 'title' }, { name: 'code' }]);
  const batch = Array.from({ length: 100 }, (_, at) => creating('order', { title: `t${at % 4}`, code: `c${at}` }));
  await together(user, batch);
  const UniqueIndexes = [{ indexName: 'by_code', fields: ['code'] }];
  await change(org, 'create-order', {
    UpdateParams: [{ name: 'title', index: true, search: true }, { name: 'code' }],
    UniqueIndexes,
  });
  const { checks } = await publish(org);
  const warnings = checks.find(({ check }) => check === 'indexes');
  assert.deepEqual(warnings?.level, 'info');
  assert.match(warnings?.message ?? '', /`title`.*`by_code`/);
  await activate(org);
  assert.deepEqual(new Set((await settledIndexes(org, 'order')).map(({ state }) => state)), new Set(['ready']));
  assert.equal(await count(user, 'order', '?title=t2'), 25);
  assert.equal((await list(user, 'order', '?sortby=title&sortdir=desc&pagesize=1')).items[0]?.title, 't3');
  assert.equal((await list(user, 'order', '?q=t1&pagesize=200')).items.length, 25);
  assertProblem(await act(user, 'POST', '/create/order', { body: { code: 'c7' } }), 'unique_violation');
  await rollback(org);
  assert.equal((await act(user, 'POST', '/create/order', { body: { code: 'c7' } })).status, 201);
  assertProblem(await act(user, 'GET', '/export/order?sortby=title'), 'unindexed_sort');
});

test('values that stand twice in production make a unique index fail there, with examples', async () => {
  const { org, user } = await orgInProduction([{ name: 'code' }]);
  const twice = [await create(user, 'order', { code: 'a' }), await create(user, 'order', { code: 'a' })];
  await change(org, 'create-order', { UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }] });
  await deploy(org);
  const [index] = (await settledIndexes(org, 'order')).filter(({ name }) => name === 'by_code');
  assert.equal(index?.state, 'failed');
  const ids = index?.duplicates?.map((one) => [one.tenant_code, [...one.ids].sort()]);
  assert.deepEqual(ids, [['main', twice.map(({ id }) => id).sort()]]);
});

test('records that come while an activation waits are looked at when it is asked for', async () => {
  const { org, user } = await orgInProduction();
  await change(org, 'create-order', narrow);
  const { checks } = await publish(org);
  assert.deepEqual(
    checks.filter(({ level }) => level === 'error'),
    [],
  );
  await create(user, 'order', { title: 'too long' });
  assert.equal((await staged(org)).checks.filter(({ level }) => level === 'error').length, 1);
  assertProblem(await tryActivate(org), 'conflict');
});
