import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

const title = { name: 'title', colType: 'string' };
const verbs = ['create', 'get', 'list', 'update', 'delete'] as const;

interface Config {
  readonly key: string;
  readonly version: number;
  readonly [member: string]: unknown;
}

type EntityConfig = Readonly<Record<(typeof verbs)[number], Config>> & { readonly entityName: string };

interface Entities {
  readonly items: readonly { readonly name: string; readonly apis: readonly string[]; readonly records: number }[];
}

async function entityNames(org: Org): Promise<readonly string[]> {
  return (await manage<Entities>(org, 'GET', '/api/entities')).body.items.map((item) => item.name);
}

test('one definition makes five API configs, and its routes serve records at once', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const reply = await defineEntity(org, definition('order', [title]));
  assert.equal(reply.body.entityName, 'order');
  assert.deepEqual(reply.body.apis, ['create-order', 'get-order', 'list-order', 'update-order', 'delete-order']);
  const record = await create(founder, 'order', { title: 'first' });
  assert.equal((await act(founder, 'GET', `/item/order/${record.id}`)).body.title, 'first');
});

test('the entity is named by the definition, not by the URL', async () => {
  const org = await signUp(gateways);
  const reply = await manage(org, 'POST', '/api/whatever-i-like', { body: definition('order', [title]) });
  assert.equal(reply.status, 201, reply.text);
  assert.deepEqual(await entityNames(org), ['order']);
});

test('the stored keys are those of the document, and the create config holds the definition as supplied', async () => {
  const org = await signUp(gateways);
  const supplied = definition('order', [title, { name: 'amount', colType: 'number', validate: true, min: 0 }]);
  await defineEntity(org, supplied);
  const reply = await manage<EntityConfig>(org, 'GET', '/api/entity?entityName=order');
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.entityName, 'order');
  for (const verb of verbs) assert.equal(reply.body[verb].key, `apiname#${verb}-order;version#active`);
  for (const [member, value] of Object.entries(supplied)) assert.deepEqual(reply.body.create[member], value, member);
});

test('the same entity is not defined twice', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('order', [title]));
  const again = await manage(org, 'POST', '/api/create-order', { body: definition('order', []) });
  assertProblem(again, 'conflict');
});

test('a dry run says what a definition would make or why it is refused, and makes nothing', async () => {
  const org = await signUp(gateways);
  const plan = (body: unknown, query = 'dry_run=true', headers = {}) =>
    manage(org, 'POST', `/api/create-order?${query}`, { body, headers });
  const order = definition('order', [title]);
  const audited = async () => (await manage<{ items: unknown[] }>(org, 'GET', '/audit')).body.items;
  const entries = await audited();
  const planned = await plan(order, 'dry_run=true', { 'idempotency-key': 'one' });
  assert.equal(planned.status, 200, planned.text);
  assert.deepEqual(planned.body, {
    entityName: 'order',
    apis: ['create-order', 'get-order', 'list-order', 'update-order', 'delete-order'],
  });
  const hinted = definition('order', [{ ...title, maxlength: 5 }]);
  assert.match(JSON.stringify((await plan(hinted)).body.warnings), /maxlength/);
  const lookup = { name: 'of', colType: 'guid', lookup: { entity: 'nothing' } };
  for (const wrong of [definition('order', [lookup]), definition('Order', [title]), definition('user', [])]) {
    const refused = assertProblem(await plan(wrong), 'validation_failed');
    assert.deepEqual(assertProblem(await plan(wrong, ''), 'validation_failed').errors, refused.errors);
  }
  assertProblem(await plan(order, 'dry_run=true&env=prod'), 'prod_read_only');
  assertProblem(await plan(order, 'dry_run=maybe'), 'invalid_request');
  assert.deepEqual([await entityNames(org), await audited()], [[], entries]);
  assert.equal((await plan(order, '', { 'idempotency-key': 'one' })).status, 201);
  assertProblem(await plan(order), 'conflict');
});

test('of parallel definitions of one entity exactly one wins', async () => {
  const org = await signUp(gateways);
  const body = definition('order', [title]);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => manage(org, 'POST', '/api/create-order', { body })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
});

test('the list of entities names the APIs of each and counts its records', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  await defineEntity(org, definition('invoice', [title]));
  await create(founder, 'order', { title: 'a' });
  await create(founder, 'order', { title: 'b' });
  const { items } = (await manage<Entities>(org, 'GET', '/api/entities')).body;
  const shown = items.map(({ name, records }) => ({ name, records })).sort((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepEqual(shown, [
    { name: 'invoice', records: 0 },
    { name: 'order', records: 2 },
  ]);
  assert.equal(items[0]?.apis.length, 5);
});

test('the endpoint catalog names a route for each action, and each of them is served', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  const { id } = await create(founder, 'order', { title: 'a' });
  const reply = await manage<{ endpoints: readonly { action: string; method: string; path: string }[] }>(
    org,
    'GET',
    '/api/entity/endpoints?entity=order',
  );
  assert.equal(reply.status, 200, reply.text);
  const { endpoints } = reply.body;
  for (const action of [...verbs, 'count'])
    assert.ok(
      endpoints.some((endpoint) => endpoint.action === action),
      action,
    );
  for (const { action, method, path } of endpoints.filter((endpoint) => endpoint.method === 'GET')) {
    const filled = path.replace(/^\/app\/[^/]+/, '').replace(/\{id\}|:id/, id);
    assert.equal((await act(founder, method, filled)).status, 200, `${action} ${filled}`);
  }
});

