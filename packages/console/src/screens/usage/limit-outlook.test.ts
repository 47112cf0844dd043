import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOutlook } from './limit-outlook.ts';

test('a limit that is reached is told as reached, whatever is forecast, and before it the day is', () => {
  const reached = 'The limit is reached: the app refuses writes until 2026-02-01.';
  const resets = '2026-02-01T00:00:00.000Z';
  for (const used of [100, 101])
    for (const day of ['2026-01-31', null])
      assert.equal(limitOutlook(used, 100, { day, resets }), reached, `${used}, ${day}`);
  assert.equal(limitOutlook(0, 0, { day: '2026-01-31', resets }), reached);
  assert.match(limitOutlook(100, 100, { day: null, resets: null }) ?? '', /until records are removed\.$/);
  const ahead = limitOutlook(99, 100, { day: '2026-01-31', resets });
  assert.equal(ahead, 'At this rate the limit is reached on 2026-01-31.');
  assert.equal(limitOutlook(99, 100, { day: null, resets }), undefined);
});
