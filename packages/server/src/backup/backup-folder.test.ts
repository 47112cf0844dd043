import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackupFacts, TestFacts } from './backup-facts.ts';
import { expiredBackups, expiredFailures, lastOfSchedule } from './backup-folder.ts';

/** Day 1 is the oldest. */
function of(day: number, result: TestFacts['result'] | 'untested', more: Partial<BackupFacts> = {}): BackupFacts {
  const begun_at = new Date(Date.UTC(2026, 0, day)).toISOString();
  const tested = result === 'untested' ? {} : { test: { result, at: begun_at } };
  return { name: `${day}.backup`, platform: 'p', made_by: 'schedule', begun_at, state: 'complete', ...tested, ...more };
}

const daysOf = (facts: readonly BackupFacts[]) => facts.map(({ name }) => Number.parseInt(name, 10));

test('the latest ones whose test passed are kept, and what is older expires', () => {
  const all = [1, 2, 3, 4, 5].map((day) => of(day, 'passed'));
  assert.deepEqual(daysOf(expiredBackups(all, 2)), [3, 2, 1]);
  assert.deepEqual(daysOf(expiredBackups(all.toReversed(), 4)), [1]);
  for (const keep of [5, 6, 999]) assert.deepEqual(expiredBackups(all, keep), []);
});

test('one whose test did not pass replaces none, and goes with those of its age', () => {
  const all = [
    of(1, 'passed'),
    of(2, 'passed'),
    of(3, 'drifted'),
    of(4, 'failed'),
    of(5, 'unverified'),
    of(6, 'running'),
    of(7, 'untested'),
  ];
  assert.deepEqual(daysOf(expiredBackups(all, 2)), []);
  assert.deepEqual(daysOf(expiredBackups(all, 1)), [1]);
  assert.deepEqual(daysOf(expiredBackups([...all, of(8, 'passed')], 1)), [7, 6, 5, 4, 3, 2, 1]);
});

test('what the operator or a person has made, and what is no complete backup, neither expires nor counts', () => {
  const others = [
    of(1, 'passed', { made_by: 'operator' }),
    of(2, 'passed', { made_by: null }),
    of(3, 'untested', { state: 'failed' }),
    of(4, 'untested', { state: 'running' }),
  ];
  assert.deepEqual(expiredBackups([...others, of(5, 'passed')], 1), []);
  assert.deepEqual(daysOf(expiredBackups([...others, of(0, 'passed'), of(9, 'passed')], 1)), [0]);
});

test('of failed ones the last twenty are kept, and the last of the schedule is known whatever became of it', () => {
  const failed = Array.from({ length: 23 }, (_, index) => of(index + 1, 'untested', { state: 'failed' }));
  assert.deepEqual(daysOf(expiredFailures([...failed, of(30, 'passed')])), [3, 2, 1]);
  assert.deepEqual(
    lastOfSchedule([of(1, 'passed'), ...failed, of(31, 'passed', { made_by: 'operator' })])?.name,
    '23.backup',
  );
  assert.equal(lastOfSchedule([of(1, 'passed', { made_by: null })]), undefined);
});
