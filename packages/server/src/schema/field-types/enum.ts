import { textOrder } from '../order/order-encoding.ts';
import { textInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** Of a long list a refusal names the beginning. */
const shownMax = 20;

export const enumType: FieldType = {
  colType: 'enum',
  hints: ['enumValues'],
  encode: textOrder,
  example: ({ enumValues }) => enumValues?.[0],
  takenBy: ['string'],
  mayNameParent: true,
  inExpressions: () => textInExpressions,
  behave: (field) => {
    const allowed = field.enumValues ?? [];
    if (allowed.length === 0) return 'needs `enumValues`, a list of strings with at least one';
    if (new Set(allowed).size !== allowed.length) return 'names a value of `enumValues` twice';
    const shown = allowed.slice(0, shownMax).join(', ') + (allowed.length > shownMax ? ', …' : '');
    const parse = (text: string): { value: string } | ValueProblem =>
      allowed.includes(text) ? { value: text } : { code: 'not_in_enum', message: `must be one of ${shown}` };
    return {
      parse: (input) => (typeof input === 'string' ? parse(input) : wrongType('a string')),
      parseQuery: parse,
      schema: { type: 'string', enum: allowed },
    };
  },
};
