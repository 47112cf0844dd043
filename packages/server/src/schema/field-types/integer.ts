import { integerText } from '@freehold/contract/value-texts';
import { numberOrder } from '../order/order-encoding.ts';
import { wholeNumberInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';
import { boundsHints } from './hints/bounds-hints.ts';

/** Whole numbers that a double holds exactly: from -(2^53 - 1) to 2^53 - 1. */
export const integerType: FieldType = {
  colType: 'integer',
  hints: ['min', 'max'],
  encode: numberOrder,
  example: ({ min, max = 1 }) => Math.ceil(min ?? Math.min(1, max)),
  takenBy: ['number'],
  mayNameParent: true,
  inExpressions: () => wholeNumberInExpressions,
  behave: (field) => {
    const bounds = boundsHints(field);
    if (typeof bounds === 'string') return bounds;
    return {
      parse: (input) => parseInteger(input),
      check: bounds.check,
      parseQuery: (text) => parseInteger(integerText.test(text) ? Number(text) : text),
      schema: { type: 'integer', ...bounds.schema },
    };
  },
};

function parseInteger(input: unknown): { value: number } | ValueProblem {
  if (typeof input !== 'number' || !Number.isSafeInteger(input)) return wrongType('a whole number');
  return { value: input === 0 ? 0 : input };
}
