import type { Field } from '../entities/definition.ts';

const examples: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  datetime: '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'someone@example.com',
  url: 'https://example.com',
  autoincrement: 1,
  json: {},
  array: [],
};

/** A record to begin with: a value for each field of a simple type. Encrypted fields are not sent. */
export function sampleOf(fields: readonly Field[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields.flatMap(({ name, colType = 'string', enumValues, formula }) => {
      const value = enumValues?.[0] ?? examples[colType];
      return value === undefined || formula !== undefined ? [] : [[name, value]];
    }),
  );
}
