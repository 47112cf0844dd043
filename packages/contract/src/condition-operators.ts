/** The operators of conditions, each with what it compares and when it holds. Shared with forms that offer them. */

export type OperandKind = 'text' | 'pattern' | 'number' | 'date' | 'boolean' | 'address';

export interface ConditionOperator {
  readonly operand: OperandKind;
  /** Goes on from “holds if the value …”. */
  readonly meaning: string;
  /** Of several values none may match, and it holds where there is no value. */
  readonly isNegated?: true;
}

const measures = (operand: 'number' | 'date', words: readonly [less: string, more: string]) => {
  const [less, more] = words;
  const prefix = operand === 'number' ? 'Numeric' : 'Date';
  const what = operand === 'number' ? 'number' : 'moment';
  return {
    [`${prefix}Equals`]: { operand, meaning: `is one of these ${what}s` },
    [`${prefix}NotEquals`]: { operand, meaning: `is none of these ${what}s`, isNegated: true },
    [`${prefix}LessThan`]: { operand, meaning: `is ${less} the ${what}` },
    [`${prefix}LessThanEquals`]: { operand, meaning: `is ${less} the ${what}, or equal to it` },
    [`${prefix}GreaterThan`]: { operand, meaning: `is ${more} the ${what}` },
    [`${prefix}GreaterThanEquals`]: { operand, meaning: `is ${more} the ${what}, or equal to it` },
  } satisfies Record<string, ConditionOperator>;
};

/** By their names without qualifiers. */
export const conditionOperators: Readonly<Record<string, ConditionOperator>> = {
  StringEquals: { operand: 'text', meaning: 'is exactly one of these texts' },
  StringNotEquals: { operand: 'text', meaning: 'is none of these texts', isNegated: true },
  StringEqualsIgnoreCase: { operand: 'text', meaning: 'is one of these texts, whatever the case of A to Z' },
  StringNotEqualsIgnoreCase: {
    operand: 'text',
    meaning: 'is none of these texts, whatever the case of A to Z',
    isNegated: true,
  },
  StringLike: { operand: 'pattern', meaning: 'matches one of these patterns: * is any run of characters, ? is one' },
  StringNotLike: {
    operand: 'pattern',
    meaning: 'matches none of these patterns: * is any run of characters, ? is one',
    isNegated: true,
  },
  ...measures('number', ['below', 'above']),
  ...measures('date', ['before', 'after']),
  Bool: { operand: 'boolean', meaning: 'is true, or is false' },
  IpAddress: { operand: 'address', meaning: 'is one of these addresses, or in one of these networks' },
  NotIpAddress: {
    operand: 'address',
    meaning: 'is none of these addresses, and in none of these networks',
    isNegated: true,
  },
  Null: { operand: 'boolean', meaning: 'is missing (true), or is there (false)' },
};

/** What stands before an operator for a field with several values. */
export const setQualifiers = {
  'ForAnyValue:': 'one of the values matches',
  'ForAllValues:': 'all values match, also if there are none',
} as const;

/** What stands behind an operator that also holds where there is no value. */
export const existsSuffix = 'IfExists';
