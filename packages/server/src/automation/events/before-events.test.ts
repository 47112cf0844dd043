import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeBound } from './before-events.ts';

test('what is done before a write has 2 seconds for each event, and 10 for all writes of a request', () => {
  let now = 0;
  const clock = { now: () => now };
  const spent = { milliseconds: 0 };
  const taking = (milliseconds: number): void => {
    const bound = timeBound(clock, spent);
    now += milliseconds;
    try {
      bound.check();
    } finally {
      bound.end();
    }
  };
  for (let event = 0; event < 4; event += 1) taking(2000);
  const isOver = { code: 'block_failed', message: 'what is done before the write takes too long' };
  assert.throws(() => taking(2001), isOver);
  assert.equal(spent.milliseconds, 10_001);
  assert.throws(() => taking(0), isOver);
  spent.milliseconds = 9_000;
  taking(1000);
  assert.throws(() => taking(1), isOver);
});
