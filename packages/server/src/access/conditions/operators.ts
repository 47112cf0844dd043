import { compareDecimals, type Decimal, plainText, readDecimal } from './decimal.ts';
import { contains, readAddress, readNetwork } from './ip-network.ts';
import { readMoment } from './moment.ts';
import type { Operand, Operator } from './operator.ts';
import { stringOperator } from './string-operator.ts';
import { typedOperator } from './typed-operator.ts';

/** The operator that compares values, by its name without qualifiers. */
export function operatorCalled(name: string): Operator | undefined {
  return operators.get(name);
}

type Order = (difference: number) => boolean;

const orders: readonly (readonly [name: string, order: Order])[] = [
  ['Equals', (difference) => difference === 0],
  ['LessThan', (difference) => difference < 0],
  ['LessThanEquals', (difference) => difference <= 0],
  ['GreaterThan', (difference) => difference > 0],
  ['GreaterThanEquals', (difference) => difference >= 0],
];

interface Measure {
  readonly operand: Operand;
  read(value: unknown): Decimal | undefined;
  readonly expected: string;
}

const numeric: Measure = { operand: 'number', read: readDecimal, expected: 'a decimal number' };
const date: Measure = {
  operand: 'date',
  read: readMoment,
  expected: 'a day, a moment such as `2026-03-31T12:00:00Z`, or a number of seconds since 1970',
};

const operators: ReadonlyMap<string, Operator> = new Map([
  ['StringEquals', stringOperator('Equals')],
  ['StringNotEquals', stringOperator('Equals', { isNegated: true })],
  ['StringEqualsIgnoreCase', stringOperator('EqualsIgnoreCase')],
  ['StringNotEqualsIgnoreCase', stringOperator('EqualsIgnoreCase', { isNegated: true })],
  ['StringLike', stringOperator('Like')],
  ['StringNotLike', stringOperator('Like', { isNegated: true })],
  ...measureOperators('Numeric', numeric),
  ...measureOperators('Date', date),
  ['Bool', boolOperator()],
  ['IpAddress', ipOperator({ isNegated: false })],
  ['NotIpAddress', ipOperator({ isNegated: true })],
]);

/** Without qualifiers, and without `Null`, which compares nothing. */
export const operatorNames: readonly string[] = [...operators.keys()];

/** Each operator with what the values are that it compares. */
export const operandsByName: readonly (readonly [name: string, operand: Operand])[] = Array.from(
  operators,
  ([name, { operand }]) => [name, operand],
);

function measureOperators(prefix: string, measure: Measure): readonly (readonly [string, Operator])[] {
  const operator = (order: Order, isNegated: boolean): Operator =>
    typedOperator({
      ...measure,
      readExpected: measure.read,
      fits: (value, expected) => order(compareDecimals(value, expected)),
      isNegated,
      textOf: (value) => (typeof value === 'number' ? plainText(value) : String(value)),
    });
  return [
    ...orders.map(([name, order]) => [prefix + name, operator(order, false)] as const),
    [`${prefix}NotEquals`, operator((difference) => difference === 0, true)],
  ];
}

function boolOperator(): Operator {
  const read = (value: unknown) => (value === 'true' || value === 'false' ? value : undefined);
  return typedOperator({
    operand: 'boolean',
    read: (value) => read(typeof value === 'boolean' ? String(value) : value),
    expected: '`true` or `false`',
    readExpected: read,
    fits: (value, expected) => value === expected,
  });
}

function ipOperator({ isNegated }: { readonly isNegated: boolean }): Operator {
  return typedOperator({
    operand: 'address',
    read: readAddress,
    expected: 'an IP address or a network such as `10.0.0.0/8`',
    readExpected: readNetwork,
    fits: (address, network) => contains(network, address),
    isNegated,
  });
}
