import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from './counted.ts';

test('one is singular, and all other numbers are plural', () => {
  assert.equal(counted(1, 'run'), '1 run');
  assert.deepEqual(
    [0, 2, 0.5, 1200].map((count) => counted(count, 'run')),
    ['0 runs', '2 runs', '0.5 runs', '1,200 runs'],
  );
  assert.deepEqual(
    [1, 2].map((count) => counted(count, 'item differs', 'items differ')),
    ['1 item differs', '2 items differ'],
  );
});
