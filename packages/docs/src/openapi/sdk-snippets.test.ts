import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from './openapi.ts';
import { sdkOf } from './sdk-snippets.ts';

const gateway = 'http://127.0.0.1:4000';
const json = { required: true, content: { 'application/json': { schema: {} } } };
const parameter = (place: 'path' | 'query' | 'header', name: string) =>
  ({ name, in: place, description: '', schema: {} }) as const;

function operation(method: Operation['method'], path: string, more: Partial<Operation> = {}): Operation {
  const base = { operationId: 'x', tag: '', summary: '', description: '', parameters: [], takesToken: true };
  return { ...base, method, path, responses: { 200: {} }, ...more };
}

function lastLineOf(call: Operation, values: Readonly<Record<string, string>> = {}, text = ''): string {
  const program = sdkOf({ operation: call, filled: { values, text }, gateway, clientId: 'c' }) ?? '';
  return program.split('\n').find((line) => /await (app\.(?!signIn)|management\.)/.test(line)) ?? '';
}

/** The call alone, which may have several lines. */
function callOf(operation: Operation, text: string): string {
  const program = sdkOf({ operation, filled: { values: {}, text }, gateway }) ?? '';
  return program.slice(program.indexOf('app.entity('), program.indexOf('\nconsole.log'));
}

const query = ['amount', 'amount_op', 'status', 'sortby', 'sortdir', 'pagesize', 'expand', '$view', '$filter'];
const list = operation('GET', '/app/acme/list/order', { parameters: query.map((name) => parameter('query', name)) });

test('a list has its conditions, sort and page size by the names of the client', () => {
  const values = {
    'query amount': '3',
    'query amount_op': 'gt',
    'query status': 'open',
    'query sortby': 'amount',
    'query sortdir': 'desc',
    'query pagesize': '20',
    'query expand': 'customer,items',
    'query $view': 'compact',
  };
  assert.equal(
    lastLineOf(list, values),
    "const result = await app.entity('order').list({ where: { amount: { gt: 3 }, status: 'open' }, sort: '-amount', pageSize: 20, expand: ['customer', 'items'], view: 'compact' });",
  );
});

test('what the client has no name for is sent as it stands', () => {
  assert.equal(
    lastLineOf(list, { 'query status': 'a,b' }),
    "const result = await app.request('GET', '/list/order', { query: { status: 'a,b' } });",
  );
});

test('records are read, made, changed and deleted by id and body', () => {
  const id = [parameter('path', 'id'), parameter('header', 'If-Match')];
  const values = { 'path id': 'i1', 'header If-Match': '"3"' };
  const of = (action: string) => `/app/acme/${action}/order/{id}`;
  const body = { parameters: id, requestBody: json };
  const gone = { 204: {} };
  assert.match(
    lastLineOf(operation('GET', of('item'), { parameters: id }), { 'path id': 'i1' }),
    /order'\)\.get\('i1'\);$/,
  );
  assert.match(
    lastLineOf(operation('PUT', of('update'), body), values, '{"title": null}'),
    /\.update\('i1', \{ title: null \}, \{ ifMatch: '"3"' \}\);$/,
  );
  assert.equal(
    lastLineOf(operation('DELETE', of('delete'), { parameters: id, responses: gone }), { 'path id': 'i1' }),
    "await app.entity('order').delete('i1');",
  );
  const create = operation('POST', '/app/acme/create/order', { requestBody: json });
  assert.match(lastLineOf(create, {}, '{"a b": ["x", 1, true]}'), /\.create\(\{ 'a b': \['x', 1, true\] \}\);$/);
});

test('another route of the app is a request, and one of the management API a call by its name', () => {
  const batch = operation('POST', '/app/acme/batch', { requestBody: json });
  assert.equal(
    lastLineOf(batch, {}, '{"mode":"atomic"}'),
    "const result = await app.request('POST', '/batch', { body: { mode: 'atomic' } });",
  );
  const entity = operation('GET', '/api/entities/{name}', {
    operationId: 'readEntity',
    parameters: [parameter('path', 'name')],
  });
  assert.equal(
    lastLineOf(entity, { 'path name': 'order' }),
    "const result = await management.call('readEntity', { params: { name: 'order' } });",
  );
});

test('a body that is too long for a line has its members on lines of their own', () => {
  const create = operation('POST', '/app/acme/create/order', { requestBody: json });
  const text = JSON.stringify({ title: 'Lamps for the hall', lines: [{ amount: 2 }, { note: 'x'.repeat(80) }] });
  assert.equal(
    callOf(create, text),
    `app.entity('order').create({
  title: 'Lamps for the hall',
  lines: [
    { amount: 2 },
    {
      note: '${'x'.repeat(80)}',
    },
  ],
});`,
  );
});

test('there is no program for a route without a token, and for a body that is no JSON', () => {
  const file = { required: true, content: { 'text/csv': { schema: {} } } };
  for (const one of [
    operation('POST', '/app/acme/login', { takesToken: false, requestBody: json }),
    operation('POST', '/app/acme/import/order', { requestBody: file }),
  ])
    assert.equal(sdkOf({ operation: one, filled: { values: {}, text: '' }, gateway }), undefined);
});

test('whatever is filled in stays within its text', () => {
  const hostile = `'); process.exit(1); // \\ " \u2028 \${x} \``;
  const create = operation('POST', '/app/acme/create/order', { requestBody: json });
  const line = callOf(create, JSON.stringify({ title: hostile, __proto__x: 1 }));
  const sent: unknown[] = [];
  const app = { entity: () => ({ create: (data: unknown) => sent.push(data) }) };
  new Function('app', line)(app);
  assert.deepEqual(sent, [{ title: hostile, __proto__x: 1 }]);
  assert.match(lastLineOf(create, {}, 'no json'), /\.create\('no json'\);$/);
});
