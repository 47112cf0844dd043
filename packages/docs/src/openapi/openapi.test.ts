import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleOf, exampleTextOf } from './example.ts';
import { boundsOf, type OpenapiDocument, operationsOf, repliesOf, type Schema, typeOf } from './openapi.ts';
import { headersOf, missingOf, targetOf } from './request.ts';

const refused = (...codes: readonly string[]) => ({
  description: 'Refused.',
  content: { 'application/problem+json': { schema: { allOf: [{}, { properties: { code: { enum: codes } } }] } } },
});
const document: OpenapiDocument = {
  tags: [{ name: 'order', description: 'Records of the entity `order`.' }],
  paths: {
    '/app/acme/update/order/{id}': {
      put: {
        operationId: 'updateOrder',
        tags: ['order'],
        summary: 'Updates',
        description: 'Updates.',
        parameters: [
          { name: 'id', in: 'path', required: true, description: 'The id.', schema: { type: 'string' } },
          { name: 'view', in: 'query', description: 'What is shown.', schema: { type: 'string' } },
          { name: 'If-Match', in: 'header', description: 'A tag.', schema: { type: 'string' } },
        ],
        responses: {
          200: { description: 'Updated.', headers: { ETag: {} }, content: { 'application/json': {} } },
          404: { $ref: '#/components/responses/not_found' },
        },
      },
    },
    '/healthz': {
      get: { operationId: 'health', tags: ['operation'], summary: '', description: '', security: [], responses: {} },
    },
  },
  components: {
    responses: { not_found: refused('not_found') },
    schemas: {
      Order: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Order' } } },
    },
  },
};
const [update, health] = operationsOf(document);

test('operations have their method, path and group, and say whether they take a token', () => {
  assert.ok(update !== undefined && health !== undefined);
  assert.deepEqual(
    [update.method, update.path, update.tag, update.takesToken],
    ['PUT', '/app/acme/update/order/{id}', 'order', true],
  );
  assert.equal(health.takesToken, false);
});

test('replies are resolved, with the codes of refusals', () => {
  assert.ok(update !== undefined);
  const told = repliesOf(document, update).map(({ status, codes, headers }) => [status, codes, headers]);
  assert.deepEqual(told, [
    [200, [], ['ETag']],
    [404, ['not_found'], []],
  ]);
});

test('a call has what was filled in at its place, encoded, and tells what it lacks', () => {
  assert.ok(update !== undefined);
  const empty = { values: {}, text: '' };
  assert.equal(targetOf(update, empty), '/app/acme/update/order/{id}');
  assert.equal(missingOf(update, empty), 'id');
  const filled = { values: { 'path id': 'a/b', 'query view': 'x&y', 'header If-Match': '"1"' }, text: '' };
  assert.equal(targetOf(update, filled), '/app/acme/update/order/a%2Fb?view=x%26y');
  assert.deepEqual(headersOf(update, filled), { 'If-Match': '"1"' });
  assert.equal(missingOf(update, filled), undefined);
});

const words: readonly (readonly [Schema, string, string])[] = [
  [{ type: 'string', maxLength: 120 }, 'string', 'at most 120 characters'],
  [{ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, 'integer', ''],
  [{ type: 'integer', minimum: 1, maximum: 200 }, 'integer', 'at least 1, at most 200'],
  [{ anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }, 'string, uuid or null', ''],
  [{ type: 'array', items: { $ref: '#/components/schemas/Order' } }, 'array of Order', ''],
  [{ enum: ['a', 'b'] }, '"a" or "b"', ''],
];
for (const [schema, type, bounds] of words)
  test(`a schema is told as ${type} ${bounds}`, () => {
    assert.deepEqual([typeOf(schema), boundsOf(schema)], [type, bounds]);
  });

test('an example has what is needed; where nothing is, a few plain members; and none that the platform makes', () => {
  const properties: Readonly<Record<string, Schema>> = {
    id: { type: 'string', format: 'uuid', readOnly: true },
    title: { type: 'string' },
    customer_id: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
    amount: { type: 'integer', minimum: 5 },
  };
  assert.deepEqual(exampleOf(document, { type: 'object', properties }), { title: 'text', amount: 5 });
  const needed = { type: 'object', properties, required: ['amount', 'id'] };
  assert.deepEqual(exampleOf(document, needed), { amount: 5 });
});

test('the example of an update leaves out what the platform makes, by what it answers', () => {
  assert.ok(update !== undefined);
  const members = { number: { type: 'integer' }, title: { type: 'string' } };
  const answered = { properties: { ...members, number: { type: 'integer', readOnly: true } } };
  const operation = {
    ...update,
    requestBody: { required: true, content: { 'application/json': { schema: { properties: members } } } },
    responses: { 200: { content: { 'application/json': { schema: { anyOf: [answered, {}] } } } } },
  };
  assert.deepEqual(JSON.parse(exampleTextOf(document, operation)), { title: 'text' });
});

test('an example of a schema that leads back to itself ends', () => {
  assert.deepEqual(exampleOf(document, { $ref: '#/components/schemas/Order' }), {
    next: { next: { next: { next: {} } } },
  });
});
