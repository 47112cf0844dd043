import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSort, ordersOfIndexes, whyUnsorted } from './sorting.ts';

test('a list is sorted by all that has an order, with an index or without one', () => {
  const shown = [
    ['created_at', 'datetime'],
    ['subject', 'text'],
    ['number', 'number'],
    ['version', 'number'],
    ['created_by', 'id'],
    ['tags', 'list'],
    ['notes', 'json'],
  ] as const;
  const sorted = shown.filter(([field, kind]) => whyUnsorted({ field, kind }) === undefined);
  assert.deepEqual(
    sorted.map(([field]) => field),
    ['created_at', 'subject', 'number'],
  );
});

test('orders by several fields are those of the indexes that are ready, and their reverse', () => {
  const indexes = [
    { name: 'team,-number', kind: 'compound', state: 'ready' },
    { name: 'team,status', kind: 'compound', state: 'building' },
    { name: 'status', kind: 'field', state: 'ready' },
  ] as const;
  assert.deepEqual(ordersOfIndexes({ indexes }), ['team,-number', '-team,number']);
});

test('a header turns the order, and then goes back to the newest first', () => {
  assert.deepEqual(
    [undefined, 'number', '-number', 'status'].map((sort) => nextSort(sort, 'number')),
    ['number', '-number', undefined, 'number'],
  );
});
