/** What a definition names of other entities is there, or the definition is refused with all else that is wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { act, create, defineEntity, foundedOrg, manage, type Org, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, deploy, entity, names, prodFounder, provisionedOrg, publish, tryPublish } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const tiny = { fields: [{ name: 'name' }] };
const customerOf = (entityName: string) => ({ entityName, UpdateParams: [{ name: 'name' }], Views: { tiny } });
const by = (view: string) => ({ fields: [{ name: 'of', lookup: { view, as: 'customer' } }] });
const orderOf = (entityName: string, target: string, view = 'tiny') => ({
  entityName,
  UpdateParams: [{ name: 'of', colType: 'guid', lookup: { entity: target } }],
  Views: { full: by(view) },
});

/** Two entities, of which one shows records of the other by its view `tiny`. */
async function customerAndOrder(): Promise<readonly [customer: string, order: string]> {
  const [customer, order] = [`customer_${random()}`, `order_${random()}`];
  await defineEntity(org, customerOf(customer));
  await defineEntity(org, orderOf(order, customer));
  return [customer, order];
}

function put(name: string, body: object, of: Org = org) {
  return manage(of, 'PUT', `/api/${name}?force=true`, { body });
}

test('all mistakes of a definition are reported at once, wrong references included', async () => {
  const [customer] = await customerAndOrder();
  const name = `wrong_${random()}`;
  const lookup = (target: string) => ({ colType: 'guid', lookup: { entity: target } });
  const body = {
    entityName: name,
    colour: 1,
    UpdateParams: [
      { name: 'a b' },
      { name: 'none', ...lookup('nosuch') },
      { name: 'of', ...lookup(customer) },
      { name: 'next', ...lookup(name) },
      { name: 'who', ...lookup('user') },
    ],
    Views: {
      one: { fields: [{ name: 'of', lookup: { view: 'nosuch', as: 'a' } }, { name: 'gone' }] },
      two: {
        fields: [
          { name: 'next', lookup: { view: 'three', as: 'b' } },
          { name: 'who', lookup: { view: 'tiny', as: 'c' } },
          { name: 'none', lookup: { view: 'any', as: 'd' } },
        ],
      },
    },
  };
  const refused = await manage(org, 'POST', `/api/create-${name}`, { body });
  assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')).toSorted(), [
    '/UpdateParams/0/name',
    '/UpdateParams/1/lookup/entity',
    '/Views/one/fields/0/lookup/view',
    '/Views/one/fields/1/name',
    '/Views/two/fields/0/lookup/view',
    '/Views/two/fields/1/lookup/view',
    '/colour',
  ]);
  assertProblem(await manage(org, 'GET', `/api/entity?entityName=${name}`), 'not_found');
});

test('an entity may look up itself, by views that it is defined with', async () => {
  const name = `tree_${random()}`;
  const own = { ...orderOf(name, name, 'leaf'), Views: { full: by('leaf'), leaf: { fields: [{ name: 'id' }] } } };
  await defineEntity(org, own);
  const root = await create(founder, name, {});
  const leaf = await create(founder, name, { of: root.id });
  const shown = await act(founder, 'GET', `/item/${name}/${leaf.id}?view=full`);
  assert.deepEqual(shown.body, { customer: { id: root.id } });
  // The get config has views of its own then, and they are what others are shown by.
  const refused = await put(`get-${name}`, { Views: { full: by('full') } });
  assertProblem(refused, 'dangling_reference');
  assert.equal((await put(`get-${name}`, { Views: { leaf: own.Views.leaf, full: by('full') } })).status, 200);
});

