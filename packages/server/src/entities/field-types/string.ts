import { type FieldType, wrongType } from './field-type.ts';
import { lengthHints } from './length-hints.ts';
import { patternedTextMax, patternHint } from './pattern-hint.ts';
import { textOrder } from './text-order.ts';

export const stringType: FieldType = {
  colType: 'string',
  hints: ['minlength', 'maxlength', 'pattern', 'lookup'],
  behave: (field) => {
    const maxlength =
      field.pattern === undefined
        ? field.maxlength
        : Math.min(field.maxlength ?? Number.POSITIVE_INFINITY, patternedTextMax);
    const lengths = lengthHints({ ...field, ...(maxlength === undefined ? {} : { maxlength }) });
    if (typeof lengths === 'string') return lengths;
    const pattern = patternHint(field);
    if (typeof pattern === 'string') return pattern;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check: (value) => lengths.check(value) ?? pattern.check(value),
      parseQuery: (text) => ({ value: text }),
      encode: textOrder,
      schema: { type: 'string', ...lengths.schema, ...pattern.schema },
      isSearchable: true,
    };
  },
};
