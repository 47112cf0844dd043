import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleReplyOf, exampleTextOf } from './example.ts';
import { callExamples } from './examples.ts';
import {
  boundsOf,
  type OpenapiDocument,
  type Operation,
  operationsOf,
  repliesOf,
  type Schema,
  typeOf,
} from './openapi.ts';
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
  const listed = repliesOf(document, update).map(({ status, codes, headers }) => [status, codes, headers]);
  assert.deepEqual(listed, [
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

const json = (schema: Schema, example?: unknown) => ({
  content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
});

test('a body begins with the example of the document', () => {
  assert.ok(update !== undefined);
  const requestBody = { required: true, ...json({ type: 'object', required: ['title'] }, { amount: 5 }) };
  assert.deepEqual(JSON.parse(exampleTextOf(document, { ...update, requestBody })), { amount: 5 });
});

test('where the document has no example, a body begins with what is required', () => {
  assert.ok(update !== undefined);
  const properties: Readonly<Record<string, Schema>> = {
    title: { type: 'string', minLength: 6 },
    customer_id: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
    amount: { type: 'integer', minimum: 5 },
    status: { type: 'string', enum: ['open', 'paid'] },
  };
  const schema = { type: 'object', properties, required: ['title', 'amount', 'status'] };
  const requestBody = { required: true, ...json(schema) };
  assert.deepEqual(JSON.parse(exampleTextOf(document, { ...update, requestBody })), {
    title: 'textxx',
    amount: 5,
    status: 'open',
  });
});

test('the example of a reply is that of a plain call that succeeds', () => {
  assert.ok(update !== undefined);
  const reply = (example?: unknown) => ({ description: '', ...(example === undefined ? {} : json({}, example)) });
  const shown = (responses: Operation['responses']) => exampleReplyOf(document, { ...update, responses });
  const [job, record] = [reply({ state: 'waiting' }), reply({ id: 1 })];
  assert.deepEqual(shown({ 200: reply({ dry: true }), 201: record, 202: job }), { status: 201, value: { id: 1 } });
  assert.deepEqual(shown({ 200: record, 202: job, 304: reply() }), { status: 200, value: { id: 1 } });
  assert.deepEqual(shown({ 202: job }), { status: 202, value: { state: 'waiting' } });
  assert.equal(shown({ 202: job, 204: reply() }), undefined);
});

test('a call has the values that its reply names', () => {
  const read: Operation = {
    ...(update ?? assert.fail()),
    method: 'GET',
    path: '/config/{name}/{kid}',
    parameters: ['name', 'kid'].map((name) => ({ name, in: 'path', required: true, description: '', schema: {} })),
    responses: { 200: { description: '', ...json({}, { name: 'greet' }) } },
  };
  const [curl] = callExamples({ document, operation: read, url: 'http://a.example' });
  assert.match(curl?.text ?? '', /'http:\/\/a\.example\/config\/greet\/key-1'/);
});
