import { type FieldType, wrongType } from './field-type.ts';
import { lengthHints } from './hints/length-hints.ts';

/** A text that is taken and never given back. */
export const encryptedType: FieldType = {
  colType: 'encrypted',
  hints: ['minlength', 'maxlength'],
  behave: (field) => {
    const lengths = lengthHints(field);
    if (typeof lengths === 'string') return lengths;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check: lengths.check,
      schema: { type: 'string', ...lengths.schema },
      isSecret: true,
    };
  },
};
