import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timeZone } from '../../lib/locales.ts';
import { thinned } from '../../store/testing/quick.ts';
import { type Bucket, Buckets, type TimeUnit, units } from './time-buckets.ts';

function bucketsIn(zone: string, unit: TimeUnit): Buckets {
  const offsetAt = timeZone(zone);
  assert.ok(offsetAt !== undefined, zone);
  return new Buckets({ unit, type: 'datetime', offsetAt });
}

function between(zone: string, unit: TimeUnit, least: string, greatest: string): readonly Bucket[] {
  return bucketsIn(zone, unit).between(least, greatest, 1000) ?? [];
}

const cases: readonly (readonly [
  zone: string,
  unit: TimeUnit,
  value: string,
  start: string,
  end: string,
  label: string,
])[] = [
  ['UTC', 'year', '2026-06-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '2026'],
  ['UTC', 'quarter', '2026-06-30T23:59:59.999Z', '2026-04-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z', '2026-Q2'],
  ['UTC', 'month', '2026-12-31T23:00:00.000Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '2026-12'],
  // The first days of 2027 are in a week of 2026, and the last of 2024 in one of 2025.
  ['UTC', 'week', '2027-01-03T12:00:00.000Z', '2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z', '2026-W53'],
  ['UTC', 'week', '2024-12-30T00:00:00.000Z', '2024-12-30T00:00:00.000Z', '2025-01-06T00:00:00.000Z', '2025-W01'],
  [
    'Europe/Berlin',
    'day',
    '2026-03-29T10:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-29',
  ],
  [
    'Europe/Berlin',
    'hour',
    '2026-03-29T01:10:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T02:00:00.000Z',
    '2026-03-29T03:00+02:00',
  ],
  [
    'Europe/Berlin',
    'hour',
    '2026-10-25T00:10:00.000Z',
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00+02:00',
  ],
  [
    'Europe/Berlin',
    'hour',
    '2026-10-25T01:10:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
    '2026-10-25T02:00+01:00',
  ],
  [
    'Asia/Kathmandu',
    'hour',
    '2026-01-01T00:00:00.000Z',
    '2025-12-31T23:15:00.000Z',
    '2026-01-01T00:15:00.000Z',
    '2026-01-01T05:00+05:45',
  ],
  [
    'Asia/Kathmandu',
    'month',
    '2025-12-31T18:15:00.000Z',
    '2025-12-31T18:15:00.000Z',
    '2026-01-31T18:15:00.000Z',
    '2026-01',
  ],
  [
    'Africa/Monrovia',
    'day',
    '1970-01-01T00:44:29.999Z',
    '1969-12-31T00:44:30.000Z',
    '1970-01-01T00:44:30.000Z',
    '1969-12-31',
  ],
  [
    'Africa/Monrovia',
    'hour',
    '1970-01-01T00:44:30.000Z',
    '1970-01-01T00:44:30.000Z',
    '1970-01-01T01:44:30.000Z',
    '1970-01-01T00:00-00:44:30',
  ],
  // Half an hour of summer time: its end repeats the second half of an hour, and its beginning leaves out the first.
  [
    'Australia/Lord_Howe',
    'hour',
    '2026-04-04T14:59:00.000Z',
    '2026-04-04T14:00:00.000Z',
    '2026-04-04T15:00:00.000Z',
    '2026-04-05T01:00+11:00',
  ],
  [
    'Australia/Lord_Howe',
    'hour',
    '2026-04-04T15:29:00.000Z',
    '2026-04-04T15:00:00.000Z',
    '2026-04-04T15:30:00.000Z',
    '2026-04-05T01:30+10:30',
  ],
  [
    'Australia/Lord_Howe',
    'hour',
    '2026-10-03T15:40:00.000Z',
    '2026-10-03T15:30:00.000Z',
    '2026-10-03T16:00:00.000Z',
    '2026-10-04T02:30+11:00',
  ],
  [
    'Australia/Lord_Howe',
    'day',
    '2026-04-04T20:00:00.000Z',
    '2026-04-04T13:00:00.000Z',
    '2026-04-05T13:30:00.000Z',
    '2026-04-05',
  ],
  // The day has no midnight.
  [
    'America/Sao_Paulo',
    'day',
    '2018-11-04T12:00:00.000Z',
    '2018-11-04T03:00:00.000Z',
    '2018-11-05T02:00:00.000Z',
    '2018-11-04',
  ],
  // Clocks went back from one minute past midnight, so the day before goes on after midnight; it is counted to the day that has begun.
  [
    'America/St_Johns',
    'day',
    '2009-11-01T03:00:00.000Z',
    '2009-11-01T02:30:00.000Z',
    '2009-11-02T03:30:00.000Z',
    '2009-11-01',
  ],
  ['UTC', 'year', '0000-06-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '0000'],
];

for (const [zone, unit, value, start, end, label] of cases)
  test(`the ${unit} of ${value} in ${zone} is ${label}`, () => {
    assert.deepEqual(bucketsIn(zone, unit).of(value), { start, end, label });
  });

test('a day that a zone left out is none', () => {
  const days = between('Pacific/Apia', 'day', '2011-12-29T12:00:00.000Z', '2011-12-31T12:00:00.000Z');
  assert.deepEqual(
    days.map(({ label }) => label),
    ['2011-12-29', '2011-12-31', '2012-01-01'],
  );
});

test('the last year has no end that a stored time could have', () => {
  assert.deepEqual(bucketsIn('UTC', 'year').of('9999-05-01T00:00:00.000Z').end, undefined);
  assert.equal(
    bucketsIn('Pacific/Kiritimati', 'year').of('0000-01-01T00:00:00.000Z').start,
    '0000-01-01T00:00:00.000Z',
  );
});

for (const [zone, time, hour] of [
  ['Asia/Tokyo', '9999-12-31T23:10:00.000Z', '10000-01-01T08:00+09:00'],
  ['America/Bogota', '0000-01-01T00:10:00.000Z', '-0001-12-31T19:00-04:56:16'],
] as const)
  test(`the hour of a local time in the year before 0 or behind 9999 has a name: ${zone}`, () => {
    assert.equal(bucketsIn(zone, 'hour').of(time).label, hour);
  });

test('days of the calendar take no zone', () => {
  const days = new Buckets({ unit: 'week', type: 'date', offsetAt: () => 0 });
  assert.deepEqual(days.of('2026-03-29'), { start: '2026-03-23', end: '2026-03-30', label: '2026-W13' });
});

test('no more buckets than are wanted are worked out', () => {
  const hours = bucketsIn('UTC', 'hour');
  assert.equal(hours.between('2026-01-01T00:00:00.000Z', '2026-01-01T03:00:00.000Z', 3), undefined);
  assert.equal(hours.between('2026-01-01T00:00:00.000Z', '2026-01-01T02:00:00.000Z', 3)?.length, 3);
});

const zones = [
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/New_York',
];

/** As a clock of the zone shows it, by another way than the tested one. */
function shownIn(zone: string, time: number): { readonly day: string; readonly hour: string } {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  }).formatToParts(time);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return { day: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`, hour: part('hour') };
}

test('a time is in one bucket, whose name is what clocks of the zone show, and buckets meet', () => {
  const times = fc.integer({ min: Date.parse('1965-01-01T00:00:00Z'), max: Date.parse('2037-12-31T00:00:00Z') });
  const property = fc.property(times, fc.constantFrom(...zones), fc.constantFrom(...units), (time, zone, unit) => {
    const value = new Date(time).toISOString();
    const buckets = bucketsIn(zone, unit);
    const bucket = buckets.of(value);
    assert.ok(bucket.end !== undefined);
    assert.ok(bucket.start <= value && value < bucket.end, `${value} in ${bucket.start} to ${bucket.end}`);
    assert.equal(buckets.of(bucket.end).start, bucket.end);
    assert.equal(bucketsIn(zone, unit).of(bucket.start).label, bucket.label);
    const { day, hour } = shownIn(zone, time);
    const named = {
      hour: `${day}T${hour}`,
      day,
      week: bucket.label,
      month: day.slice(0, 7),
      quarter: day.slice(0, 4),
      year: day.slice(0, 4),
    }[unit];
    assert.ok(bucket.label.startsWith(named), `${bucket.label} for ${named}`);
  });
  fc.assert(property, { numRuns: thinned(600) });
});
