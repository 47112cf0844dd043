import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '@tanstack/react-query';
import { entityKey } from './record-keys.ts';
import type { Scope } from './scope.ts';

const scope: Scope = ['freehold', 'https://x', 'acme', 'c', 1, 'main', 'u1'];
const hash = (query: object) => hashKey(entityKey(scope, 'order', 'list', { query }));

test('a query with a condition without a value never finds what the cache holds of all records', () => {
  for (const query of [{ where: { customer_id: undefined } }, { owner: undefined }])
    for (const all of [{}, { where: {} }, { where: undefined }]) assert.notEqual(hash(query), hash(all));
  assert.notEqual(hash({ where: { a: 'x', b: undefined } }), hash({ where: { a: 'x' } }));
});

test('members that are left open choose no other entry of the cache', () => {
  assert.equal(hash({ sort: undefined, q: undefined, where: undefined }), hash({}));
  assert.equal(hash({ where: { a: { gt: 1 }, b: 'x' } }), hash({ where: { b: 'x', a: { gt: 1 } } }));
});
