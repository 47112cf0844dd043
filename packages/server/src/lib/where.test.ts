import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedValue } from './where.ts';

const years = ['0000', '0004', '1900', '1996', '2000', '2023', '2024', '2100', '2400', '9999', '+02024', '024'];
const upTo = (last: number): readonly string[] =>
  Array.from({ length: last + 1 }, (_, at) => String(at).padStart(2, '0'));

test('a day is one of the calendar, and a time one of its day', () => {
  const counts = { days: 0, others: 0 };
  const check = (value: string, type: 'date' | 'datetime', whole: string): void => {
    const time = Date.parse(whole);
    const isOne = /^\d{4}-/.test(value) && !Number.isNaN(time) && new Date(time).toISOString() === whole;
    assert.equal(typedValue(value, type), isOne ? value : undefined, value);
    counts[isOne ? 'days' : 'others'] += 1;
  };
  for (const year of years)
    for (const month of upTo(13)) {
      for (const day of upTo(32)) {
        const date = `${year}-${month}-${day}`;
        check(date, 'date', `${date}T00:00:00.000Z`);
        check(`${date}T23:59:59.999Z`, 'datetime', `${date}T23:59:59.999Z`);
      }
    }
  for (const hour of upTo(25))
    for (const part of ['00', '59', '60']) {
      const time = `2026-11-23T${hour}:${part}:${part}.000Z`;
      check(time, 'datetime', time);
    }
  assert.ok(counts.days > 7000 && counts.others > 1000, JSON.stringify(counts));
});