test('builders read the app routes of an entity, and those that every app has, as OpenAPI documents', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  const pathsOf = async (path: string) => {
    const reply = await manage<{ paths: object; openapi: string }>(org, 'GET', path);
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.body.openapi, /^3\.1\./);
    return Object.keys(reply.body.paths);
  };
  const ofOrder = await pathsOf('/api/openapi.json?entity=order');
  const ofEveryApp = await pathsOf('/api/openapi.json');
  const all = await act<{ paths: object }>(founder, 'GET', '/openapi.json');
  assert.ok(ofOrder.every((path) => path.includes('/order')));
  assert.ok(ofEveryApp.includes(`/app/${org.code}/list/user`));
  assert.deepEqual([...ofOrder, ...ofEveryApp].sort(), Object.keys(all.body.paths).sort());
});

for (const path of [
  '/api/entity?entityName=nothing',
  '/api/entity/endpoints?entity=nothing',
  '/api/openapi.json?entity=nothing',
]) {
  test(`GET ${path} answers that there is nothing`, async () => {
    assertProblem(await manage(await signUp(gateways), 'GET', path), 'not_found');
  });
}

for (const [method, path] of [
  ['GET', '/api/entity'],
  ['GET', '/api/entity/endpoints'],
  ['DELETE', '/api/entity'],
] as const) {
  test(`${method} ${path} without a name is refused`, async () => {
    assertRefusal(await manage(await signUp(gateways), method, path), [400]);
  });
}

test('a deleted entity is gone at once, with its configs and its records', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  const { id } = await create(founder, 'order', { title: 'a' });
  const gone = await manage(org, 'DELETE', '/api/entity?entityname=order');
  assert.equal(gone.status, 204, gone.text);
  assert.deepEqual(await entityNames(org), []);
  assertProblem(await manage(org, 'GET', '/api/entity?entityName=order'), 'not_found');
  for (const path of [`/item/order/${id}`, '/list/order', '/count/order']) {
    assertProblem(await act(founder, 'GET', path), 'not_found');
  }
  assertProblem(await act(founder, 'POST', '/create/order', { body: { title: 'b' } }), 'not_found');
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=order'), 'not_found');
});

test('D15: an entity that is defined again starts empty', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  const { id } = await create(founder, 'order', { title: 'old' });
  await create(founder, 'order', { title: 'old too' });
  await manage(org, 'DELETE', '/api/entity?entityname=order');
  await defineWhenRemoved(org, definition('order', [title]));
  assert.deepEqual(await list(founder, 'order'), { items: [], nexttoken: null });
  assert.equal(await count(founder, 'order'), 0);
  assertProblem(await act(founder, 'GET', `/item/order/${id}`), 'not_found');
});

/** While the old records are being removed, the name answers 409. */
async function defineWhenRemoved(org: Org, body: Record<string, unknown>): Promise<void> {
  await eventually('the removal of the old records', async () => {
    const reply = await manage(org, 'POST', '/api/create-order', { body });
    if (reply.status !== 201) assertProblem(reply, 'conflict');
    return reply.status === 201;
  });
}

for (const name of ['aclpolicy', 'group', 'useraclpolicy', 'usergroup', 'userrole', 'user']) {
  test(`the system entity ${name} can be neither redefined nor deleted`, async () => {
    const { org, founder } = await foundedOrg(gateways);
    const before = await list(founder, name);
    const body = definition(name, [title]);
    assertRefusal(await manage(org, 'POST', `/api/create-${name}`, { body }), [400, 403, 409]);
    assertRefusal(await manage(org, 'DELETE', `/api/entity?entityname=${name}`), [400, 403, 404, 409]);
    assert.deepEqual(await list(founder, name), before);
  });
}

const order = (fields: readonly Record<string, unknown>[], change: Record<string, unknown> = {}) => ({
  ...definition('order', fields as []),
  ...change,
});

const badDefinitions: readonly (readonly [string, unknown])[] = [
  ['no entity name', { ...order([title]), entityName: undefined }],
  ['an unknown field type', order([{ name: 'title', colType: 'text' }])],
  [
    'C03: a partition without the org',
    order([title], { baseKeys: { pkTemplate: 'data#x', skTemplate: 'order#{id}' } }),
  ],
];

for (const [what, body] of badDefinitions) {
  test(`a definition with ${what} is refused, and nothing is stored`, async () => {
    const org = await signUp(gateways);
    assertRefusal(await manage(org, 'POST', '/api/create-order', { body }), [400]);
    assert.deepEqual(await entityNames(org), []);
  });
}

test('templates that could yield the keys of another entity are refused', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('order', [title]));
  const baseKeys = { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' };
  const body = { ...definition('invoice', [title]), baseKeys };
  assertRefusal(await manage(org, 'POST', '/api/create-invoice', { body }), [400, 409]);
  assert.deepEqual(await entityNames(org), ['order']);
});

test('a definition with several mistakes names them all', async () => {
  const org = await signUp(gateways);
  const body = order([{ name: 'a b', colType: 'string' }, title, { name: 'state', colType: 'text' }]);
  const problem = assertRefusal(await manage(org, 'POST', '/api/create-order', { body }), [400]);
  assert.deepEqual(pointers(problem), ['/UpdateParams/0/name', '/UpdateParams/2/colType']);
});

test('lengths without `validate` are kept, not enforced, and the reply warns of it', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const reply = await defineEntity(org, definition('order', [{ ...title, maxlength: 3 }]));
  assert.match(JSON.stringify(reply.body.warnings), /title/);
  await create(founder, 'order', { title: 'longer than three' });
});

test('an entity of one org is no entity of another', async () => {
  const { org } = await foundedOrg(gateways);
  const other = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [title]));
  assert.deepEqual(await entityNames(other.org), []);
  assertProblem(await act(other.founder, 'GET', '/list/order'), 'not_found');
  assertProblem(await manage(other.org, 'DELETE', '/api/entity?entityname=order'), 'not_found');
  assert.deepEqual(await entityNames(org), ['order']);
});
