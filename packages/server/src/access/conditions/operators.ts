import { foldAscii } from '../../lib/fold-ascii.ts';
import type { Comparison, MemberPath } from '../../lib/where.ts';
import type { AccessContext } from '../context/context.ts';
import type { ContextKey } from '../context/context-key.ts';
import { textOf } from '../context/member-path.ts';
import { type Effort, spend } from '../effort.ts';
import { patternMistake, type StatementMistake, shown } from '../mistakes.ts';
import { globOf, matchesGlob, matchesSymbols } from '../patterns/glob.ts';
import {
  collapseTemplateStars,
  expand,
  expandedSymbols,
  expandedText,
  isUnknown,
  joinedText,
  type PatternTemplate,
  parseTemplate,
  readTemplate,
} from '../template.ts';
import { anyOf, not, type Truth } from '../truth.ts';
import {
  compareDecimals,
  contains,
  type Decimal,
  plainText,
  readAddress,
  readDecimal,
  readMoment,
  readNetwork,
} from './compared-values.ts';
import { numberBounds, type ScalarBounds, soleTextBounds, textBounds, truthBounds } from './scalar-bounds.ts';

type RecordedScalar = string | number | boolean;

/** The kind of value that a condition names. */
export type Operand = 'text' | 'pattern' | 'number' | 'date' | 'boolean' | 'address';

/** The way a value of the request is compared with those that a condition names. */
interface Operator {
  readonly operand: Operand;
  /** It holds of what is not there, and of what is like none of the values named. */
  readonly isNegated: boolean;
  /** The text of a value that a condition may name, as it is kept. */
  readExpected(value: RecordedScalar): { readonly text: string } | StatementMistake;
  /** @param expected texts that `readExpected` gave. */
  comparison(expected: readonly string[], ifVague: IfVague): CompiledComparison;
}

interface IfVague {
  /** The result for a value that the operator does not read, and for a variable that leads to several members. */
  readonly ifVague: boolean;
}

export interface CompiledComparison {
  /** The keys of the context that the named values use. */
  readonly keys: readonly ContextKey[];
  /** Means nothing once the effort is spent. */
  compare(value: unknown, context: AccessContext, effort: Effort): Truth;
  /** The texts of the values that the comparison holds of, where no request changes them. */
  readonly texts?: readonly string[];
  /** The bounds on a stored value, as far as the request alone decides them. */
  bounds?(path: MemberPath, request: BoundsRequest): ScalarBounds | undefined;
  /** The only text that the comparison holds of, where that is known. */
  soleText?(context: AccessContext, effort: Effort): string | undefined;
}

export interface BoundsRequest {
  readonly context: AccessContext;
  readonly effort: Effort;
  /** Of a list it compares the only value, and holds neither of several nor of none. */
  readonly isOfOne: boolean;
}

/** An operator of values of one type. A value of the request that is not of the type cannot be compared, also where it is negated. */
interface TypedOperator<Known, Expected> {
  readonly operand: Operand;
  read(value: unknown): Known | undefined;
  /** The data that are read of a value that a condition names, such as `a number`. */
  readonly expected: string;
  readExpected(text: string): Expected | undefined;
  fits(value: Known, expected: Expected): boolean;
  readonly isNegated?: boolean;
  /** The text of a value that a condition names, where it is not the plain one. */
  textOf?(value: RecordedScalar): string;
  bounds?(path: MemberPath, expected: readonly Expected[], ifVague: boolean): ScalarBounds | undefined;
}