test('the views of a config name what is there', async () => {
  const [customer, order] = await customerAndOrder();
  for (const api of ['get', 'list', 'update']) {
    const refused = await put(`${api}-${order}`, { Views: { full: by('nosuch'), bad: { fields: [{ name: 'x' }] } } });
    assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')).toSorted(), [
      '/Views/bad/fields/0/name',
      '/Views/full/fields/0/lookup/view',
    ]);
    assert.equal((await put(`${api}-${order}`, { Views: { full: by('tiny'), other: by('compact') } })).status, 200);
  }
  const refused = await put(`create-${order}`, { Views: { full: by('nosuch') } });
  assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/Views/full/fields/0/lookup/view']);
  // By the views of the get config, which are the definition's only as long as it has none.
  assert.equal((await put(`get-${customer}`, { Views: { tiny, more: tiny } })).status, 200);
  assert.equal((await put(`create-${order}`, { Views: { full: by('more') } })).status, 200);
});

test('a view by which others show records is not taken away under them', async () => {
  const [customer, order] = await customerAndOrder();
  for (const [api, body] of [
    [`create-${customer}`, { Views: null }],
    [`create-${customer}`, { Views: { other: tiny } }],
    [`get-${customer}`, { Views: { other: tiny } }],
  ] as const) {
    const refused = assertProblem(await put(api, body), 'dangling_reference');
    assert.deepEqual(refused.referenced_by, [{ entity: order, field: 'of', view: 'tiny' }]);
  }
  assert.equal((await put(`list-${customer}`, { Views: {} })).status, 200);
  assert.equal((await put(`create-${order}`, { Views: { full: by('compact') } })).status, 200);
  assert.equal((await put(`create-${customer}`, { Views: null })).status, 200);
});

test('a config item names what is there, in both directions', async () => {
  const [customer, order] = await customerAndOrder();
  const item = (name: string, definition: object) =>
    manage(org, 'PUT', `/config/entity/${name}`, { body: { definition, views: {} } });
  const refused = assertProblem(await item(order, orderOf(order, customer, 'nosuch')), 'dangling_reference');
  assert.deepEqual(refused.dangling, [
    {
      kind: 'entity',
      name: customer,
      view: 'nosuch',
      referenced_by: { kind: 'entity', name: order, pointer: '/definition/Views/full/fields/0/lookup/view' },
      reason: 'shows it by the view `nosuch` at the field `of`',
    },
  ]);
  assertProblem(await item(customer, { ...customerOf(customer), Views: {} }), 'dangling_reference');
  assertProblem(await item(order, orderOf(order, 'user', 'tiny')), 'dangling_reference');
  assert.equal((await item(order, orderOf(order, customer, 'default'))).status, 200);
});

test('a view that production does not have is published along with what shows by it', async () => {
  const other = await provisionedOrg(gateways);
  await defineEntity(other, { ...customerOf('customer'), Views: {} });
  await defineEntity(other, orderOf('order', 'customer', 'compact'));
  await deploy(other);
  await put('create-customer', { Views: { tiny } }, other);
  await put('create-order', { Views: { full: by('tiny') } }, other);
  const published = await publish(other, [entity('order')]);
  assert.deepEqual(names(published.staged), ['entity customer', 'entity order']);
  assert.deepEqual(published.added_dependencies, [
    { ...entity('customer'), reason: 'entity `order` shows it by the view `tiny` at the field `of`' },
  ]);
  await activate(other);
  const user = await prodFounder(other);
  const customer = await create(user, 'customer', { name: 'ann' });
  const order = await create(user, 'order', { of: customer.id });
  const shown = await act(user, 'GET', `/item/order/${order.id}?view=full`);
  assert.deepEqual(shown.body, { customer: { name: 'ann' } });
});

test('what would take a view from under others in production is not activated', async () => {
  const other = await provisionedOrg(gateways);
  await defineEntity(other, customerOf('customer'));
  await defineEntity(other, orderOf('order', 'customer'));
  await deploy(other);
  await put('create-order', { Views: { full: by('compact') } }, other);
  await put('create-customer', { Views: null }, other);
  const { body } = await tryPublish(other, { items: [entity('customer')] });
  const warnings = (body as { checks?: readonly { check: string; level: string; message: string }[] }).checks ?? [];
  assert.ok(
    warnings.some(
      ({ check, level, message }) => check === 'references' && level === 'error' && message.includes('`tiny`'),
    ),
    JSON.stringify(body),
  );
});
