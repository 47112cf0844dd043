import { accessSentence } from '@freehold/contract/access';
import { type RecordAction, type RecordRoute, recordRoutes } from '@freehold/contract/app/records';
import type { ProblemCode } from '@freehold/contract/problem';
import { forcedEntityNames, systemEntityNames, uncreatedEntityNames } from '@freehold/contract/system-entities';
import { anyOf, schemaReference, text } from '../../lib/json-schema.ts';
import { type CompiledEntity, isPlatformMade } from '../../schema/port.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import { entityExamples } from './examples/entity-examples.ts';
import {
  aggregateParameters,
  choiceParameters,
  explainParameter,
  facetsParameter,
  fieldsParameter,
  flag,
  nexttoken,
  orderParameters,
  pageSize,
  totalParameter,
} from './list-parameters.ts';
import {
  force,
  idempotencyKey,
  ifMatch,
  ifNoMatch,
  ifNoneMatch,
  jsonContent,
  linesContent,
  type MediaTypes,
  type Operation,
  type Parameter,
  prefer,
  queryParameter,
} from './operation.ts';
import { type ShowingAction, viewOf } from './type-names.ts';
import { expandParameter, shownBy } from './view-schemas.ts';

/** The operations of an app on the records of one entity. */
export interface EntityOperation extends Operation {
  readonly action: RecordAction;
}

function place({ entity, names }: DocumentedEntity, action: RecordAction) {
  const { method, path, access, summary, description }: RecordRoute = recordRoutes[action];
  const sentence = accessSentence(access + entity.name);
  return {
    action,
    method,
    path: path.replace(':entity', entity.name),
    operationId: action + names.called,
    tag: entity.name,
    summary,
    description: description === undefined ? sentence : `${description} ${sentence}`,
    access: 'token',
  } as const;
}

/** It names the view by which the document describes replies; a call has to send a view other than the default. */
function viewParameter({ names, view }: DocumentedEntity, action: ShowingAction): Parameter {
  const views = [...names.views[action].keys()];
  const described = viewOf(names, action, view);
  const isDefault = described === 'default';
  return {
    ...queryParameter(
      'view',
      { ...text, enum: [described], ...(isDefault ? { default: described } : {}) },
      'What is shown of a record. `x-views` names all views; the document under `?view=` with one of them describes its replies.',
    ),
    ...(isDefault ? {} : { required: true }),
    'x-views': views,
  };
}

const problemsOfRecords: readonly ProblemCode[] = ['workspace_required', 'access_denied', 'not_found'];

const problemsOfLists: readonly ProblemCode[] = [...problemsOfRecords, 'unindexed_sort', 'search_unavailable'];

