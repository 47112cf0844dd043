import { Type } from '@sinclair/typebox';
import { InputError } from '../problem-schema.ts';
import { count, guid, named, text } from '../schema.ts';

export const RecordId = named('RecordId', Type.Object({ id: guid }));

export const RecordCount = named(
  'RecordCount',
  Type.Object({
    count: Type.Integer(),
    partial: Type.Optional(
      Type.Literal(true, { description: 'The answer is a part: a call looks at so many entries and no more.' }),
    ),
    nexttoken: Type.Optional(Type.String({ description: 'Where the count goes on.' })),
  }),
);

export const RowErrors = named(
  'RowErrors',
  Type.Object({
    row: Type.Integer({ minimum: 1, description: 'The header of a file is no row.' }),
    errors: Type.Array(InputError),
  }),
);

export const ImportResult = named(
  'ImportResult',
  Type.Object({
    rows: count,
    created: count,
    updated: count,
    failed: count,
    errors: Type.Array(RowErrors, { maxItems: 100, description: 'Of the first rows that failed.' }),
    ignored: Type.Array(text, { description: 'What rows said that the platform alone says.' }),
    dry_run: Type.Boolean(),
    error: Type.Optional(
      Type.Object(
        { code: text, message: text },
        { description: 'Why the import ended before the file did. What is counted is written.' },
      ),
    ),
  }),
);

export const ImportProgress = named(
  'ImportProgress',
  Type.Union([
    Type.Object({ progress: Type.Object({ rows: count, created: count, updated: count, failed: count }) }),
    Type.Object({ result: ImportResult }),
  ]),
);
