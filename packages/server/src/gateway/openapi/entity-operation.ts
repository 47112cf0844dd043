/** What the operations of an entity have in common. */
import type { ProblemCode } from '@freehold/contract/problem';
import { text } from '../../lib/json-schema.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import type { Parameter } from './operation.ts';
import { queryParameter } from './parameters.ts';
import { pascalCase, type ShowingAction, type TypeNames } from './type-names.ts';

export function place({ entity }: DocumentedEntity, verb: string, route: string) {
  const path = `/app/:org${route}`;
  return { path, operationId: verb + pascalCase(entity.name), tag: entity.name, access: 'token' } as const;
}

export function viewParameter(names: TypeNames, action: ShowingAction): Parameter {
  return queryParameter('view', { ...text, enum: [...names.views[action].keys()], default: 'default' });
}

export const problemsOfRecords: readonly ProblemCode[] = ['workspace_required', 'access_denied', 'not_found'];

export const problemsOfLists: readonly ProblemCode[] = [...problemsOfRecords, 'unindexed_sort', 'search_unavailable'];
