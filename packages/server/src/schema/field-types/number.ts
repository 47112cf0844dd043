import { numberText } from '@freehold/contract/value-texts';
import { numberOrder } from '../order/order-encoding.ts';
import { numberInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';
import { boundsHints } from './hints/bounds-hints.ts';

/** IEEE 754 doubles up to where they hold every whole number: beyond lie only integers that JSON readers disagree about. */
export const numberType: FieldType = {
  colType: 'number',
  hints: ['min', 'max'],
  encode: numberOrder,
  example: ({ min, max = 1 }) => min ?? Math.min(1, max),
  inExpressions: () => numberInExpressions,
  behave: (field) => {
    const bounds = boundsHints(field);
    if (typeof bounds === 'string') return bounds;
    return {
      parse: (input) =>
        typeof input === 'number' && Math.abs(input) <= Number.MAX_SAFE_INTEGER
          ? { value: input === 0 ? 0 : input }
          : wrongType('a number'),
      check: bounds.check,
      parseQuery: parseNumberText,
      schema: { type: 'number', ...bounds.schema },
    };
  },
};

function parseNumberText(text: string): { value: number } | ValueProblem {
  const value = numberText.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value: value === 0 ? 0 : value } : wrongType('a number');
}
