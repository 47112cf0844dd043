import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf, partsBetween, startOf, type TimeUnit } from './time-parts.ts';

test('parts between two are all of them, over the ends of months, quarters and years', () => {
  const between: readonly (readonly [TimeUnit, string, string, readonly string[]])[] = [
    ['day', '2028-02-28', '2028-03-01', ['2028-02-28', '2028-02-29', '2028-03-01']],
    ['month', '2026-11', '2027-02', ['2026-11', '2026-12', '2027-01', '2027-02']],
    ['quarter', '2026-Q3', '2027-Q1', ['2026-Q3', '2026-Q4', '2027-Q1']],
    ['year', '2025', '2027', ['2025', '2026', '2027']],
    // 2026 has 53 weeks, and the first of 2027 begins on January 4.
    ['week', '2026-W52', '2027-W02', ['2026-W52', '2026-W53', '2027-W01', '2027-W02']],
    // The first week of 2025 begins in 2024.
    ['week', '2024-W52', '2025-W01', ['2024-W52', '2025-W01']],
  ];
  for (const [unit, first, last, names] of between) assert.deepEqual(partsBetween(unit, first, last), names);
});

test('every part of four years begins where the one before it ends', () => {
  for (const unit of ['day', 'week', 'month', 'quarter', 'year'] as const) {
    const first = { day: '2024-01-01', week: '2024-W01', month: '2024-01', quarter: '2024-Q1', year: '2024' }[unit];
    const last = { day: '2026-12-31', week: '2026-W53', month: '2026-12', quarter: '2026-Q4', year: '2026' }[unit];
    const names = partsBetween(unit, first, last);
    for (const [at, name] of names.entries()) {
      const next = names[at + 1];
      if (next !== undefined) assert.equal(endOf(unit, startOf(unit, name)), startOf(unit, next), `${name}, ${next}`);
    }
    assert.equal(names.at(-1), last);
  }
});

test('a name of another unit, or none, begins nowhere, and an address makes no endless chart', () => {
  assert.ok(Number.isNaN(startOf('month', '2026-Q1')));
  assert.ok(Number.isNaN(startOf('day', '2026-03')));
  assert.ok(Number.isNaN(startOf('year', 'x')));
  assert.deepEqual(partsBetween('day', '', ''), []);
  assert.equal(partsBetween('day', '1000-01-01', '9999-01-01').length, 1_100);
});
