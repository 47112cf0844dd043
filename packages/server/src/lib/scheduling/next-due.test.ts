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
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  assert.deepEqual(times('30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 3), [
    '2026-03-29T01:00',
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ]);
  assert.deepEqual(times('30 0 6 9 *', 'America/Santiago', '2026-09-01T00:00:00Z', 2), [
    '2026-09-06T04:00',
    '2027-09-06T03:30',
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

/** The minutes that are due in a time, by what the clock on a wall shows in each. */
function minutesDue(cron: string, timezone: string, from: number, to: number): readonly string[] {
  const format = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const wallAt = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  const shown = new Set<number>();
  const due: string[] = [];
  for (let at = from - 4 * hour; at <= to; at += minute) {
    const wall = wallAt(at);
    const isFirst = !shown.has(wall);
    shown.add(wall);
    const walls = [];
    for (let skipped = wallAt(at - minute) + minute; skipped < wall; skipped += minute) walls.push(skipped);
    const isDue = [...walls, ...(isFirst ? [wall] : [])].some((one) => isIn(cron, one));
    if (isDue && at > from) due.push(new Date(at).toISOString().slice(0, 16));
  }
  return due;
}

const minute = 60_000;
const hour = 60 * minute;

/** Whether the fields of a pattern have this minute; a pattern of the test has no day of the month beside a weekday. */
function isIn(cron: string, wall: number): boolean {
  const at = new Date(wall);
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = cron.split(' ');
  const fields: readonly (readonly [string, number])[] = [
    ...([
      [minutes, at.getUTCMinutes()],
      [hours, at.getUTCHours()],
      [days, at.getUTCDate()],
    ] as const),
    ...([
      [months, at.getUTCMonth() + 1],
      [weekdays, at.getUTCDay()],
    ] as const),
  ];
  return fields.every(([field, value]) =>
    field.split(',').some((one) => {
      const [range = '', step = '1'] = one.split('/');
      const [low = 0, high = range === '*' ? 59 : low] = range === '*' ? [] : range.split('-').map(Number);
      return value >= low && value <= high && (value - low) % Number(step) === 0;
    }),
  );
}

test('around the changes of a clock each minute is due or not by what the clock shows and skips', () => {
  const changes = [
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/New_York', '2026-03-08T07:00:00Z'],
    ['America/Santiago', '2026-09-06T04:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ] as const;
  const crons = [
    ...['30 2 * * *', '30 2,3 * * *', '*/15 2 * * *', '0,30 0-4 * * *', '*/30 * * * *', '0 2 * * *', '59 1 * * *'],
    ...['15 2 * * 0', '30 0 * * *', '0 0 * * *', '*/20 1-2 * * *', '0 12 * * *', '10-20/5 2-3 * * 0,6', '45 2 29 3 *'],
  ];
  for (const [timezone, change] of changes)
    for (const cron of crons) {
      const [from, to] = [Date.parse(change) - 7 * hour, Date.parse(change) + 7 * hour];
      const expected = minutesDue(cron, timezone, from, to);
      const found = times(cron, timezone, new Date(from).toISOString(), expected.length + 1);
      assert.deepEqual(found.slice(0, expected.length), expected, `${cron} ${change}`);
      assert.ok(Date.parse(`${found.at(-1)}Z`) > to, `${cron} ${change}`);
    }
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
