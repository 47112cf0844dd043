import { encodeNumber } from '../order-encoding.ts';
import { boundsCheck } from './bounds-hints.ts';
import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** IEEE 754 doubles. Unsafe integers and non-finite numbers never get here: the body's parser refuses them. */
export const numberType: FieldType = {
  colType: 'number',
  hints: ['min', 'max'],
  behave: (field) => {
    const check = boundsCheck(field);
    if (typeof check === 'string') return check;
    return {
      parse: (input) =>
        typeof input === 'number' && Number.isFinite(input)
          ? { value: input === 0 ? 0 : input }
          : wrongType('a number'),
      check,
      parseQuery: parseNumberText,
      encode: (value) => encodeNumber(Number(value)),
    };
  },
};

const decimal = /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/;

function parseNumberText(text: string): { value: number } | ValueProblem {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value: value === 0 ? 0 : value } : wrongType('a number');
}
