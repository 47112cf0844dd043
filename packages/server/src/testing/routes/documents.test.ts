import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { appDocument } from '../../gateway/openapi/app-document.ts';
import { type Document, entities, sampleDocuments } from '../../gateway/openapi/testing/sample-documents.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { Problem } from '../../lib/problem.ts';
import { servedRoutes } from '../served-routes.ts';

const { app, bareManagement, management, summary } = await sampleDocuments();

for (const [name, document] of Object.entries({ management, app, summary })) {
  test(`the ${name} document is valid OpenAPI 3.1`, async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...document });
    assert.ok(valid, JSON.stringify(errors, undefined, 2));
    assert.equal(validator.version, '3.1');
  });

  test(`every schema of the ${name} document is one, and its references lead to others`, () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
    addFormats.default(ajv);
    ajv.addVocabulary(Object.keys(document));
    ajv.addSchema(document, 'document', false, false);
    const pointers = schemaPointers(document);
    assert.ok(pointers.length > 50, String(pointers.length));
    for (const pointer of pointers) assert.ok(ajv.compile({ $ref: `document#${encodeURI(pointer)}` }), pointer);
  });

  test(`the ${name} document refers to each of its components, and to nothing else`, () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g);
    const { securitySchemes: _, ...components } = document.components;
    const names = Object.entries(components).flatMap(([kind, ofKind]) =>
      Object.keys(ofKind).map((key) => `${kind}/${key}`),
    );
    assert.deepEqual([...new Set(Array.from(references, ([, path]) => path))].sort(), names.sort());
  });

  test(`summaries and titles of the ${name} document have at most sixty characters`, () => {
    const long = valuesUnder(document, ['summary', 'title']).filter(({ value }) => [...value].length > 60);
    assert.deepEqual(long, []);
  });

  test(`no member of the ${name} document is required that has a default`, () => {
    assert.deepEqual(requiredDefaults(document), []);
  });

  test(`patterns of the ${name} document are read by expressions of every language`, () => {
    const patterns = valuesUnder(document, ['pattern']);
    assert.ok(patterns.length > 20, String(patterns.length));
    for (const { value, pointer } of patterns) {
      assert.doesNotMatch(value, /\(\?(?:[=!]|<[=!])|\\[pP]/, pointer);
      RE2JS.compile(value);
    }
  });

  test(`no two operations or schemas of the ${name} document have one name in the code of a generator`, () => {
    const { schemas = {} } = document.components;
    const names = [...operationsOf(document).map(({ operationId }) => operationId), ...Object.keys(schemas)];
    const byCode = Map.groupBy(names, (name) => inPascalCase(name).toLowerCase());
    assert.deepEqual(
      [...byCode.values()].filter((same) => same.length > 1),
      [],
    );
  });
}

test('each end of a range of time is a time or a day, but for that of usage, which is counted by days', () => {
  // Mails of development are found by their recipient.
  const { '/inbox': _, ...paths } = management.paths;
  const ends = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({ parameters = [] }) =>
      parameters
        .filter(({ name }) => ['from', 'to', 'since', 'until'].includes(name))
        .map(({ schema }) => [path, schema]),
    ),
  );
  assert.ok(ends.length > 8, String(ends.length));
  const timeOrDay = {
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
    ],
  };
  for (const [path, schema] of ends)
    assert.deepEqual(schema, path === '/observability/export' ? { type: 'string', format: 'date' } : timeOrDay);
});

test('the document of a platform in production leaves out the routes of development and of the operator', () => {
  const known = routesOf(bareManagement);
  const others = routesOf(management).filter((route) => !known.includes(route) && !route.includes(' /platform/'));
  assert.deepEqual(others, ['GET /inbox', 'GET /metrics', 'POST /auth/sign-in-by-link', 'POST /auth/sign-in-links']);
});

