import { flagInExpressions } from './expression-value.ts';
import { type FieldType, wrongType } from './field-type.ts';

export const booleanType: FieldType = {
  colType: 'boolean',
  hints: [],
  encode: (value) => (typeof value === 'boolean' ? String(Number(value)) : undefined),
  example: () => true,
  inExpressions: () => flagInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'boolean' ? { value: input } : wrongType('`true` or `false`')),
    parseQuery: (text) =>
      text === 'true' || text === 'false' ? { value: text === 'true' } : wrongType('`true` or `false`'),
    schema: { type: 'boolean' },
  }),
};
