/** What is staged becomes live all at once or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, create, defineEntity, definition, list, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  type Check,
  change,
  deploy,
  diff,
  entity,
  history,
  names,
  onceAccepted,
  prodFounder,
  provisionedOrg,
  publish,
  removeEntity,
  shownConfig,
  staged,
  tryActivate,
} from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const customer = definition('customer', [{ name: 'name' }]);
const order = definition('order', [
  { name: 'title' },
  { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
]);

async function orgWithOrders(): Promise<Org> {
  const org = await provisionedOrg(gateways);
  for (const one of [customer, order]) await defineEntity(org, one);
  return org;
}

test('what is activated serves at once, and production is then what test was', async () => {
  const org = await orgWithOrders();
  await change(org, 'list-order', { Views: { short: { fields: [{ name: 'title', as: 'what' }] } } });
  await putSetting(org, 'acl', 'cache_seconds', 5);
  await publish(org);
  const user = await prodFounder(org);
  assertProblem(await act(user, 'GET', '/list/order'), 'not_found');
  const { version, activated, checks } = await activate(org);
  assert.equal(version, 1);
  assert.deepEqual(activated, [
    { ...entity('customer'), change: 'added' },
    { ...entity('order'), change: 'added' },
    { kind: 'settings', name: 'acl.cache_seconds', change: 'added' },
  ]);
  assert.deepEqual(new Set(checks.map(({ level }) => level)), new Set(['info']));
  const made = await create(user, 'customer', { name: 'Ann' });
  await create(user, 'order', { title: 'Lamp', customer_id: made.id });
  assert.deepEqual((await list(user, 'order', '?view=short')).items, [{ what: 'Lamp' }]);
  assert.deepEqual((await staged(org)).items, []);
});

test('views of one config move with their entity, and nothing of test alone does', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  await change(org, 'get-order', { Views: { short: { fields: [{ name: 'title' }] } } });
  await change(org, 'list-order', { Views: { wide: { fields: [{ name: 'title' }, { name: 'customer_id' }] } } });
  await deploy(org);
  const [test_, prod] = [await shownConfig(org, 'test'), await shownConfig(org, 'prod')];
  assert.deepEqual((prod as { entities: unknown }).entities, (test_ as { entities: unknown }).entities);
  const user = await prodFounder(org);
  const { id } = await create(user, 'order', { title: 'Lamp' });
  assert.deepEqual((await act(user, 'GET', `/item/order/${id}?view=short`)).body, { title: 'Lamp' });
  assertProblem(await act(user, 'GET', `/item/order/${id}?view=wide`), 'invalid_request');
});

test('E04: an activation that is repeated finds nothing staged and changes nothing', async () => {
  const org = await orgWithOrders();
  assertProblem(await tryActivate(org), 'conflict');
  await deploy(org);
  const previous = await shownConfig(org, 'prod');
  assert.match(assertProblem(await tryActivate(org), 'conflict').detail, /nothing is staged/);
  assert.match(assertProblem(await tryActivate(org, { force: true }), 'conflict').detail, /nothing is staged/);
  assert.deepEqual(await shownConfig(org, 'prod'), previous);
  assert.equal((await history(org)).length, 1);
  assert.deepEqual(await diff(org), []);
});

test('of 20 activations at once one makes everything live, and the others find nothing left', async () => {
  const org = await orgWithOrders();
  await publish(org);
  const replies = await Promise.all(Array.from({ length: 20 }, () => tryActivate(org)));
  const done = replies.filter(({ status }) => status === 200);
  assert.equal(done.length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) assertProblem(reply, 'conflict');
  assert.equal((await history(org)).length, 1);
  assert.deepEqual(await diff(org), []);
});

/** Goes wrong in production alone: each definition is sound in test. */
async function withDanglingStaged(): Promise<Org> {
  const org = await provisionedOrg(gateways);
  for (const name of ['a', 'b', 'c', 'd']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  await defineEntity(org, customer);
  await defineEntity(org, order);
  await publish(org);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged/entity/customer')).status, 204);
  return org;
}

test('E02: where one of five items would refer to what is not there, none becomes live and all of that is listed', async () => {
  const org = await withDanglingStaged();
  const previous = [await shownConfig(org, 'prod'), (await staged(org)).items];
  const problem = assertProblem(await tryActivate(org), 'dangling_reference');
  const checks = problem.checks as readonly Check[];
  assert.deepEqual(checks, [
    {
      ...entity('order'),
      check: 'references',
      level: 'error',
      message: 'entity `customer` is missing: entity `order` looks it up in the field `customer_id`',
      missing: entity('customer'),
    },
  ]);
  assert.match(problem.detail, /entity `customer` is missing/);
  assertProblem(await tryActivate(org, { force: true }), 'dangling_reference');
  assert.deepEqual([await shownConfig(org, 'prod'), (await staged(org)).items], previous);
  assert.deepEqual(await history(org), []);
  await publish(org, [entity('customer')]);
  assert.equal((await activate(org)).activated.length, 6);
});

test('E07: a publication tells what would dangle, and so does what is staged', async () => {
  const org = await withDanglingStaged();
  const isError = ({ level }: Check) => level === 'error';
  assert.equal((await staged(org)).checks.filter(isError).length, 1);
  await change(org, 'create-a', { UpdateParams: [{ name: 'title' }, { name: 'more' }] });
  const { checks } = await publish(org, [entity('a')]);
  assert.deepEqual(
    checks.filter(isError).map(({ name, missing }) => [name, missing]),
    [['order', entity('customer')]],
  );
});

test('what others in production look up is not taken away by itself', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  for (const name of ['order', 'customer']) await removeEntity(org, name);
  await publish(org);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged/entity/order')).status, 204);
  assertProblem(await tryActivate(org), 'dangling_reference');
  const user = await prodFounder(org);
  assert.equal((await act(user, 'GET', '/list/customer')).status, 200);
});

