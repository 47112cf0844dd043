/** What is published is frozen as it is, waits, and can be taken back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, defineEntity, definition, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  change,
  deploy,
  diff,
  entity,
  history,
  names,
  prodFounder,
  provisionedOrg,
  publish,
  removeEntity,
  settings,
  staged,
  tryActivate,
  tryPublish,
} from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const customer = definition('customer', [{ name: 'name' }]);
const order = definition('order', [{ name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } }]);
const line = definition('line', [{ name: 'order_id', colType: 'guid', lookup: { entity: 'order' } }]);

async function orgWithOrders(): Promise<Org> {
  const org = await provisionedOrg(gateways);
  for (const one of [customer, order, line]) await defineEntity(org, one);
  return org;
}

async function prodNames(org: Org): Promise<readonly string[]> {
  const reply = await manage<{ items: readonly { name: string }[] }>(org, 'GET', '/api/entities?env=prod');
  return reply.body.items.map(({ name }) => name);
}

test('what an item cannot do without is published with it, over any number of steps, each with its reason', async () => {
  const org = await orgWithOrders();
  const published = await publish(org, [entity('line')]);
  assert.deepEqual(names(published.staged), ['entity customer', 'entity line', 'entity order']);
  assert.deepEqual(published.added_dependencies, [
    { ...entity('order'), reason: 'entity `line` looks it up in the field `order_id`' },
    { ...entity('customer'), reason: 'entity `order` looks it up in the field `customer_id`' },
  ]);
  const reasons = (await staged(org)).items.map(({ name, reason }) => [name, reason]);
  assert.deepEqual(reasons, [
    ['customer', 'entity `order` looks it up in the field `customer_id`'],
    ['line', undefined],
    ['order', 'entity `line` looks it up in the field `order_id`'],
  ]);
});

test('what production has already is not published along, however it differs', async () => {
  const org = await orgWithOrders();
  await publish(org, [entity('customer')]);
  await activate(org);
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'city' }] });
  const published = await publish(org, [entity('order')]);
  assert.deepEqual([names(published.staged), published.added_dependencies], [['entity order'], []]);
});

test('what is staged already stays as it was frozen when another item needs it', async () => {
  const org = await orgWithOrders();
  const first = await publish(org, [entity('customer')]);
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'city' }] });
  const second = await publish(org, [entity('order')]);
  assert.deepEqual(second.added_dependencies, []);
  const rows = (await staged(org)).items.map(({ name, release_id }) => [name, release_id]);
  assert.deepEqual(rows, [
    ['customer', first.release_id],
    ['order', second.release_id],
  ]);
  await activate(org);
  const user = await prodFounder(org);
  assertProblem(await act(user, 'POST', '/create/customer', { body: { city: 'Ulm' } }), 'unknown_field');
});

test('what in production refers to an item that goes is published along where test refers to it no more', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  for (const name of ['line', 'order', 'customer']) await removeEntity(org, name);
  const published = await publish(org, [entity('customer')]);
  assert.deepEqual(published.added_dependencies, [
    { ...entity('order'), reason: 'in production it still refers to entity `customer`, which is taken away' },
    { ...entity('line'), reason: 'in production it still refers to entity `order`, which is taken away' },
  ]);
  const released = await activate(org);
  assert.deepEqual(
    released.activated.map(({ name, change: kind }) => [name, kind]),
    [
      ['customer', 'removed'],
      ['line', 'removed'],
      ['order', 'removed'],
    ],
  );
});

test('what is published is not live, and tells who published what when, and why', async () => {
  const org = await orgWithOrders();
  const first = await publish(org, [entity('customer')], 'the first part');
  const second = await publish(org, [entity('order')]);
  assert.match(first.release_id, /^r\d+$/);
  assert.notEqual(first.release_id, second.release_id);
  assert.deepEqual(await prodNames(org), []);
  const me = await manage<{ user: { id: string } }>(org, 'GET', '/auth/me');
  const [one, other] = (await staged(org)).items;
  assert.ok(one !== undefined && other !== undefined && Date.parse(one.staged_at) <= Date.parse(other.staged_at));
  const { staged_at: _, ...shown } = one;
  assert.deepEqual(shown, {
    ...entity('customer'),
    change: 'put',
    test_version: 1,
    release_id: first.release_id,
    staged_by: { kind: 'org_user', id: me.body.user.id },
    note: 'the first part',
  });
  assert.deepEqual([other.name, other.release_id, other.note], ['order', second.release_id, undefined]);
  const released = await activate(org);
  assert.deepEqual(names(released.activated), ['entity customer', 'entity order']);
  assert.equal((await history(org))[0]?.note, 'the first part');
});

test('what test is changed to after a publication does not leak into it, in none of the five configs', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, customer);
  await change(org, 'list-customer', { Views: { short: { fields: [{ name: 'name' }] } } });
  await putSetting(org, 'acl', 'cache_seconds', 5);
  await publish(org);
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'secret_plan' }] });
  await change(org, 'list-customer', { Views: { short: { fields: [{ name: 'secret_plan' }] } } });
  await putSetting(org, 'acl', 'cache_seconds', 6);
  await activate(org);
  const shown = await manage(org, 'GET', '/api/entity?entityName=customer&env=prod');
  assert.ok(!shown.text.includes('secret_plan'), shown.text);
  const user = await prodFounder(org);
  assertProblem(await act(user, 'POST', '/create/customer', { body: { secret_plan: 'x' } }), 'unknown_field');
  const settled = await manage<{ items: readonly { name: string; value: unknown }[] }>(
    org,
    'GET',
    '/org/settings?env=prod',
  );
  assert.equal(settled.body.items.find(({ name }) => name === 'cache_seconds')?.value, 5);
});

test('an entity that test removes after its publication goes live all the same', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, customer);
  await publish(org);
  await removeEntity(org, 'customer');
  await activate(org);
  assert.deepEqual(await prodNames(org), ['customer']);
  assert.deepEqual(
    (await diff(org)).map(({ name, change: kind }) => [name, kind]),
    [['customer', 'removed']],
  );
});

test('a publication replaces what was staged of the same item, and leaves the others', async () => {
  const org = await orgWithOrders();
  await publish(org, [entity('order'), entity('customer')], 'first');
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'city' }] });
  const again = await publish(org, [entity('customer')], 'second');
  const rows = (await staged(org)).items.map(({ name, note, release_id }) => [name, note, release_id]);
  assert.deepEqual(rows, [
    ['customer', 'second', again.release_id],
    ['order', 'first', 'r1'],
  ]);
  await activate(org);
  assert.equal((await history(org))[0]?.note, 'second; first');
  const user = await prodFounder(org);
  assert.equal((await act(user, 'POST', '/create/customer', { body: { city: 'Ulm' } })).status, 201);
});

test('what is the same on both sides is not published', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  assertProblem(await tryPublish(org), 'conflict');
  assertProblem(await tryPublish(org, { items: [entity('customer')] }), 'conflict');
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'city' }] });
  const published = await publish(org, [entity('customer'), entity('order')]);
  assert.deepEqual(names(published.staged), ['entity customer']);
});

test('an item that is in neither environment is named, and then nothing is staged', async () => {
  const org = await orgWithOrders();
  const items = [entity('customer'), entity('nothing'), settings('acl.cache_seconds')];
  const problem = assertProblem(await tryPublish(org, { items }), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/items/1', '/items/2']);
  assert.deepEqual((await staged(org)).items, []);
});

test('a note takes 1000 characters', async () => {
  const org = await orgWithOrders();
  await publish(org, [entity('customer')], '\u{1F680}'.repeat(500));
  assert.equal((await staged(org)).items[0]?.note?.length, 1000);
});

test('one staged item is taken back, or all of them, and what is taken back does not become live', async () => {
  const org = await orgWithOrders();
  await publish(org);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged/entity/line')).status, 204);
  assertProblem(await manage(org, 'DELETE', '/deploy/staged/entity/line'), 'not_found');
  assert.deepEqual(names((await staged(org)).items), ['entity customer', 'entity order']);
  await activate(org);
  assert.deepEqual(await prodNames(org), ['customer', 'order']);
  await publish(org);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged')).status, 204);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged')).status, 204);
  assert.deepEqual((await staged(org)).items, []);
  assertProblem(await tryActivate(org), 'conflict');
});

test('an item whose name is a path is taken back by its name', async () => {
  const org = await provisionedOrg(gateways);
  await putSetting(org, 'acl', 'cache_seconds', 5);
  await publish(org);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged/settings/acl.cache_seconds')).status, 204);
  assert.deepEqual((await staged(org)).items, []);
});

test('each publication and each withdrawal is in the log, and refused ones are not', async () => {
  const org = await orgWithOrders();
  const { release_id } = await publish(org, [entity('customer')]);
  await tryPublish(org, { items: [entity('nothing')] });
  await manage(org, 'DELETE', '/deploy/staged/entity/customer');
  await manage(org, 'DELETE', '/deploy/staged/entity/customer');
  await publish(org);
  await manage(org, 'DELETE', '/deploy/staged');
  await manage(org, 'DELETE', '/deploy/staged');
  const log = await manage<{ items: { action: string; target?: object; env: string; detail: object }[] }>(
    org,
    'GET',
    '/audit?env=prod&action=deploy.',
  );
  const entries = log.body.items.map(({ action, target, env, detail }) => [action, target, env, detail]);
  assert.deepEqual(entries.toReversed(), [
    ['deploy.published', { kind: 'release', id: release_id }, 'prod', { items: 1 }],
    ['deploy.unstaged', { kind: 'entity', id: 'customer' }, 'prod', { items: 1 }],
    ['deploy.published', { kind: 'release', id: 'r2' }, 'prod', { items: 3 }],
    ['deploy.unstaged', undefined, 'prod', { items: 3 }],
  ]);
});