/** The routes of `handlers/app/transfer.ts`, for one entity. */
function transferOperations(documented: DocumentedEntity): readonly EntityOperation[] {
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
      ...orderParameters(entity, { isWhole: true }),
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

const csvContent: MediaTypes = {
  'text/csv': { ...text, description: 'A line with the names of the fields, and one for each record.' },
};

/** Everything that is served for one entity: its records by `handlers/app/records.ts`. */
export function entityOperations(documented: DocumentedEntity): readonly EntityOperation[] {
  const ofRecords = [create, item, update, remove, list, count, aggregate].map((operationOf) =>
    operationOf(documented),
  );
  const all = [...ofRecords, ...transferOperations(documented)];
  const isCreated = !uncreatedEntityNames.includes(documented.entity.name);
  const served = isCreated ? all : all.filter(({ action }) => recordRoutes[action].access !== 'create');
  const examples = entityExamples(documented);
  return served.map((operation) => ({ ...operation, example: examples[operation.action] }));
}

function create(documented: DocumentedEntity): EntityOperation {
  const { entity, names } = documented;
  return {
    ...place(documented, 'create'),
    parameters: [viewParameter(documented, 'create'), prefer, idempotencyKey],
    body: jsonContent(schemaReference(names.create)),
    replies: [
      {
        status: 201,
        description: 'The record; its `id` alone, as a `RecordId`, where `Preference-Applied` says `return=minimal`.',
        content: jsonContent(shownBy(documented, 'create')),
        headers: ['Location', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'],
      },
    ],
    problems: [...problemsOfWrites, 'idempotency_key_reused', ...problemsOfAccess(entity.name)],
  };
}

function item(documented: DocumentedEntity): EntityOperation {
  const { expansions } = documented;
  return {
    ...place(documented, 'get'),
    parameters: [
      viewParameter(documented, 'get'),
      expandParameter(expansions()),
      fieldsParameter(),
      ifMatch,
      ifNoneMatch,
    ],
    replies: [
      {
        status: 200,
        description: 'The record.',
        content: jsonContent(shownBy(documented, 'get')),
        headers: ['ETag'],
      },
      { status: 304, description: 'The caller’s copy is current.', headers: ['ETag'] },
    ],
    problems: problemsOfRecords,
  };
}

function update(documented: DocumentedEntity): EntityOperation {
  const { entity, names } = documented;
  return {
    ...place(documented, 'update'),
    parameters: [viewParameter(documented, 'update'), ifMatch, ifNoMatch],
    body: jsonContent(schemaReference(names.update)),
    replies: [
      {
        status: 200,
        description: 'The record after the update.',
        content: jsonContent(shownBy(documented, 'update')),
        headers: ['ETag'],
      },
    ],
    problems: [...problemsOfWrites, 'version_mismatch', ...problemsOfAccess(entity.name)],
  };
}

function remove(documented: DocumentedEntity): EntityOperation {
  const { entity } = documented;
  return {
    ...place(documented, 'delete'),
    parameters: [...(forcedEntityNames.includes(entity.name) ? [force] : []), ifMatch, ifNoMatch],
    replies: [
      { status: 204, description: 'Removed.' },
      {
        status: 202,
        description: 'More than 200 records go or change with it: a job goes on.',
        content: jsonContent(schemaReference('Job')),
        headers: ['Location'],
      },
    ],
    problems: [
      ...problemsOfRecords,
      'conflict',
      'dangling_reference',
      'before_event_failed',
      'version_mismatch',
      ...problemsOfAccess(entity.name),
    ],
  };
}

function list(documented: DocumentedEntity): EntityOperation {
  const { entity, names, expansions } = documented;
  return {
    ...place(documented, 'list'),
    parameters: [
      ...choiceParameters(entity),
      viewParameter(documented, 'list'),
      expandParameter(expansions(), entity),
      fieldsParameter(entity),
      ...orderParameters(entity),
      pageSize,
      nexttoken,
      totalParameter(entity),
      explainParameter(entity),
      facetsParameter,
    ],
    replies: [
      {
        status: 200,
        description: 'A page. It may be short, and is marked then; with a `nexttoken` there may be more.',
        content: jsonContent(schemaReference(names.page)),
      },
    ],
    problems: [...problemsOfLists, 'invalid_cursor'],
  };
}

function count(documented: DocumentedEntity): EntityOperation {
  const { entity } = documented;
  return {
    ...place(documented, 'count'),
    parameters: [...choiceParameters(entity), nexttoken, explainParameter(entity)],
    replies: [
      {
        status: 200,
        description: 'The count. A marked count is partial; the sum of all parts is the total.',
        content: jsonContent(schemaReference('RecordCount')),
      },
    ],
    problems: [...problemsOfLists, 'invalid_cursor'],
  };
}

function aggregate(documented: DocumentedEntity): EntityOperation {
  const { entity } = documented;
  return {
    ...place(documented, 'aggregate'),
    parameters: [...choiceParameters(entity), ...aggregateParameters(entity), nexttoken, explainParameter(entity)],
    replies: [
      {
        status: 200,
        description: 'The groups, with the values of each. A marked result is that of a part of the records.',
        content: jsonContent(schemaReference('AggregatePage')),
      },
    ],
    problems: [...problemsOfRecords, 'search_unavailable', 'invalid_cursor'],
  };
}

const problemsOfWrites: readonly ProblemCode[] = [
  ...problemsOfRecords,
  'validation_failed',
  'unknown_field',
  'conflict',
  'unique_violation',
  'before_event_failed',
  'plan_limit_exceeded',
];
/** Further refusals of the entities of access control. */
function problemsOfAccess(entityName: string): readonly ProblemCode[] {
  return systemEntityNames.includes(entityName) ? ['escalation_refused', 'last_admin', 'in_use'] : [];
}
