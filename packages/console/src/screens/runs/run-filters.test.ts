import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginOf, readRunFilters } from './run-filters.ts';

const none = { block: undefined, state: undefined, trigger: undefined, since: undefined };

test('filters are read from the address, and what is none is left out', () => {
  const filters = { block: 'nightly', state: 'failed', trigger: 'schedule', since: '7d' };
  assert.deepEqual(readRunFilters(filters), filters);
  assert.deepEqual(readRunFilters({ block: '', state: 'x', trigger: 1, since: 'toString' }), none);
  assert.deepEqual(readRunFilters({ block: {}, state: ['failed'] }), none);
});

test('a period begins so long before now', () => {
  const now = Date.parse('2026-11-26T12:00:00.000Z');
  assert.equal(beginOf('1h', now), '2026-11-26T11:00:00.000Z');
  assert.equal(beginOf('7d', now), '2026-11-19T12:00:00.000Z');
  assert.equal(beginOf(undefined, now), undefined);
});
