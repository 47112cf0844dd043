import type { FieldValue } from '../../definition.ts';

/** How the values of a field stand in expressions. */
export interface ExpressionValue {
  /** The type that CEL has for them. */
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
      return whole.slice(0, whole.length - rest.length);
    },
  };
}

function safeNumber(value: number): number | undefined {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return undefined;
  return value === 0 ? 0 : value;
}
