import { type FieldType, wrongType } from './field-type.ts';
import { lengthHints } from './length-hints.ts';
import { textOrder } from './text-order.ts';

export const stringType: FieldType = {
  colType: 'string',
  hints: ['minlength', 'maxlength'],
  behave: (field) => {
    const lengths = lengthHints(field);
    if (typeof lengths === 'string') return lengths;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check: lengths.check,
      parseQuery: (text) => ({ value: text }),
      encode: textOrder,
      schema: { type: 'string', ...lengths.schema },
    };
  },
};
