import { type FieldType, wrongType } from './field-type.ts';
import { exampleText, lengthHints } from './hints/bounds-hints.ts';

/** A text that is taken and never given back. */
export const encryptedType: FieldType = {
  colType: 'encrypted',
  hints: ['minlength', 'maxlength'],
  example: exampleText,
  isSecret: true,
  isOpaque: true,
  changeWarning: (before, { colType }) =>
    before === undefined || before.colType === colType
      ? undefined
      : 'what records hold of it is shown no more, and stays unsealed in the store until they are next written',
  behave: (field) => {
    const lengths = lengthHints(field);
    if (typeof lengths === 'string') return lengths;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check: lengths.check,
      schema: { type: 'string', ...lengths.schema },
    };
  },
};
