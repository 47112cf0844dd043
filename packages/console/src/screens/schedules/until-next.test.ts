import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilNext } from './until-next.ts';

const now = Date.parse('2026-11-27T06:00:00.000Z');
const due = (at: string, paused = false) => ({ next: [at, '2027-01-01T00:00:00.000Z'], paused });

test('schedules are read again a moment after the first of their next times', () => {
  assert.equal(untilNext([due('2026-11-27T06:05:00.000Z'), due('2026-11-27T06:01:00.000Z')], now), 62_000);
  assert.equal(untilNext([due('2026-11-27T05:00:00.000Z')], now), 5000, 'not without a pause');
  assert.equal(untilNext([due('2026-12-27T05:00:00.000Z')], now), 3_600_000, 'no longer than a timer holds');
  assert.equal(untilNext([due('2026-11-27T06:01:00.000Z', true), { next: [], paused: false }], now), false);
  assert.equal(untilNext([], now), false);
});