/** As generators write the names of types. */
function inPascalCase(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The parameter `view` of operations of an entity, and the schemas that their replies refer to. */
function viewsOf(document: Document, entity = 'Order'): Readonly<Record<string, unknown>> {
  const shown = operationsOf(document).flatMap(({ operationId, operation }) => {
    const { parameters = [], responses } = operation;
    const view = parameters.find(({ name }) => name === 'view');
    if (view === undefined || /[A-Z].*/.exec(operationId)?.[0] !== entity) return [];
    const { 200: ok, 201: made } = responses;
    const references = JSON.stringify((ok ?? made)?.content).matchAll(/schemas\/(\w+)/g);
    return [[operationId, [view.schema.enum, view.required ?? false, Array.from(references, ([, name]) => name)]]];
  });
  return Object.fromEntries(shown);
}

test('replies show records by one view, which is the value of `view`', () => {
  const described = (view: string, isNeeded: boolean, record: string, page: string) => ({
    createOrder: [[view], isNeeded, [record]],
    getOrder: [[view], isNeeded, [record]],
    updateOrder: [[view], isNeeded, [record]],
    listOrder: [[view], isNeeded, [page]],
    exportOrder: [[view], isNeeded, [record]],
  });
  assert.deepEqual(viewsOf(app), described('default', false, 'Order', 'OrderPage'));
  assert.deepEqual(viewsOf(summary), described('summary', true, 'OrderSummary', 'OrderPage'));
  assert.deepEqual(viewsOf(summary, 'CreateOrder'), viewsOf(app, 'CreateOrder'));
  const items = (document: Document) =>
    (document.components.schemas as Record<string, { properties: Record<string, object> }>).OrderPage?.properties.items;
  assert.deepEqual(
    [app, summary].map(items),
    ['Order', 'OrderSummary'].map((name) => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } })),
  );
});

test('a document by a view that no entity has is refused', async () => {
  const pieces = appDocument({ orgCode: 'acme', env: 'test', version: 7, entities, view: 'unheard_of' });
  await assert.rejects(pieces.next(), ({ code, details: { errors } }: Problem) => {
    assert.deepEqual([code, errors?.map(({ pointer }) => pointer)], ['invalid_request', ['/view']]);
    return true;
  });
});

test('the management document tells of every route there is, and of no other', () => {
  const routes = servedRoutes.management.map(({ method, path }) => describe(method, path));
  assert.deepEqual(routesOf(management), routes.sort());
});

test('the app document tells of every route that the org has, for every entity, and of no other', () => {
  const routes = servedRoutes.app.flatMap(({ method, path }) => {
    const route = describe(method, path.replace(':org', 'acme'));
    if (!route.includes('{entity}')) return [route];
    // A member is made by signing in, so no call that creates one succeeds.
    const isCreate = /\/(?:create|import)\/\{entity\}$/.test(route);
    const ofRoute = entities.filter(({ name }) => !isCreate || name !== 'user');
    return ofRoute.map(({ name }) => route.replace('{entity}', name));
  });
  assert.deepEqual(routesOf(app), routes.sort());
});

function describe(method: string, path: string): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

function routesOf(document: Document): readonly string[] {
  return operationsOf(document)
    .map(({ route }) => route)
    .sort();
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operationId: operation.operationId,
      operation,
    })),
  );
}

/** The texts of members of these names, where they are no names of members themselves. */
function valuesUnder(
  value: unknown,
  names: readonly string[],
  pointer = '',
): readonly { value: string; pointer: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const at = pointer + pointerTo(key);
    return names.includes(key) && typeof member === 'string'
      ? [{ value: member, pointer: at }]
      : valuesUnder(member, names, at);
  });
}

/** Members that a schema requires and that have a default, and parameters. */
function requiredDefaults(value: unknown, pointer = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { required, properties, schema } = value as SchemaParts;
  const members = Array.isArray(required) ? required.filter((name) => hasDefault(properties?.[name])) : [];
  const isParameter = required === true && hasDefault(schema);
  const within = Object.entries(value).flatMap(([key, member]) => requiredDefaults(member, pointer + pointerTo(key)));
  return [...members.map((name) => pointer + pointerTo(name)), ...(isParameter ? [pointer] : []), ...within];
}

interface SchemaParts {
  readonly required?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly schema?: unknown;
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}

/** Where schemas stand: the named ones, and each that something has as its `schema`. */
function schemaPointers(value: unknown, pointer = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const at = pointer + pointerTo(key);
    const isSchema = key === 'schema' || pointer === '/components/schemas';
    return isSchema ? [at] : schemaPointers(member, at);
  });
}
