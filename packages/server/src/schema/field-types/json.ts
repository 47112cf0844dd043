import { jsonInExpressions } from './expression-value.ts';
import { type FieldType, wrongType } from './field-type.ts';

/** Any JSON but `null`, which clears a field. The body's parser has bounded its depth and its numbers. */
export const jsonType: FieldType = {
  colType: 'json',
  hints: [],
  example: () => ({}),
  isOpaque: true,
  inExpressions: () => jsonInExpressions,
  behave: () => ({
    parse: (input) =>
      typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean' || isStructure(input)
        ? { value: input }
        : wrongType('a JSON value'),
    schema: { not: { type: 'null' } },
  }),
};

function isStructure(input: unknown): input is { readonly [key: string]: unknown } {
  return typeof input === 'object' && input !== null;
}
