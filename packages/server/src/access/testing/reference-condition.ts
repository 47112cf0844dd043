import type { AccessContext } from '../context/context.ts';
import { contains, readAddress, readNetwork } from './reference-address.ts';
import { isKey, isUnknown, readingsOf } from './reference-context.ts';
import { inSmallLetters } from './reference-letters.ts';
import { compareDecimals, type Decimal, readDecimal, readMoment } from './reference-numbers.ts';
import { isTwofold, patternFits, readPieces, resolve, textOf } from './reference-pattern.ts';

/** One key under one operator of a condition. */
export interface ConditionEntry {
  readonly qualifier: 'ForAnyValue' | 'ForAllValues' | undefined;
  /** Without qualifier and suffix. */
  readonly operator: string;
  readonly hasIfExists: boolean;
  readonly key: string;
  readonly expected: readonly unknown[];
}

/** The entries of a condition, all of which must hold; `unreadable` when one of them means nothing. */
export function readCondition(condition: unknown): readonly ConditionEntry[] | 'unreadable' {
  if (!isObject(condition)) return 'unreadable';
  const entries: ConditionEntry[] = [];
  for (const [name, keys] of Object.entries(condition)) {
    if (!isObject(keys) || !isOperator(readOperator(name))) return 'unreadable';
    for (const [key, value] of Object.entries(keys)) {
      const expected: readonly unknown[] = Array.isArray(value) ? value : [value];
      entries.push({ ...readOperator(name), key, expected });
    }
  }
  return entries.every(isSound) ? entries : 'unreadable';
}

export function entryHolds(entry: ConditionEntry, effect: 'Allow' | 'Deny', context: AccessContext): boolean {
  const { qualifier, operator, key } = entry;
  // An unknown value must not allow, and must not switch a Deny off.
  if (isUnknown(key, context)) return effect === 'Deny';
  const readings = readingsOf(key, context);
  // Several values where one is asked for cannot be evaluated: that must not allow, and must not switch a Deny off.
  if (operator !== 'Null' && qualifier === undefined && readings.flat().length > 1) return effect === 'Deny';
  // The same goes for what the entry says of one of the readings and not of another.
  const holds = readings.map((values) => holdsOf(values, entry, { effect, context }));
  return effect === 'Deny' ? holds.includes(true) : !holds.includes(false);
}

interface Situation {
  readonly effect: 'Allow' | 'Deny';
  readonly context: AccessContext;
}

function holdsOf(values: readonly unknown[], entry: ConditionEntry, situation: Situation): boolean {
  const { qualifier, operator, hasIfExists, expected } = entry;
  if (operator === 'Null') return expected.some((word) => String(word) === String(values.length === 0));
  if (values.length === 0) {
    if (hasIfExists) return true;
    if (qualifier !== undefined) return qualifier === 'ForAllValues';
    return isNegated(operator);
  }
  const holdsFor = (value: unknown) => valueHolds(entry, value, situation);
  return qualifier === 'ForAnyValue' ? values.some(holdsFor) : values.every(holdsFor);
}

function readOperator(name: string): Pick<ConditionEntry, 'qualifier' | 'operator' | 'hasIfExists'> {
  const qualifier = (['ForAnyValue', 'ForAllValues'] as const).find((word) => name.startsWith(`${word}:`));
  const rest = qualifier === undefined ? name : name.slice(qualifier.length + 1);
  const hasIfExists = rest.endsWith('IfExists');
  return { qualifier, operator: hasIfExists ? rest.slice(0, -'IfExists'.length) : rest, hasIfExists };
}

const isNegated = (operator: string) => operator.includes('Not');

const stringOperators = ['Equals', 'NotEquals', 'EqualsIgnoreCase', 'NotEqualsIgnoreCase', 'Like', 'NotLike'];
const orders = ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'];
const operators = [
  ...stringOperators.map((one) => `String${one}`),
  ...orders.flatMap((order) => [`Numeric${order}`, `Date${order}`]),
  ...['Bool', 'IpAddress', 'NotIpAddress', 'Null'],
];

function isOperator({ qualifier, operator, hasIfExists }: ReturnType<typeof readOperator>): boolean {
  const extras = [hasIfExists, qualifier !== undefined].filter(Boolean).length;
  return operators.includes(operator) && extras <= (operator === 'Null' ? 0 : 1);
}

function isSound({ operator, key, expected }: ConditionEntry): boolean {
  return isKey(key) && expected.length > 0 && expected.every((value) => mayBeExpected(operator, value));
}

function mayBeExpected(operator: string, value: unknown): boolean {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false;
  if (operator.startsWith('String')) return readPieces(String(value)) !== undefined;
  if (operator.startsWith('Numeric')) return readDecimal(value) !== undefined;
  if (operator.startsWith('Date')) return readMoment(value) !== undefined;
  if (operator.endsWith('IpAddress')) return readNetwork(value) !== undefined;
  return ['true', 'false'].includes(String(value));
}

/**
 * Several expected values are alternatives; of a negated operator none of them may fit. What the operator cannot read must
 * not allow, and must not switch a Deny off.
 */
function valueHolds({ operator, expected }: ConditionEntry, value: unknown, situation: Situation): boolean {
  const ifUnreadable = situation.effect === 'Deny';
  if (operator.startsWith('String')) {
    const text = textOf(value);
    if (text === undefined) return ifUnreadable;
    const fits = expected.some((pattern) => textFits(operator, text, String(pattern), situation));
    return isNegated(operator) ? !fits : fits;
  }
  if (operator === 'Bool')
    return isTruth(value) ? expected.some((word) => String(word) === String(value)) : ifUnreadable;
  if (operator.endsWith('IpAddress')) {
    const address = readAddress(value);
    if (address === undefined) return ifUnreadable;
    const lies = expected.map(readNetwork).some((network) => network !== undefined && contains(network, address));
    return isNegated(operator) ? !lies : lies;
  }
  const read = operator.startsWith('Numeric') ? readDecimal : readMoment;
  const order = operator.slice(operator.startsWith('Numeric') ? 'Numeric'.length : 'Date'.length);
  const known = read(value);
  if (known === undefined) return ifUnreadable;
  const others = expected.map(read).filter((other) => other !== undefined);
  return order === 'NotEquals'
    ? others.every((other) => compareDecimals(known, other) !== 0)
    : others.some((other) => isOrdered(known, order, other));
}

function isTruth(value: unknown): boolean {
  return value === true || value === false || value === 'true' || value === 'false';
}

function isOrdered(left: Decimal, order: string, right: Decimal): boolean {
  const difference = compareDecimals(left, right);
  if (order === 'Equals') return difference === 0;
  if (order === 'LessThan') return difference < 0;
  if (order === 'LessThanEquals') return difference <= 0;
  return order === 'GreaterThan' ? difference > 0 : difference >= 0;
}

function textFits(operator: string, text: string, pattern: string, { effect, context }: Situation): boolean {
  // It may fit or not, as the one who wrote the names likes: it does what is worse for the caller.
  if (isTwofold(pattern, context)) return effect === 'Deny' ? !isNegated(operator) : isNegated(operator);
  const symbols = resolve(readPieces(pattern) ?? [], context, operator.endsWith('Like') ? 'wildcards' : 'letters');
  if (symbols === undefined) return false;
  if (operator.endsWith('Like')) return patternFits(symbols, Array.from(text));
  const expected = symbols.join('');
  return operator.endsWith('IgnoreCase') ? inSmallLetters(expected) === inSmallLetters(text) : expected === text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
