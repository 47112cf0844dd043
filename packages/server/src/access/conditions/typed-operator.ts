import { spend } from '../effort.ts';
import type { Operand, Operator, Scalar } from './operator.ts';

/** An operator of values of one type. A value of the request that is not of the type cannot be compared, also where it is negated. */
export interface TypedOperator<Known, Expected> {
  readonly operand: Operand;
  read(value: unknown): Known | undefined;
  /** What is read of a value that a condition names, such as `a number`. */
  readonly expected: string;
  readExpected(text: string): Expected | undefined;
  fits(value: Known, expected: Expected): boolean;
  readonly isNegated?: boolean;
  /** The text of a value that a condition names, where it is not the plain one. */
  textOf?(value: Scalar): string;
}

export function typedOperator<Known, Expected>(type: TypedOperator<Known, Expected>): Operator {
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
      };
    },
  };
}

/** To read a value, beside its length. */
const stepsOfReading = 32;
const stepsOfExpected = 8;
