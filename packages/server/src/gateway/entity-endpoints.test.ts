import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCreate } from '../records/record.ts';
import { compileEntity } from '../schema/compile-entity.ts';
import type { FieldDefinition } from '../schema/definition.ts';
import { entityEndpoints } from './entity-endpoints.ts';

const fields: readonly FieldDefinition[] = [
  { name: 'id', colType: 'guid' },
  { name: 'title', validate: true, minlength: 8, maxlength: 9 },
  { name: 'amount', colType: 'number', validate: true, max: -5 },
  { name: 'state', colType: 'enum', enumValues: ['open', 'done'], validate: true, default: 'open' },
  { name: 'note' },
  { name: 'paid', colType: 'boolean', validate: true, required: false },
  { name: 'late', colType: 'number', validate: true, min: 3 },
];
const definition = { entityName: 'order', UpdateParams: fields };
const endpoints = entityEndpoints('acme', compileEntity(definition, 1));
const endpoint = (action: string) => {
  const found = endpoints.find((one) => one.action === action);
  assert.ok(found !== undefined);
  return found;
};

test('every route of an entity is shown, with the API it belongs to', () => {
  assert.deepEqual(
    endpoints.map(({ method, path, api }) => `${method} ${path} ${api}`),
    [
      'POST /app/acme/create/order create-order',
      'GET /app/acme/item/order/{id} get-order',
      'PUT /app/acme/update/order/{id} update-order',
      'DELETE /app/acme/delete/order/{id} delete-order',
      'GET /app/acme/list/order list-order',
      'GET /app/acme/count/order list-order',
      'GET /app/acme/aggregate/order list-order',
      'POST /app/acme/import/order create-order',
      'GET /app/acme/export/order list-order',
    ],
  );
});

test('the required fields of a create are shown as required, and no others', () => {
  const required = (action: string) =>
    endpoint(action)
      .params.filter((one) => one.required)
      .map((one) => one.name);
  assert.deepEqual(required('create'), ['title', 'amount', 'late']);
  assert.deepEqual(required('update'), ['id']);
  assert.deepEqual(required('list'), []);
});

test('views, owners and searches are shown if an entity has them', () => {
  const ownerIndex = { ownerFieldName: 'id', gpkTemplate: 'owner#{id}', gskTemplate: '{id}' };
  const namesOf = (action: string, change: object) =>
    entityEndpoints('acme', compileEntity({ ...definition, ...change }, 1))
      .find((one) => one.action === action)
      ?.params.map(({ name }) => name)
      .filter((name) => ['view', 'owner', 'all', 'q'].includes(name));
  assert.deepEqual(namesOf('list', {}), ['view']);
  assert.deepEqual(namesOf('count', { ownerIndexes: [ownerIndex] }), ['owner']);
  assert.deepEqual(namesOf('list', { ownerIndexes: [{ ...ownerIndex, scopeList: true }] }), ['owner', 'all', 'view']);
  assert.deepEqual(namesOf('count', { UpdateParams: [{ name: 'title', search: true }] }), ['q']);
  for (const action of ['create', 'get', 'update']) assert.deepEqual(namesOf(action, {}), ['view']);
  assert.deepEqual(namesOf('delete', {}), []);
});

test('fields that the platform sets are no parameters of a body', () => {
  for (const action of ['create', 'update'])
    assert.ok(!endpoint(action).params.some((one) => one.in === 'body' && one.name === 'id'));
});

test('the entity accepts the example of a create', () => {
  const sent = /-d '(.*)'$/.exec(endpoint('create').example)?.[1] ?? '';
  const read = readCreate(compileEntity(definition, 1), JSON.parse(sent));
  assert.ok('changes' in read, JSON.stringify(read));
});
