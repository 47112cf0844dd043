import { isDigits } from './reference-letters.ts';

/** `units` of one `scale`-th power of ten: 1.50 is 150 units of scale 2. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** A number, or a text such as `-12.50`: no exponent, no plus sign, no blank, digits on both sides of the point. */
export function readDecimal(value: unknown): Decimal | undefined {
  const text = typeof value === 'number' ? withoutExponent(value) : value;
  if (typeof text !== 'string') return undefined;
  const isNegative = text.startsWith('-');
  const [whole = '', fraction, ...more] = (isNegative ? text.slice(1) : text).split('.');
  if (!isDigits(whole) || (fraction !== undefined && !isDigits(fraction)) || more.length > 0) return undefined;
  const units = BigInt(whole + (fraction ?? ''));
  return { units: isNegative ? -units : units, scale: (fraction ?? '').length };
}

/** Negative, zero or positive, as the first is less than, equal to or greater than the second. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const difference = left.units * tenTo(right.scale) - right.units * tenTo(left.scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Seconds since 1970 of a day, a moment in UTC, a number of seconds, or `request.time` (a `Date`). */
export function readMoment(value: unknown): Decimal | undefined {
  if (value instanceof Date) return { units: BigInt(value.getTime()), scale: 3 };
  if (typeof value !== 'string') return readDecimal(value);
  const [day = '', clock, ...more] = value.split('T');
  const days = readDay(day);
  if (days === undefined) return readDecimal(value);
  if (clock === undefined) return { units: BigInt(days * 86_400), scale: 0 };
  const time = readClock(clock);
  if (time === undefined || more.length > 0) return undefined;
  return { units: time.units + BigInt(days * 86_400) * tenTo(time.scale), scale: time.scale };
}

/** `1e-7` is `0.0000001`, `1e+21` is a one with 21 zeros. */
function withoutExponent(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const places = Number(exponent);
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction}${'0'.repeat(places - fraction.length)}`;
}

function tenTo(power: number): bigint {
  return 10n ** BigInt(power);
}

/** Days since 1970 of `2024-02-29`, counted one by one. */
function readDay(text: string): number | undefined {
  const parts = text.split('-');
  const [year = '', month = '', day = ''] = parts;
  const hasForm = parts.length === 3 && year.length === 4 && month.length === 2 && day.length === 2;
  if (!hasForm || !parts.every(isDigits)) return undefined;
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  if (Number(day) < 1 || Number(day) > daysOf(Number(year), Number(month))) return undefined;
  let days = Number(day) - 1;
  for (let before = 1; before < Number(month); before++) days += daysOf(Number(year), before);
  for (let before = 1970; before < Number(year); before++) days += daysOfYear(before);
  for (let after = 1969; after >= Number(year); after--) days -= daysOfYear(after);
  return days;
}

function daysOfYear(year: number): number {
  return daysOf(year, 2) === 29 ? 366 : 365;
}

function daysOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** `23:59:59.999Z` in seconds. */
function readClock(text: string): Decimal | undefined {
  if (!text.endsWith('Z')) return undefined;
  const [whole = '', fraction, ...more] = text.slice(0, -1).split('.');
  const parts = whole.split(':');
  if (parts.length !== 3 || !parts.every((part) => part.length === 2 && isDigits(part))) return undefined;
  if (more.length > 0 || (fraction !== undefined && !isDigits(fraction))) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return readDecimal(`${hours * 3600 + minutes * 60 + seconds}${fraction === undefined ? '' : `.${fraction}`}`);
}
