import { type Decimal, readDecimal, withoutTrailingZeros } from './decimal.ts';

const form = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2}:[0-5][0-9])(?:\.([0-9]+))?Z)?$/;

/** Days and moments, as the source of a regular expression. Not all of them are in a calendar. */
export const momentPattern = form.source;

/**
 * Seconds since 1970. Reads a day (`2026-03-31`, its start in UTC), a moment of RFC 3339 with `Z`, a number of seconds,
 * as a number or as text, and a `Date`.
 */
export function readMoment(value: unknown): Decimal | undefined {
  if (value instanceof Date) return readDecimal((value.getTime() / 1000).toFixed(3));
  if (typeof value !== 'string') return readDecimal(value);
  const parts = form.exec(value);
  if (parts === null) return readDecimal(value);
  const [, day = '', clock = '00:00:00', fraction = '0'] = parts;
  const milliseconds = Date.parse(`${day}T${clock}Z`);
  // A day or an hour that no calendar has comes out as another one.
  const isReal = !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(`${day}T${clock}`);
  return isReal ? secondsAnd(milliseconds / 1000, fraction) : undefined;
}

/** A fraction counts forward from the second, before 1970 as well: -2 and .25 are -1.75. */
function secondsAnd(seconds: number, fraction: string): Decimal | undefined {
  const digits = withoutTrailingZeros(fraction);
  if (seconds >= 0 || digits === '') return readDecimal(`${seconds}.${fraction}`);
  const rest = Array.from(digits, (digit, index) => (index === digits.length - 1 ? 10 : 9) - Number(digit)).join('');
  return readDecimal(`-${-seconds - 1}.${rest}`);
}
