import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromLocalTime, localTime, readEventsSearch } from './delivery-search.ts';

test('an address gives what can be the state of a list, and nothing else', () => {
  const at = '2026-11-20T09:30:00.000Z';
  const whole = { tab: 'deliveries', event: 'tell', state: 'dead', since: at, until: at };
  assert.deepEqual(readEventsSearch({ ...whole, other: 1 }), whole);
  assert.deepEqual(readEventsSearch({ tab: 1, event: '', state: 'gone', since: 'yesterday', until: 5 }), {});
});

test('a time comes back from an input for local times to the minute, and what is no whole time is none', () => {
  const at = '2026-11-20T09:30:00.000Z';
  assert.equal(fromLocalTime(localTime(at)), at);
  assert.equal(localTime(undefined), '');
  for (const text of ['', '2026-11-', 'now']) assert.equal(fromLocalTime(text), undefined);
});
