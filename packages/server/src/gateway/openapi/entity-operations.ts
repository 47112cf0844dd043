import { recordRoutes } from '@freehold/contract/app/records';
import type { ProblemCode } from '@freehold/contract/problem';
import { forcedEntityNames, uncreatedEntityNames } from '@freehold/contract/system-entities';
import { schemaReference } from '../../lib/json-schema.ts';
import { systemEntityNames } from '../../schema/port.ts';
import { type EntityOperation, place, problemsOfLists, problemsOfRecords, viewParameter } from './entity-operation.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import { entityExamples } from './examples/entity-examples.ts';
import {
  choiceParameters,
  explainParameter,
  fieldsParameter,
  nexttoken,
  orderParameters,
  pageSize,
  totalParameter,
} from './list-parameters.ts';
import { jsonContent } from './operation.ts';
import { force, idempotencyKey, ifMatch, ifNoMatch, ifNoneMatch, prefer } from './parameters.ts';
import { expandParameter } from './related/expand-schemas.ts';
import { transferOperations } from './transfer-operations.ts';
import { shownBy } from './view-schemas.ts';

/** Everything that is served for one entity: its records by `handlers/app/records.ts`. */
export function entityOperations(documented: DocumentedEntity): readonly EntityOperation[] {
  const ofRecords = [create, item, update, remove, list, count].map((operationOf) => operationOf(documented));
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

const problemsOfWrites: readonly ProblemCode[] = [
  ...problemsOfRecords,
  'validation_failed',
  'unknown_field',
  'conflict',
  'unique_violation',
  'before_event_failed',
  'plan_limit_exceeded',
];
/** What the entities of access control refuse beyond that. */
function problemsOfAccess(entityName: string): readonly ProblemCode[] {
  return systemEntityNames.includes(entityName) ? ['escalation_refused', 'last_admin', 'in_use'] : [];
}
