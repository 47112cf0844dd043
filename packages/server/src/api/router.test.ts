import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { thinned } from '../store/testing/quick.ts';
import { createRouter, type Method } from './router.ts';

const route = (method: Method, path: string) => ({ method, path });
const routes = [
  route('GET', '/'),
  route('GET', '/api/entities'),
  route('GET', '/api/entity'),
  route('DELETE', '/api/entity'),
  route('GET', '/api/entity/endpoints'),
  route('POST', '/api/:apiname'),
  route('GET', '/app/:org/list/:entity'),
  route('GET', '/app/:org/item/:entity/:id'),
];
const router = createRouter(routes);

function found(method: string, path: string): unknown {
  try {
    const { route, params } = router.match(method, path);
    return [route.path, params];
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.code === 'method_not_allowed' ? error.details.allow : error.code;
  }
}

const matches: readonly (readonly [method: string, path: string, outcome: unknown])[] = [
  ['GET', '/', ['/', {}]],
  ['GET', '/api/entities', ['/api/entities', {}]],
  ['GET', '/api/entity/endpoints', ['/api/entity/endpoints', {}]],
  ['POST', '/api/create-order', ['/api/:apiname', { apiname: 'create-order' }]],
  ['GET', '/app/acme/list/order', ['/app/:org/list/:entity', { org: 'acme', entity: 'order' }]],
  ['GET', '/app/list/item/item/x', ['/app/:org/item/:entity/:id', { org: 'list', entity: 'item', id: 'x' }]],
  ['GET', '/app/__proto__/list/constructor', ['/app/:org/list/:entity', { org: '__proto__', entity: 'constructor' }]],
  ['POST', '/api/entity', ['/api/:apiname', { apiname: 'entity' }]],
  ['POST', '/api/entities', ['/api/:apiname', { apiname: 'entities' }]],
  ['PUT', '/api/entity', 'GET, HEAD, DELETE, POST'],
  ['HEAD', '/api/entities', ['/api/entities', {}]],
  ['HEAD', '/app/acme/list/order', ['/app/:org/list/:entity', { org: 'acme', entity: 'order' }]],
  ['HEAD', '/api/create-order', 'POST'],
  ['HEAD', '/constructor', 'not_found'],
  ['GET', '/api/create-order', 'POST'],
  ['get', '/api/entities', 'GET, HEAD, POST'],
  ['__proto__', '/api/entities', 'GET, HEAD, POST'],
  ['GET', '/api', 'not_found'],
  ['GET', '/api/entity/endpoints/x', 'not_found'],
  ['GET', '/app/acme/list', 'not_found'],
  ['GET', '/app/acme/list/order/x', 'not_found'],
  ['GET', '/API/entities', 'not_found'],
  ['GET', '/constructor', 'not_found'],
];

for (const [method, path, outcome] of matches)
  test(`${method} ${path} is ${JSON.stringify(outcome)}`, () => {
    assert.deepEqual(found(method, path), outcome);
  });

test('a table in which two routes answer one request, or one place has two names, is refused', () => {
  assert.throws(() => createRouter([route('GET', '/a/:x'), route('GET', '/a/:x')]), TypeError);
  assert.throws(() => createRouter([route('GET', '/a/:x'), route('PUT', '/a/:y')]), TypeError);
});

test('a path matches a route exactly when each segment is the pattern’s own or stands for its name', () => {
  const segment = fc.constantFrom('api', 'app', 'acme', 'list', 'item', 'entity', 'entities', 'order', 'x');
  const property = fc.property(fc.constantFrom('GET', 'POST', 'DELETE'), fc.array(segment), (method, segments) => {
    const path = `/${segments.join('/')}`;
    const fits = routes.filter((one) => one.method === method && fitsPattern(one.path, path));
    const literal = fits.find((one) => !one.path.includes(':')) ?? fits[0];
    const outcome = found(method, path);
    assert.equal(Array.isArray(outcome) ? outcome[0] : undefined, literal?.path);
  });
  fc.assert(property, { numRuns: thinned(2000) });
});

function fitsPattern(pattern: string, path: string): boolean {
  const [own, given] = [pattern.split('/'), path.split('/')];
  return own.length === given.length && own.every((part, index) => part.startsWith(':') || part === given[index]);
}