function typedOperator<Known, Expected>(type: TypedOperator<Known, Expected>): Operator {
  const { operand, isNegated = false, textOf = String } = type;
  return {
    operand,
    isNegated,
    readExpected: (value) => {
      const text = textOf(value);
      return type.readExpected(text) === undefined ? ['invalid_value', `must be ${type.expected}`] : { text };
    },
    comparison: (texts, { ifVague }) => {
      const expected = texts.map((text) => type.readExpected(text)).filter((one) => one !== undefined);
      return {
        keys: [],
        compare: (value, _, effort) => {
          const length = typeof value === 'string' ? value.length : 0;
          if (!spend(effort, stepsOfReading + length + expected.length * stepsOfExpected)) return false;
          const known = type.read(value);
          return known === undefined ? ifVague : expected.some((one) => type.fits(known, one)) !== isNegated;
        },
        bounds: (path) => type.bounds?.(path, expected, ifVague),
      };
    },
  };
}

/** To read a value, beside its length. */
const stepsOfReading = 32;
const stepsOfExpected = 8;

/** The way a text is compared with the text that a condition names. */
type StringMatch = 'Equals' | 'EqualsIgnoreCase' | 'Like';

/** Compares texts by code points. A value that has no text cannot be compared. */
function stringOperator(way: StringMatch, { isNegated = false }: { readonly isNegated?: boolean } = {}): Operator {
  const isLike = way === 'Like';
  return {
    operand: isLike ? 'pattern' : 'text',
    isNegated,
    readExpected: (value) => {
      const text = isLike ? collapseTemplateStars(String(value)) : String(value);
      const template = parseTemplate(text, isLike);
      return 'parts' in template ? ((isLike ? patternMistake(text, String(value)) : undefined) ?? { text }) : template;
    },
    comparison: (texts, { ifVague }) => {
      const templates = texts.map((text) => readTemplate(text, isLike));
      const [only, ...more] = templates;
      const tests = templates.map((template) => testOf(way, template, { ifVague: ifVague !== isNegated }));
      const keys = templates.flatMap((template) => template.keys);
      const isOfTexts = way === 'Equals' && !isNegated;
      const isSole = isOfTexts && more.length === 0;
      return {
        keys,
        ...(isOfTexts && keys.length === 0 ? { texts: templates.map(({ parts }) => parts.join('')) } : {}),
        compare: (value, context, effort) => {
          const text = textOf(value);
          if (!spend(effort, tests.length * stepsOfTest)) return false;
          if (text === undefined) return ifVague;
          const truth = anyOf(tests, (test) => test(text, context, effort));
          return isNegated ? not(truth) : truth;
        },
        bounds: (path, { context, effort, isOfOne }) => {
          const expected = templates.map((template) => expandedText(template, context, effort));
          const known = expected.filter((text) => text !== undefined);
          if (way !== 'Equals' || known.length < expected.length) return undefined;
          return isOfOne && !isNegated && !ifVague ? soleTextBounds(path, known) : textBounds(path, known, isNegated);
        },
        ...(isSole && only !== undefined ? { soleText: (context, effort) => expandedText(only, context, effort) } : {}),
      };
    },
  };
}

const stepsOfTest = 8;

type StringTest = (text: string, context: AccessContext, effort: Effort) => Truth;

function testOf(way: StringMatch, template: PatternTemplate, { ifVague }: IfVague): StringTest {
  const { parts, keys } = template;
  if (keys.length === 0) return testOfParts(way, parts);
  return (text, context, effort) => {
    if (isUnknown(template, context)) return 'unknown';
    const expansion = expand(template, context, effort);
    if (expansion.isVague) return ifVague;
    if (way === 'Like') {
      const symbols = expandedSymbols(expansion, effort);
      return symbols !== undefined && matchesSymbols(symbols, text, effort);
    }
    const expected = expansion.parts === undefined ? undefined : joinedText(expansion.parts, effort);
    return expected !== undefined && areEqual(way, expected, text, effort);
  };
}

function testOfParts(way: StringMatch, parts: PatternTemplate['parts']): StringTest {
  const plain = parts.filter((part) => typeof part !== 'object');
  if (way === 'Like') {
    const glob = globOf('', plain);
    return (text, _, effort) => matchesGlob(glob, text, effort);
  }
  const expected = plain.join('');
  if (way === 'Equals') return (text) => text === expected;
  return (text, _, effort) => areEqual(way, expected, text, effort);
}

