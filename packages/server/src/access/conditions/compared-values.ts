/** A number of any length. The digits are without zeros at the outer ends, so that equal numbers have equal ones. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

const form = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/** The texts that are numbers, as the source of a regular expression. */
export const decimalPattern = form.source;

/** Reads a number, or a text such as `-12.50`: no exponent, no plus sign, no blanks, digits on both sides of a point. */
export function readDecimal(value: unknown): Decimal | undefined {
  const text = typeof value === 'number' ? plainText(value) : value;
  if (typeof text !== 'string') return undefined;
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const whole = withoutLeadingZeros(parts[2] ?? '');
  const fraction = withoutTrailingZeros(parts[3] ?? '');
  return { isNegative: parts[1] === '-' && whole + fraction !== '', whole, fraction };
}

/** Negative, zero or positive, as the first is less than, equal to or greater than the second. Nothing is rounded. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.isNegative !== right.isNegative) return left.isNegative ? -1 : 1;
  return left.isNegative ? compareSizes(right, left) : compareSizes(left, right);
}

/** `1e-7` is `0.0000001`, `1e+21` is a one with 21 zeros. */
export function plainText(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([0-9]+)\.?([0-9]*)$/.exec(digits) ?? [];
  const places = Number(exponent);
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
  return sign + whole + fraction.padEnd(places, '0');
}

function compareSizes(left: Decimal, right: Decimal): number {
  if (left.whole.length !== right.whole.length) return left.whole.length - right.whole.length;
  return compareTexts(left.whole, right.whole) || compareTexts(left.fraction, right.fraction);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === '0') start += 1;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

const momentForm = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2}:[0-5][0-9])(?:\.([0-9]+))?Z)?$/;

/** Days and moments, as the source of a regular expression. Not all of them are in a calendar. */
export const momentPattern = momentForm.source;

/**
 * Seconds since 1970. Reads a day (`2026-03-31`, its start in UTC), a moment of RFC 3339 with `Z`, a number of seconds,
 * as a number or as text, and a `Date`.
 */
export function readMoment(value: unknown): Decimal | undefined {
  if (value instanceof Date) return readDecimal((value.getTime() / 1000).toFixed(3));
  if (typeof value !== 'string') return readDecimal(value);
  const parts = momentForm.exec(value);
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

/** An address, or all that begin with the same bits. */
interface IpNetwork {
  /** Groups of 16 bits: two of IPv4, eight of IPv6. */
  readonly groups: readonly number[];
  /** The number of bits that are fixed. */
  readonly length: number;
}

/** An address without a network length. An IPv4-mapped IPv6 address is the IPv4 address. */
export function readAddress(value: unknown): IpNetwork | undefined {
  const groups = typeof value === 'string' && value.length <= addressLengthMax ? groupsOf(value) : undefined;
  return groups === undefined ? undefined : withoutMapping(groups, groups.length * 16);
}

/** `0000:0000:0000:0000:0000:0000:255.255.255.255` has as many characters; none has more. */
const addressLengthMax = 45;

/** `10.0.0.0/8`, or a single address. */
export function readNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  if (slash === -1) return readAddress(text);
  const groups = groupsOf(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (groups === undefined || !/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > groups.length * 16)
    return undefined;
  return withoutMapping(groups, Number(length));
}

export function contains(network: IpNetwork, address: IpNetwork): boolean {
  if (network.groups.length !== address.groups.length) return false;
  return network.groups.every((group, index) => {
    const free = 16 - Math.min(16, Math.max(0, network.length - index * 16));
    return group >>> free === (address.groups[index] ?? 0) >>> free;
  });
}

const mappedStart = [0, 0, 0, 0, 0, 0xffff];

function withoutMapping(groups: readonly number[], length: number): IpNetwork {
  const isMapped = groups.length === 8 && length >= 96 && mappedStart.every((group, index) => groups[index] === group);
  return isMapped ? { groups: groups.slice(6), length: length - 96 } : { groups, length };
}

function groupsOf(text: string): readonly number[] | undefined {
  return text.includes(':') ? groupsOf6(text) : groupsOf4(text);
}

/** Four numbers as they are usually written: a zero in front could be meant as octal (RFC 6943, 3.1.1). */
function groupsOf4(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** RFC 4291, 2.2. `::` stands for at least one group. */
function groupsOf6(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, index) => groupsIn(half, index === halves.length - 1));
  if (before === undefined) return undefined;
  if (halves.length === 1) return before.length === 8 ? before : undefined;
  if (after === undefined || before.length + after.length > 7) return undefined;
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The last two groups of an address may be written as an IPv4 address. */
function groupsIn(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const mayBeDotted = isLast && index === parts.length - 1 && part.includes('.');
    const read = mayBeDotted
      ? groupsOf4(part)
      : /^[0-9A-Fa-f]{1,4}$/.test(part)
        ? [Number.parseInt(part, 16)]
        : undefined;
    if (read === undefined) return undefined;
    groups.push(...read);
  }
  return groups;
}
