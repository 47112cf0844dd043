import type { Expression, ExpressionLanguage } from '../../expressions/port.ts';
import { type FieldValue, type FieldValues, fieldName } from '../definition.ts';

/** The form of a field's values in expressions. */
export interface ExpressionValue {
  readonly type: string;
  /** Undefined for a value of another type, left by an older definition: the expression reads it as absent. */
  readonly read: (value: FieldValue) => unknown;
  /**
   * The value that a result of this type is stored as; undefined where there is none, as for a number that is none. Absent
   * where no expression gives such values.
   */
  readonly write?: (result: unknown) => FieldValue | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const textInExpressions: ExpressionValue = { type: 'string', read: text, write: text };

export const flagInExpressions: ExpressionValue = { type: 'bool', read: flag, write: flag };

export const wholeNumberInExpressions: ExpressionValue = {
  type: 'int',
  read: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
  write: (result) => safeNumber(Number(result)),
};

/** A whole number that an expression gives is one of the numbers that a double holds. */
export const numberInExpressions: ExpressionValue = {
  type: 'double',
  read: (value) => (typeof value === 'number' ? value : undefined),
  write: (result) => safeNumber(Number(result)),
};

/** Days are the points in time at which they begin in UTC. */
export const dayInExpressions: ExpressionValue = timeInExpressions('T00:00:00.000Z');
export const momentInExpressions: ExpressionValue = timeInExpressions('');

/** Any JSON: an expression finds the types of its members when it is evaluated, and every number is a double. */
export const jsonInExpressions: ExpressionValue = { type: 'dyn', read: (value) => value };

export function listInExpressions({ type, read }: ExpressionValue): ExpressionValue {
  const readAll = (value: FieldValue): unknown => (Array.isArray(value) ? value.map((one) => read(one)) : undefined);
  return { type: `list<${type}>`, read: readAll };
}

/** @param rest what a stored text lacks of a point in time. */
function timeInExpressions(rest: string): ExpressionValue {
  return {
    type: 'google.protobuf.Timestamp',
    read: (value) => {
      const time = typeof value === 'string' ? new Date(value + rest) : undefined;
      return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
    },
    write: (result) => {
      if (!(result instanceof Date) || Number.isNaN(result.getTime())) return undefined;
      const whole = result.toISOString();
      // Beyond the years of four digits, texts are not in the order of times.
      return /^\d{4}-/.test(whole) ? whole.slice(0, whole.length - rest.length) : undefined;
    },
  };
}

function safeNumber(value: number): number | undefined {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return undefined;
  return value === 0 ? 0 : value;
}

export interface ReadableFields {
  /** By each name that an expression may use. */
  readonly values: ReadonlyMap<string, ExpressionValue>;
  readonly language: ExpressionLanguage;
  /** The name of the field that each alias is one of. */
  readonly aliases: ReadonlyMap<string, string>;
}

export function evaluateOn(expression: Expression, fields: ReadableFields, record: FieldValues) {
  return expression.evaluate((name) => {
    const value = heldValue(record, fieldName(fields, name));
    return value === undefined ? undefined : fields.values.get(name)?.read(value);
  });
}

/** The most characters and elements that an evaluation goes through: each value as often as it reads it. */
export function evaluationSteps({ readings }: Expression, fields: ReadableFields, record: FieldValues): number {
  return readings.reduce((sum, { name, forEach }) => {
    const list = forEach === undefined ? undefined : heldValue(record, fieldName(fields, forEach));
    return sum + (Array.isArray(list) ? list.length : 1) * valueSize(heldValue(record, fieldName(fields, name)));
  }, 0);
}

function heldValue(record: FieldValues, field: string): FieldValue | undefined {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}

/** The number of characters and elements that a value has, and one more. */
export function valueSize(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + valueSize(part), 1);
}
