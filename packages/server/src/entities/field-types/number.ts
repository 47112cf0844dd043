import { encodeNumber } from '../order-encoding.ts';
import { type FieldType, type FieldValue, type ValueProblem, wrongType } from './field-type.ts';

/** IEEE 754 doubles. Unsafe integers and non-finite numbers never get here: the body's parser refuses them. */
export const numberType: FieldType = {
  colType: 'number',
  hints: ['min', 'max'],
  behave: (field) => {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
    if (min > max) return 'has a `min` above its `max`';
    return {
      parse: (input) =>
        typeof input === 'number' && Number.isFinite(input)
          ? { value: input === 0 ? 0 : input }
          : wrongType('a number'),
      check: (value) => checkBounds(value, min, max),
      parseQuery: parseNumberText,
      encode: (value) => encodeNumber(Number(value)),
    };
  },
};

function checkBounds(value: FieldValue, min: number, max: number): ValueProblem | undefined {
  if (typeof value !== 'number') return undefined;
  if (value < min) return { code: 'too_small', message: `must be at least ${min}` };
  if (value > max) return { code: 'too_large', message: `must be at most ${max}` };
  return undefined;
}

const decimal = /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/;

function parseNumberText(text: string): { value: number } | ValueProblem {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value: value === 0 ? 0 : value } : wrongType('a number');
}