/** To lower-case a text keeps its length, so none is lower-cased but one as long as the other. */
function areEqual(way: StringMatch, expected: string, text: string, effort: Effort): boolean {
  if (way === 'Equals' || expected === text) return expected === text;
  if (expected.length !== text.length || !spend(effort, text.length * stepsOfFolded)) return false;
  return foldAscii(text) === foldAscii(expected);
}

const stepsOfFolded = 4;

/** The operator that compares values, by its name without qualifiers. */
function operatorCalled(name: string): Operator | undefined {
  return operators.get(name);
}

type OrderTest = (difference: number) => boolean;

const orders: readonly (readonly [name: string, order: OrderTest, comparison: Comparison])[] = [
  ['Equals', (difference) => difference === 0, 'eq'],
  ['LessThan', (difference) => difference < 0, 'lt'],
  ['LessThanEquals', (difference) => difference <= 0, 'lte'],
  ['GreaterThan', (difference) => difference > 0, 'gt'],
  ['GreaterThanEquals', (difference) => difference >= 0, 'gte'],
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
  const operator = (order: OrderTest, isNegated: boolean, comparison: Comparison): Operator =>
    typedOperator({
      ...measure,
      bounds: (path, expected, ifVague) => {
        const ordering = { operator: comparison, isNegated, ifVague };
        const bounds = measure.operand === 'number' ? numberBounds(path, expected, ordering) : undefined;
        return bounds && { bounds, frugalTypes: ['number', 'boolean'] };
      },
      readExpected: measure.read,
      fits: (value, expected) => order(compareDecimals(value, expected)),
      isNegated,
      textOf: (value) => (typeof value === 'number' ? plainText(value) : String(value)),
    });
  return [
    ...orders.map(([name, order, comparison]) => [prefix + name, operator(order, false, comparison)] as const),
    [`${prefix}NotEquals`, operator((difference) => difference === 0, true, 'eq')],
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
    bounds: truthBounds,
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

/** An operator as the name in a condition asks for it. */
export type OperatorUse =
  | {
      readonly kind: 'compare';
      readonly operator: Operator;
      readonly over: Over;
      /** It holds where the key is missing. */
      readonly mayBeMissing: boolean;
    }
  /** Asks whether the key is missing. */
  | { readonly kind: 'null' };

export type CompareUse = Extract<OperatorUse, { readonly kind: 'compare' }>;

export function holdsIfMissing({ operator, over, mayBeMissing }: Omit<CompareUse, 'kind'>): boolean {
  return mayBeMissing || over === 'all' || (over === 'one' && operator.isNegated);
}

/** Which of the values have to be as the operator demands. Without a qualifier there may be one only. */
export type Over = 'one' | 'any' | 'all';

export const qualifiers: readonly (readonly [prefix: string, over: Over])[] = [
  ['ForAnyValue:', 'any'],
  ['ForAllValues:', 'all'],
];
export const existsSuffix = 'IfExists';

export function readOperator(name: string): OperatorUse | StatementMistake {
  if (name === 'Null') return { kind: 'null' };
  const [prefix, over] = qualifiers.find(([start]) => name.startsWith(start)) ?? ['', 'one'];
  const mayBeMissing = name.endsWith(existsSuffix);
  const operator = operatorCalled(name.slice(prefix.length, mayBeMissing ? -existsSuffix.length : undefined));
  if (operator === undefined) return ['invalid_value', `there is no operator \`${shown(name)}\``];
  // An Allow with both would hold where the caller leaves the key out.
  if (prefix !== '' && mayBeMissing)
    return [
      'invalid_value',
      `\`${shown(name)}\` has both \`${prefix}\` and \`${existsSuffix}\`: only one is permitted`,
    ];
  return { kind: 'compare', operator, over, mayBeMissing };
}