test('E02: a definition that production cannot have keeps the others back too', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('memo', [{ name: 'title' }]));
  await deploy(org);
  await removeEntity(org, 'memo');
  const baseKeys = { pkTemplate: 'org#{org};data#memo', skTemplate: 'memo#{title}#{id}' };
  const body = { ...definition('memo', [{ name: 'title' }]), baseKeys };
  await onceAccepted(() => manage(org, 'POST', '/api/create-memo', { body }));
  await defineEntity(org, customer);
  const { checks } = await publish(org);
  assert.deepEqual(
    checks.filter(({ level }) => level === 'error').map(({ check }) => check),
    ['switch'],
  );
  const previous = await shownConfig(org, 'prod');
  assertProblem(await tryActivate(org), 'conflict');
  assert.deepEqual(await shownConfig(org, 'prod'), previous);
  assert.deepEqual(names((await staged(org)).items), ['entity customer', 'entity memo']);
});

test('every activation is in the log with who made it, apart from refused ones', async () => {
  const org = await orgWithOrders();
  await tryActivate(org);
  await deploy(org, { note: 'the first' });
  await tryActivate(org);
  const me = await manage<{ user: { id: string } }>(org, 'GET', '/auth/me');
  const log = await manage<{ items: Record<string, unknown>[] }>(org, 'GET', '/audit?action=deploy.activated');
  assert.deepEqual(
    log.body.items.map(({ actor, target, env, detail }) => [actor, target, env, detail]),
    [[{ kind: 'org_user', id: me.body.user.id }, { kind: 'release', id: '1' }, 'prod', { items: 2 }]],
  );
});

test('what lets users do more is reported before it becomes live', async () => {
  const org = await provisionedOrg(gateways);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  await putSetting(org, 'acl', 'escalation_check', false);
  const { checks } = await publish(org);
  const warnings = checks
    .filter(({ level }) => level === 'warning')
    .map(({ name, check, message }) => [name, check, message]);
  assert.deepEqual(warnings, [
    ['acl.escalation_check', 'access', 'callers may grant permissions that they do not hold'],
    ['tenancy.tenancy_type', 'access', 'users may create workspaces'],
  ]);
  assert.equal((await activate(org)).version, 1);
});

test('what was looked at is activated, and nothing that was staged since', async () => {
  const org = await orgWithOrders();
  await publish(org, [entity('customer')]);
  const { base } = await staged(org);
  await publish(org, [entity('order')]);
  const problem = assertProblem(await tryActivate(org, { base }), 'version_mismatch');
  assert.deepEqual(names(await diff(org)), ['entity customer', 'entity order']);
  const { base: now } = await staged(org);
  assert.equal(problem.base, now);
  assert.equal((await tryActivate(org, { base: now })).status, 200);
  assertProblem(await tryActivate(org, { base: 1 }), 'validation_failed');
});
