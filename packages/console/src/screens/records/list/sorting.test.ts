import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column, Kind } from './columns.ts';
import { nextSort, ordersOfIndexes, whyUnsorted } from './sorting.ts';

const entity = {
  indexes: [
    { name: 'status', kind: 'field', state: 'ready' },
    { name: 'minutes', kind: 'field', state: 'building' },
    { name: 'team,-number', kind: 'compound', state: 'ready' },
    { name: 'subject', kind: 'search', state: 'ready' },
  ],
} as const;

const column = (field: string, kind: Kind = 'text'): Column => ({ name: field, field, kind });

test('a list is sorted by what an index has in order, and by nothing else', () => {
  const isSorted = (field: string, kind?: Kind) => whyUnsorted(entity, column(field, kind), []) === undefined;
  assert.deepEqual(
    ['id', 'created_at', 'updated_at', 'status'].map((field) => isSorted(field)),
    [true, true, true, true],
  );
  assert.deepEqual(
    ['minutes', 'number', 'team', 'subject', 'version'].map((field) => isSorted(field)),
    [...[false, false, false, false, false]],
  );
  assert.equal(isSorted('status', 'list'), false);
});

test('a compound index serves what conditions leave of it', () => {
  const fixed = [{ field: 'team', operator: 'eq', value: 'support' }];
  assert.equal(whyUnsorted(entity, column('number'), fixed), undefined);
  assert.notEqual(
    whyUnsorted(entity, column('number'), [{ field: 'team', operator: 'ne', value: 'support' }]),
    undefined,
  );
  assert.deepEqual(ordersOfIndexes(entity), ['team,-number', '-team,number']);
});

test('says which index is missing', () => {
  assert.match(whyUnsorted(entity, column('minutes'), [])?.why ?? '', /being built/);
  assert.match(whyUnsorted(entity, column('subject'), [])?.declare ?? '', /index/);
  assert.equal(whyUnsorted(entity, column('version'), [])?.declare, undefined);
});

test('a header turns the order, and then goes back to the newest first', () => {
  assert.deepEqual(
    [undefined, 'number', '-number', 'status'].map((sort) => nextSort(sort, 'number')),
    ['number', '-number', undefined, 'number'],
  );
});
