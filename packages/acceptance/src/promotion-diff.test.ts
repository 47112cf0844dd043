/** What differs between test and production, as a patch and in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from './apply-patch.ts';
import { defineEntity, definition, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  change,
  type Difference,
  deploy,
  diff,
  entity,
  names,
  onceAccepted,
  provisionedOrg,
  publish,
  removeEntity,
} from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const customer = definition('customer', [{ name: 'name' }]);
const order = definition('order', [
  { name: 'title', validate: true, maxlength: 80 },
  { name: 'amount', colType: 'number' },
  { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
]);

async function orgWithOrders(): Promise<Org> {
  const org = await provisionedOrg(gateways);
  for (const one of [customer, order]) await defineEntity(org, one);
  return org;
}

/** The only difference that there is. */
async function onlyDifference(org: Org): Promise<Difference> {
  const [first, ...others] = await diff(org);
  assert.ok(first !== undefined && others.length === 0, names(others).join());
  return first;
}

test('what test has and production has not is added, with all of it and what it depends on', async () => {
  const org = await orgWithOrders();
  await putSetting(org, 'acl', 'cache_seconds', 5);
  const shown = await diff(org);
  assert.deepEqual(
    shown.map(({ kind, name, change, staged }) => [kind, name, change, staged]),
    [
      ['entity', 'customer', 'added', false],
      ['entity', 'order', 'added', false],
      ['settings', 'acl.cache_seconds', 'added', false],
    ],
  );
  const [first, second, third] = shown;
  const content = { definition: order, views: {} };
  assert.deepEqual(second?.changes, [{ op: 'add', path: '', value: content }]);
  assert.deepEqual(third?.changes, [{ op: 'add', path: '', value: { value: 5 } }]);
  assert.deepEqual(second?.summary, ['entity `order` is new, with the fields `title`, `amount`, `customer_id`']);
  assert.deepEqual(third?.summary, ['setting `acl.cache_seconds` is settled: `5`']);
  assert.deepEqual([first?.depends_on, third?.depends_on], [[], []]);
  assert.deepEqual(second?.depends_on, [
    {
      kind: 'entity',
      name: 'customer',
      pointer: '/definition/UpdateParams/2/lookup/entity',
      reason: 'looks it up in the field `customer_id`',
      in_production: false,
    },
  ]);
  await publish(org, [entity('customer')]);
  await activate(org);
  const [left] = await diff(org);
  assert.deepEqual([left?.name, left?.depends_on.map((one) => one.in_production)], ['order', [true]]);
});

test('what is taken out is named among the losses, and nothing else is', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  await change(org, 'create-order', { UpdateParams: [{ name: 'title', validate: true, maxlength: 40 }] });
  const first = await onlyDifference(org);
  assert.deepEqual(first.losses, [
    'field `amount` is taken out; stored values stay hidden',
    'field `customer_id` is taken out; stored values stay hidden',
  ]);
  assert.ok(first.summary.length > first.losses.length);
  const { checks } = await publish(org);
  const impact = checks.filter(({ check, name }) => check === 'impact' && name === 'order');
  assert.deepEqual(
    impact.map(({ message, loss }) => [message, loss]),
    first.summary.map((sentence) => [sentence, first.losses.includes(sentence) ? true : undefined]),
  );
  await putSetting(org, 'auth', 'app_url', 'https://example.com/is%20taken%20out');
  await removeEntity(org, 'customer');
  const shown = await diff(org);
  const lossesOf = (name: string) => shown.find((one) => one.name === name)?.losses;
  assert.deepEqual(lossesOf('auth.app_url'), []);
  assert.deepEqual(lossesOf('customer'), [
    'entity `customer` is taken out: its routes are gone, its records are served no more',
  ]);
});

test('E04: once everything is live nothing differs, and what was edited there and back does not either', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  assert.deepEqual(await diff(org), []);
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name', index: true }] });
  assert.equal((await onlyDifference(org)).name, 'customer');
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }] });
  assert.deepEqual(await diff(org), []);
});

