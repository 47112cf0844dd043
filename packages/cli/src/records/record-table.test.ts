import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupRows } from './record-table.ts';

test('the group of an empty text differs from that of records without a value', () => {
  const items = ['', null, 'open'].map((status) => ({ group: { status }, values: { count: 1 } }));
  assert.deepEqual(groupRows(items), {
    header: ['status', 'count'],
    rows: [
      ['""', '1'],
      ['', '1'],
      ['open', '1'],
    ],
  });
});
