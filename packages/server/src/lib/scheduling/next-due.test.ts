import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cronMistake, latestDue, nextDue } from './next-due.ts';

function times(cron: string, timezone: string, after: string, count: number): readonly (string | undefined)[] {
  const due: string[] = [];
  for (let at = nextDue({ cron, timezone }, Date.parse(after)); due.length < count; ) {
    if (at === undefined) break;
    due.push(new Date(at).toISOString().slice(0, 16));
    at = nextDue({ cron, timezone }, at);
  }
  return due;
}

test('a time that a clock skips in spring is due once it has skipped it', () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ]);
  assert.deepEqual(times('0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 1), ['2026-03-29T01:00']);
});

test('a time that a clock shows twice in autumn is due the first time', () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  // From within the second showing on, nothing is due until it is over.
  for (const minute of ['00', '07', '31', '59'])
    assert.deepEqual(times('*/30 * * * *', 'Europe/Berlin', `2026-10-25T01:${minute}:00Z`, 2), [
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
});

test('a day of the month and a weekday are due on either, as everywhere in cron', () => {
  assert.deepEqual(times('0 0 13 * 5', 'UTC', '2026-02-01T00:00:00Z', 3), [
    '2026-02-06T00:00',
    '2026-02-13T00:00',
    '2026-02-20T00:00',
  ]);
});

test('what is no pattern of five fields, never comes, or is in no time zone is a mistake', () => {
  const wrong = ['', '* * * *', '* * * * * *', '@daily', '* * * * * 2030', '0 0 L * *', '0 0 * * 5#2', '0 0 15W * *'];
  const never = ['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *', '* * 31 2,4,6,9,11 *'];
  const outside = [
    '60 * * * *',
    '* 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * * 8',
    '*/0 * * * *',
    '0 0 * xyz *',
    '5-1 * * * *',
  ];
  for (const cron of never) assert.match(cronMistake({ cron, timezone: 'UTC' })?.message ?? '', /^no time fits/, cron);
  for (const cron of [...wrong, ...never, ...outside, `${'1,'.repeat(40)}1 * * * x`])
    assert.equal(cronMistake({ cron, timezone: 'UTC' })?.member, 'cron', cron);
  for (const timezone of ['', 'Europe/Nowhere', '+01:00', '../UTC', 'Europe/Berlin '])
    assert.equal(cronMistake({ cron: '* * * * *', timezone })?.member, 'timezone', timezone);
  for (const cron of ['* * * * *', '0 0 29 2 *', '*/15 8-18 * * mon-fri', '0 9 1,15 JAN,jul *', '0 0 * * 7'])
    assert.equal(cronMistake({ cron, timezone: 'America/New_York' }), undefined, cron);
});

test('the next due time is later, is none too late, and follows from each moment before it', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
  const crons = ['* * * * *', '*/30 * * * *', '30 2 * * *', '0 0 1 * *', '15 */2 * * 0'];
  const year = Date.UTC(2026, 0, 1);
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...crons),
      fc.nat(365 * 86_400),
      (timezone, cron, seconds) => {
        const after = year + seconds * 1000;
        const next = nextDue({ cron, timezone }, after) ?? assert.fail('none is due');
        assert.ok(next > after && next % 60_000 === 0);
        const before = nextDue({ cron, timezone }, next - 1);
        assert.equal(before, next);
      },
    ),
    { numRuns: 100 },
  );
});

test('the latest due time is the last that the next ones come to', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('*/7 * * * *', '0 * * * *', '30 2 * * 1-5'),
      fc.integer({ min: 1, max: 1500 }),
      (cron, minutes) => {
        const time = { cron, timezone: 'Europe/Berlin' };
        const first = nextDue(time, Date.UTC(2026, 9, 23)) ?? assert.fail('none is due');
        const now = first + minutes * 60_000;
        let latest = first;
        for (let next = nextDue(time, first); next !== undefined && next <= now; next = nextDue(time, next))
          latest = next;
        assert.equal(latestDue(time, first, now), latest);
      },
    ),
    { numRuns: 6 },
  );
});