test('the patch of a changed entity makes test out of production, field by field, and the words say the same', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  const UpdateParams = [
    { name: 'amount', colType: 'number' },
    { name: 'note1', colType: 'string' },
    { name: 'title', validate: true, maxlength: 40, index: true },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer', onDelete: 'cascade' } },
  ];
  const UniqueIndexes = [{ indexName: 'by_title', fields: ['title'] }];
  const short = { fields: [{ name: 'title' }] };
  await change(org, 'create-order', { UpdateParams, UniqueIndexes });
  await change(org, 'list-order', { Views: { short } });
  const { change: kind, changes, summary } = await onlyDifference(org);
  assert.equal(kind, 'modified');
  assert.ok(
    changes.every(({ path }) => path.split('/').length > 2),
    'only what differs is said',
  );
  const after = {
    definition: { ...order, UpdateParams, UniqueIndexes },
    views: { list: { short } },
  };
  assert.deepEqual(applyPatch({ definition: order, views: {} }, changes), after);
  assert.deepEqual(summary, [
    'field `note1` is new, an optional string',
    'field `title`: `maxlength` is `40` now, and was `80`',
    'field `title`: `index` is `true` now, and was not said before',
    'field `customer_id`: `lookup` is `{"entity":"customer","onDelete":"cascade"}` now, and was `{"entity":"customer"}`',
    'each field stands in another order',
    'unique index `by_title` is new, on `title`: it is built from the records before it holds',
    '`list` has views of its own now',
    'view `short` of `list` is new: it shows `title`',
  ]);
});

test('the patch of a setting makes test out of production, `prod_value` included', async () => {
  const org = await provisionedOrg(gateways);
  const before = { value: ['https://a.example', 'https://b.example'], prod_value: ['https://prod.example'] };
  const after = { value: ['https://b.example', 'https://c.example'] };
  const put = (content: object) =>
    manage(org, 'PUT', '/org/settings', { body: { group: 'auth', name: 'allowed_domains', ...content } });
  assert.equal((await put(before)).status, 200);
  await deploy(org);
  assert.equal((await put(after)).status, 200);
  const { changes, summary } = await onlyDifference(org);
  assert.deepEqual(applyPatch(before, changes), after);
  assert.equal(summary.length, 2);
});

test('what production has and test has not is removed', async () => {
  const org = await orgWithOrders();
  await deploy(org);
  await removeEntity(org, 'order');
  const { name, change: kind, changes, depends_on, summary } = await onlyDifference(org);
  assert.deepEqual([name, kind, changes, depends_on], ['order', 'removed', [{ op: 'remove', path: '' }], []]);
  assert.deepEqual(summary, ['entity `order` is taken out: its routes are gone, its records are served no more']);
});

test('it says what is staged, and whether test has gone on since', async () => {
  const org = await orgWithOrders();
  await publish(org, [entity('customer')]);
  const states = async () => (await diff(org)).map(({ name, staged, edited_since_staged: e }) => [name, staged, e]);
  assert.deepEqual(await states(), [
    ['customer', true, false],
    ['order', false, undefined],
  ]);
  await change(org, 'create-customer', { UpdateParams: [{ name: 'name' }, { name: 'city' }] });
  assert.deepEqual(await states(), [
    ['customer', true, true],
    ['order', false, undefined],
  ]);
  await publish(org, [entity('customer')]);
  assert.deepEqual((await states())[0], ['customer', true, false]);
});

test('a removal that is staged is edited since then once test has the entity again', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, customer);
  await deploy(org);
  await removeEntity(org, 'customer');
  await publish(org);
  assert.equal((await onlyDifference(org)).edited_since_staged, false);
  const body = definition('customer', [{ name: 'city' }]);
  await onceAccepted(() => manage(org, 'POST', '/api/create-customer', { body }));
  assert.equal((await onlyDifference(org)).edited_since_staged, true);
});
