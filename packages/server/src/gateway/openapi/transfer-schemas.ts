import { anyOf, arrayOf, type JsonSchema, objectOf, schemaReference, text } from '../../lib/json-schema.ts';

const count: JsonSchema = { type: 'integer', minimum: 0 };
const figures = { rows: count, created: count, updated: count, failed: count };

/** What comes of an import, of whichever entity. */
export const transferSchemas: Readonly<Record<string, JsonSchema>> = {
  ImportResult: objectOf(
    {
      ...figures,
      errors: {
        ...arrayOf(schemaReference('RowErrors')),
        maxItems: 100,
        description: 'Of the first rows that failed.',
      },
      ignored: { ...arrayOf(text), description: 'What rows said that the platform alone says.' },
      dry_run: { type: 'boolean' },
      error: {
        ...objectOf({ code: text, message: text }),
        description: 'Why the import ended before the file did. What is counted is written.',
      },
    },
    ['error'],
  ),
  RowErrors: objectOf({
    row: { type: 'integer', minimum: 1, description: 'The header of a file is no row.' },
    errors: arrayOf(schemaReference('InputError')),
  }),
  ImportProgress: anyOf([
    objectOf({ progress: objectOf(figures) }),
    objectOf({ result: schemaReference('ImportResult') }),
  ]),
};
