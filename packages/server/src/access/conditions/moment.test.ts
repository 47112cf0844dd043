import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareDecimals, readDecimal, readMoment } from './compared-values.ts';

function assertSame(value: unknown, seconds: string): void {
  const [one, other] = [readMoment(value), readDecimal(seconds)];
  assert.ok(one !== undefined && other !== undefined, String(value));
  assert.equal(compareDecimals(one, other), 0, `${value}: ${JSON.stringify(one)}`);
}

test('reads days, moments in UTC, seconds since 1970 and dates as the same moments', () => {
  assertSame('1970-01-01', '0');
  assertSame('2026-03-31', '1774915200');
  assertSame('2026-03-31T00:00:01Z', '1774915201');
  assertSame('2026-03-31T00:00:00.2500000000000000001Z', '1774915200.2500000000000000001');
  assertSame('1969-12-31T23:59:58.25Z', '-1.75');
  assertSame('1969-12-31T23:59:59.9Z', '-0.1');
  assertSame('1969-12-31T23:59:58.0Z', '-2');
  assertSame('2024-02-29', '1709164800');
  assertSame('1774915200', '1774915200');
  assertSame(-1.5, '-1.5');
  assertSame(new Date(1774915200123), '1774915200.123');
  assertSame(new Date(-1), '-0.001');
});

test('reads nothing else', () => {
  const others = [
    ...['2025-02-29', '2026-13-01', '2026-00-10', '2026-01-00', '2026-1-1', '26-01-01', '+002026-01-01'],
    ...[
      '2026-03-31T24:00:00Z',
      '2026-03-31T23:59:60Z',
      '2026-03-31T12:00Z',
      '2026-03-31T12:00:00',
      '2026-03-31 12:00:00Z',
    ],
    ...[
      '2026-03-31T12:00:00+00:00',
      '2026-03-31t12:00:00z',
      '2026-03-31T12:00:00.Z',
      '2026-03-31Z',
      '2026-03-31\n',
      'now',
      '',
    ],
  ];
  for (const text of others) assert.equal(readMoment(text), undefined, text);
  for (const value of [null, true, {}, ['2026-03-31']]) assert.equal(readMoment(value), undefined);
});

test('reads every moment as `Date` does', () => {
  const days = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(days, (date) => {
      const [text, itself] = [readMoment(date.toISOString()), readMoment(date)];
      assert.ok(text !== undefined && itself !== undefined);
      assert.deepEqual(text, itself);
    }),
  );
});
