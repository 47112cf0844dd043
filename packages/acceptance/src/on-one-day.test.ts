import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneDay } from './on-one-day.ts';

test('a test that fails is done again if a day has ended meanwhile, and only then', async (t) => {
  const midnight = Date.parse('2027-01-01T00:00:00Z');
  for (const [before, after, times] of [
    [midnight - 1, midnight, 2],
    [midnight, midnight + 1, 1],
  ] as const) {
    let now: number = before;
    let done = 0;
    const body = async () => {
      done += 1;
      now = after;
      if (done === 1) assert.fail('counted wrong');
    };
    const doing = onOneDay(body, () => now)(t);
    if (times === 2) await doing;
    else await assert.rejects(doing, /counted wrong/);
    assert.equal(done, times);
  }
});
