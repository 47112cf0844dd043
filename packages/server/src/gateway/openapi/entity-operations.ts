import type { ProblemCode } from '@freehold/contract/problem';
import { systemEntityNames } from '../../entities/system-entity-names.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import { schemaReference } from './json-schema.ts';
import { choiceParameters, nexttoken, pageParameters } from './list-parameters.ts';
import { jsonContent, type Operation } from './operation.ts';
import { ifMatch, ifNoneMatch, prefer } from './parameters.ts';
import { pascalCase } from './type-names.ts';

/** What `handlers/app/records.ts` serves, for one entity. */
export function entityOperations(documented: DocumentedEntity): readonly Operation[] {
  return [create, item, update, remove, list, count].map((operationOf) => operationOf(documented));
}

function create(documented: DocumentedEntity): Operation {
  const { entity, names } = documented;
  return {
    ...place(documented, 'create', `/create/${entity.name}`),
    method: 'POST',
    summary: 'Makes a record',
    parameters: [prefer],
    body: jsonContent(schemaReference(names.create)),
    replies: [
      {
        status: 201,
        description: 'The record; its id alone where the caller prefers that.',
        content: jsonContent({ anyOf: [schemaReference(names.record), schemaReference('RecordId')] }),
        headers: ['Location', 'ETag', 'Preference-Applied'],
      },
    ],
    problems: [...problemsOfWrites, ...problemsOfAccess(entity.name)],
  };
}

function item(documented: DocumentedEntity): Operation {
  return {
    ...place(documented, 'get', `/item/${documented.entity.name}/:id`),
    method: 'GET',
    summary: 'Reads a record',
    parameters: [ifNoneMatch],
    replies: [
      {
        status: 200,
        description: 'The record.',
        content: jsonContent(schemaReference(documented.names.record)),
        headers: ['ETag'],
      },
      { status: 304, description: 'The caller’s copy is current.', headers: ['ETag'] },
    ],
    problems: problemsOfRecords,
  };
}

function update(documented: DocumentedEntity): Operation {
  const { entity, names } = documented;
  return {
    ...place(documented, 'update', `/update/${entity.name}/:id`),
    method: 'PUT',
    summary: 'Changes the fields that are sent of a record; `null` clears one',
    parameters: [ifMatch],
    body: jsonContent(schemaReference(names.update)),
    replies: [
      {
        status: 200,
        description: 'The record as it stands now.',
        content: jsonContent(schemaReference(names.record)),
        headers: ['ETag'],
      },
    ],
    problems: [...problemsOfWrites, 'version_mismatch', ...problemsOfAccess(entity.name)],
  };
}

function remove(documented: DocumentedEntity): Operation {
  const { entity } = documented;
  return {
    ...place(documented, 'delete', `/delete/${entity.name}/:id`),
    method: 'DELETE',
    summary: 'Removes a record',
    parameters: [ifMatch],
    replies: [{ status: 204, description: 'Removed.' }],
    problems: [
      ...problemsOfRecords,
      'conflict',
      'dangling_reference',
      'version_mismatch',
      ...problemsOfAccess(entity.name),
    ],
  };
}

function list(documented: DocumentedEntity): Operation {
  const { entity, names } = documented;
  return {
    ...place(documented, 'list', `/list/${entity.name}`),
    method: 'GET',
    summary: 'Lists records, a page at a time',
    parameters: [...choiceParameters(entity), ...pageParameters(entity)],
    replies: [
      {
        status: 200,
        description: 'A page. It may end short; where it has a `nexttoken`, there may be more.',
        content: jsonContent(schemaReference(names.page)),
      },
    ],
    problems: problemsOfLists,
  };
}

function count(documented: DocumentedEntity): Operation {
  const { entity } = documented;
  return {
    ...place(documented, 'count', `/count/${entity.name}`),
    method: 'GET',
    summary: 'Counts records',
    parameters: [...choiceParameters(entity), nexttoken],
    replies: [
      {
        status: 200,
        description: 'The count; with a `nexttoken` only of the part that was looked at.',
        content: jsonContent(schemaReference('RecordCount')),
      },
    ],
    problems: problemsOfLists,
  };
}

function place({ entity }: DocumentedEntity, verb: string, route: string) {
  const path = `/app/:org${route}`;
  return { path, operationId: verb + pascalCase(entity.name), tag: entity.name, access: 'token' } as const;
}

const problemsOfRecords: readonly ProblemCode[] = ['workspace_required', 'access_denied', 'not_found'];
const problemsOfWrites: readonly ProblemCode[] = [
  ...problemsOfRecords,
  'validation_failed',
  'unknown_field',
  'conflict',
  'unique_violation',
];
const problemsOfLists: readonly ProblemCode[] = [
  ...problemsOfRecords,
  'invalid_cursor',
  'unindexed_sort',
  'search_unavailable',
];

/** What the entities of access control refuse beyond that. */
function problemsOfAccess(entityName: string): readonly ProblemCode[] {
  return systemEntityNames.includes(entityName) ? ['escalation_refused', 'last_admin', 'in_use'] : [];
}
