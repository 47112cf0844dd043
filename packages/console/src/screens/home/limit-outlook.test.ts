import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOutlook } from './limit-outlook.ts';

test('a limit that is reached is told as reached, whatever is forecast, and before it the day is', () => {
  const reached = 'The limit is reached: the app refuses writes.';
  for (const used of [100, 101])
    for (const forecast of ['2026-01-31', null])
      assert.equal(limitOutlook({ used, limit: 100, forecast }), reached, `${used}, ${forecast}`);
  assert.equal(limitOutlook({ used: 0, limit: 0, forecast: '2026-01-31' }), reached);
  const ahead = limitOutlook({ used: 99, limit: 100, forecast: '2026-01-31' });
  assert.equal(ahead, 'At this rate the limit is reached on 2026-01-31.');
  assert.equal(limitOutlook({ used: 99, limit: 100, forecast: null }), undefined);
});
