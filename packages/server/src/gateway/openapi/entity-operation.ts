/** What the operations of an entity have in common. */
import { accessSentence } from '@freehold/contract/access';
import { type RecordAction, type RecordRoute, recordRoutes } from '@freehold/contract/app/records';
import type { ProblemCode } from '@freehold/contract/problem';
import { text } from '../../lib/json-schema.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import type { Operation, Parameter } from './operation.ts';
import { queryParameter } from './parameters.ts';
import { pascalCase, type ShowingAction, type TypeNames } from './type-names.ts';

/** What an app does with the records of one entity. */
export interface EntityOperation extends Operation {
  readonly action: RecordAction;
}

export function place({ entity }: DocumentedEntity, action: RecordAction) {
  const { method, path, access, summary, description }: RecordRoute = recordRoutes[action];
  const sentence = accessSentence(access + entity.name);
  return {
    action,
    method,
    path: path.replace(':entity', entity.name),
    operationId: action + pascalCase(entity.name),
    tag: entity.name,
    summary,
    description: description === undefined ? sentence : `${description} ${sentence}`,
    access: 'token',
  } as const;
}

export function viewParameter(names: TypeNames, action: ShowingAction): Parameter {
  return queryParameter(
    'view',
    { ...text, enum: [...names.views[action].keys()], default: 'default' },
    'What is shown of a record.',
  );
}

export const problemsOfRecords: readonly ProblemCode[] = ['workspace_required', 'access_denied', 'not_found'];

export const problemsOfLists: readonly ProblemCode[] = [...problemsOfRecords, 'unindexed_sort', 'search_unavailable'];
