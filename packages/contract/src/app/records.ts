import { type Static, Type } from '@sinclair/typebox';
import { InputError } from '../problem-schema.ts';
import type { Method } from '../route.ts';
import { closed, count, guid, named, text } from '../schema.ts';

/** Closed, so that a record which lacks members is not one of these. */
export const RecordId = named('RecordId', closed({ id: guid }));

const IndexRead = Type.Object({
  name: text,
  kind: Type.Union(['field', 'owner', 'parent', 'search', 'compound'].map((kind) => Type.Literal(kind))),
});

export const Explanation = named(
  'Explanation',
  Type.Object(
    {
      index: Type.Union([IndexRead, Type.Null()], {
        description: 'The index whose entries were read; `null` if the records themselves were.',
      }),
      through: Type.Optional(
        Type.Object(
          {
            entity: text,
            index: IndexRead,
            records: Type.Integer({ minimum: 0, description: 'How many records of the other entity there are.' }),
          },
          { description: 'The records of another entity to which lookups point; the entries are those of the lookup.' },
        ),
      ),
      entriesWalked: Type.Integer({
        minimum: 0,
        description: 'How many entries of these indexes were read, or records without an index.',
      }),
      recordsTested: Type.Integer({
        minimum: 0,
        description: 'How many records were tested by filters, words or policies that the index does not decide.',
      }),
      budget: Type.Object(
        {
          items: Type.Integer({ minimum: 0, description: 'Of 1,000,000 records that are looked at.' }),
          bytes: Type.Integer({
            minimum: 0,
            description:
              'Of 4 MiB, of a count 64 MiB; each UTF-16 unit of a record that is shown, or to which a filter follows a lookup, counts as 3.',
          }),
          milliseconds: Type.Integer({ minimum: 0, description: 'Of 2 s.' }),
          steps: Type.Integer({
            minimum: 0,
            description: 'Of 40,000,000, which evaluating policies and `filter` takes; a step is about 2 ns.',
          }),
        },
        { description: 'What was used of the scan budget.' },
      ),
    },
    { description: 'How the records were found.' },
  ),
);

export const RecordCount = named(
  'RecordCount',
  Type.Object({
    count: Type.Integer(),
    partial: Type.Optional(
      Type.Literal(true, { description: 'The result is partial: the call reached its scan limit.' }),
    ),
    partial_reason: Type.Optional(
      Type.Union([Type.Literal('records'), Type.Literal('time')], {
        description:
          'Which limit ended it: of the records that one call looks at, or of the time and work that it takes. The last part of a count has none.',
      }),
    ),
    nexttoken: Type.Optional(Type.String({ description: 'The cursor from which to continue counting.' })),
    explain: Type.Optional(Explanation),
  }),
);

const GroupValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

export const AggregatePage = named(
  'AggregatePage',
  Type.Object({
    items: Type.Array(
      Type.Object({
        group: Type.Record(Type.String(), GroupValue, {
          description: 'By the name of each field, such as `status` or `month_created_at`; `null` without a value.',
        }),
        values: Type.Unsafe<Record<string, Static<typeof GroupValue>>>({
          type: 'object',
          properties: { count: Type.Integer({ minimum: 0, description: 'Of the measure `count`.' }) },
          additionalProperties: GroupValue,
          description: 'By the name of each measure, such as `count` or `sum_amount`; `null` of no values.',
        }),
      }),
      { description: 'The groups.' },
    ),
    nexttoken: Type.Union([Type.String(), Type.Null()], { description: 'The cursor of the next page.' }),
    partial: Type.Optional(
      Type.Literal(true, { description: 'The result is that of a part of the records: the call reached its limit.' }),
    ),
    partial_reason: Type.Optional(
      Type.Union([Type.Literal('records'), Type.Literal('time')], {
        description: 'The limit: of the records that are looked at, or of the time.',
      }),
    ),
    notes: Type.Optional(Type.Array(text, { description: 'About values that could not be shown.' })),
    explain: Type.Optional(
      Type.Object(
        {
          aggregate: Type.Union([Type.String(), Type.Null()], {
            description: 'The kept aggregate that answered, by its name; `null` where records were read.',
          }),
        },
        { description: 'How the figures were found.' },
      ),
    ),
  }),
);

export const Facets = named(
  'Facets',
  Type.Record(Type.String(), Type.Array(Type.Object({ value: GroupValue, count: Type.Integer({ minimum: 1 }) })), {
    description:
      'By the name of each field: its 50 most frequent values in all records of the list, the most frequent first. `null` is the value of records without one.',
  }),
);

export const RowErrors = named(
  'RowErrors',
  Type.Object({
    row: Type.Integer({ minimum: 1, description: 'The header line of a file is not counted.' }),
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
    errors: Type.Array(RowErrors, { maxItems: 100, description: 'The errors of the first rows that failed.' }),
    ignored: Type.Array(text, { description: 'Fields of rows that were ignored, because the platform sets them.' }),
    dry_run: Type.Boolean(),
    error: Type.Optional(
      Type.Object(
        { code: text, message: text },
        { description: 'Why the import ended before the end of the file. The counted rows are written.' },
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

/** A route of every entity. The definition of the entity says what it takes and answers. */
export interface RecordRoute {
  readonly method: Method;
  readonly path: `/app/:org/${string}/:entity${'' | '/:id'}`;
  /** What the caller's policies must allow, with the name of the entity behind it. */
  readonly access: string;
  readonly summary: string;
  readonly description?: string;
  /** As of other routes. */
  readonly compressed?: 'reply';
}

export const recordRoutes = {
  create: { method: 'POST', path: '/app/:org/create/:entity', access: 'create', summary: 'Creates a record' },
  get: {
    method: 'GET',
    path: '/app/:org/item/:entity/:id',
    access: 'get',
    summary: 'Reads a record',
    description: 'With `expand` the reply shows related records too, and has no `ETag`.',
  },
  update: {
    method: 'PUT',
    path: '/app/:org/update/:entity/:id',
    access: 'update',
    summary: 'Updates the sent fields of a record; `null` clears a field',
  },
  delete: { method: 'DELETE', path: '/app/:org/delete/:entity/:id', access: 'delete', summary: 'Deletes a record' },
  list: {
    method: 'GET',
    path: '/app/:org/list/:entity',
    access: 'list',
    summary: 'Lists records, a page at a time',
    compressed: 'reply',
    description:
      'With `expand` the reply shows related records too. Each parameter can also be sent with `$` before its name, which is its only name where a field of the entity has the other.',
  },
  count: { method: 'GET', path: '/app/:org/count/:entity', access: 'count', summary: 'Counts records' },
  aggregate: {
    method: 'GET',
    path: '/app/:org/aggregate/:entity',
    access: 'list',
    summary: 'Counts, adds up and compares the records of groups',
    description:
      'The records are those of a list with the same conditions. Each parameter can also be sent with `$` before its name, which is its only name where a field of the entity has the other.',
  },
  import: {
    method: 'POST',
    path: '/app/:org/import/:entity',
    access: 'create',
    summary: 'Creates records from the rows of a file of any length',
    description:
      'A refused row does not affect the others. With `upsert` a file can be sent again. A caller that accepts `application/x-ndjson` gets the progress while the import runs.',
  },
  export: {
    method: 'GET',
    path: '/app/:org/export/:entity',
    access: 'list',
    summary: 'Exports the records of a list as a file',
    description: 'A file that could not be completed breaks off, and is never mistaken for a complete one.',
  },
} as const satisfies Readonly<Record<string, RecordRoute>>;

export type RecordAction = keyof typeof recordRoutes;
