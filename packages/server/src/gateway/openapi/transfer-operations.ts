import { anyOf, schemaReference, text } from '../../lib/json-schema.ts';
import { type CompiledEntity, isPlatformMade } from '../../schema/port.ts';
import { type EntityOperation, place, problemsOfLists, problemsOfRecords, viewParameter } from './entity-operation.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import { choiceParameters, flag, orderParameters } from './list-parameters.ts';
import { type Content, jsonContent, linesContent } from './operation.ts';
import { queryParameter } from './parameters.ts';
import { shownBy } from './view-schemas.ts';

/** What `handlers/app/transfer.ts` serves, for one entity. */
export function transferOperations(documented: DocumentedEntity): readonly EntityOperation[] {
  return [importFile(documented), exportFile(documented)];
}

function importFile(documented: DocumentedEntity): EntityOperation {
  const { entity, names } = documented;
  const row = anyOf([names.create, names.update].map(schemaReference));
  return {
    ...place(documented, 'import'),
    parameters: [
      ...upsertParameter(entity),
      queryParameter('dry_run', { ...flag, default: false }, 'With `true` nothing is written.'),
    ],
    body: {
      ...csvContent,
      ...linesContent(['application/x-ndjson', 'application/jsonl', 'application/jsonlines'], row),
    },
    replies: [
      {
        status: 200,
        description: 'The outcome of the rows, with an error if the file could not be read to its end.',
        content: {
          ...jsonContent(schemaReference('ImportResult')),
          ...linesContent(['application/x-ndjson'], schemaReference('ImportProgress')),
        },
      },
    ],
    problems: [...problemsOfRecords, 'validation_failed', 'unknown_field', 'conflict', 'plan_limit_exceeded'],
  };
}

/** A row has the values by which it is found, so the platform makes none of them. */
function upsertParameter({ uniques, fields }: CompiledEntity) {
  const isMade = (name: string): boolean => {
    const field = fields.get(name);
    return field !== undefined && isPlatformMade(field.behaviour);
  };
  const indexes = uniques.filter(({ isReady, fields: of }) => isReady && !of.some(({ field }) => isMade(field)));
  const description =
    'The unique index whose values find the record that a row updates; without one, the row creates it.';
  if (indexes.length === 0) return [];
  return [queryParameter('upsert', { ...text, enum: indexes.map(({ name }) => name) }, description)];
}

function exportFile(documented: DocumentedEntity): EntityOperation {
  const { entity } = documented;
  const formats = { ...text, enum: ['csv', 'jsonl'] };
  return {
    ...place(documented, 'export'),
    parameters: [
      ...choiceParameters(entity),
      viewParameter(documented, 'list'),
      ...orderParameters(entity),
      queryParameter('format', formats, 'If it is left out, `Accept` decides; the default is `jsonl`.'),
    ],
    replies: [
      {
        status: 200,
        description: 'The records, a line each.',
        content: { ...csvContent, ...linesContent(['application/x-ndjson'], shownBy(documented, 'list')) },
        headers: ['Content-Disposition'],
      },
    ],
    problems: [...problemsOfLists, 'conflict'],
  };
}

const csvContent: Content = {
  'text/csv': { ...text, description: 'A line with the names of the fields, and one for each record.' },
};
