import { type FieldType, wrongType } from './field-type.ts';
import { lengthCheck } from './length-hints.ts';

export const stringType: FieldType = {
  colType: 'string',
  hints: ['minlength', 'maxlength'],
  behave: (field) => {
    const check = lengthCheck(field);
    if (typeof check === 'string') return check;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check,
      parseQuery: (text) => ({ value: text }),
      encode: (value) => String(value),
    };
  },
};
