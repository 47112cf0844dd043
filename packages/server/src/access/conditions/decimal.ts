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

export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
