import { textOrder } from '../order/order-encoding.ts';
import { textInExpressions } from './expression-value.ts';
import { type FieldType, wrongType } from './field-type.ts';
import { exampleText, lengthHints } from './hints/bounds-hints.ts';
import { patternHint } from './hints/pattern-hint.ts';

export const stringType: FieldType = {
  colType: 'string',
  hints: ['minlength', 'maxlength', 'pattern', 'lookup'],
  encode: textOrder,
  example: exampleText,
  mayNameOwner: true,
  mayNameParent: true,
  inExpressions: () => textInExpressions,
  behave: (field) => {
    const pattern = patternHint(field);
    if (typeof pattern === 'string') return pattern;
    const { maxlength = Number.POSITIVE_INFINITY } = field;
    const lengths = lengthHints({ ...field, maxlength: Math.min(maxlength, pattern.charactersMax) });
    if (typeof lengths === 'string') return lengths;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      check: (value) => lengths.check(value) ?? pattern.check(value),
      ...(field.pattern === undefined ? {} : { checkSteps: pattern.steps }),
      parseQuery: (text) => ({ value: text }),
      schema: { type: 'string', ...lengths.schema, ...pattern.schema },
      isSearchable: true,
    };
  },
};
