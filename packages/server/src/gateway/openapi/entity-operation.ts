/** What the operations of an entity have in common. */
import { accessSentence } from '@freehold/contract/access';
import { type RecordAction, type RecordRoute, recordRoutes } from '@freehold/contract/app/records';
import type { ProblemCode } from '@freehold/contract/problem';
import { text } from '../../lib/json-schema.ts';
import type { DocumentedEntity } from './entity-schemas.ts';
import type { Operation, Parameter } from './operation.ts';
import { queryParameter } from './parameters.ts';
import { type ShowingAction, viewOf } from './type-names.ts';

/** What an app does with the records of one entity. */
export interface EntityOperation extends Operation {
  readonly action: RecordAction;
}

export function place({ entity, names }: DocumentedEntity, action: RecordAction) {
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
export function viewParameter({ names, view }: DocumentedEntity, action: ShowingAction): Parameter {
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

export const problemsOfRecords: readonly ProblemCode[] = ['workspace_required', 'access_denied', 'not_found'];

export const problemsOfLists: readonly ProblemCode[] = [...problemsOfRecords, 'unindexed_sort', 'search_unavailable'];
