import type { EntityConfigs, PlannedChange } from '@freehold/contract/management/entities';
import type { Read } from '@freehold/contract/schema';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { entitiesInput, entityInput } from '../../api/inputs.ts';
import type { Environment } from '../../api/session.ts';

export type Entity = Read<typeof EntityConfigs>;
export type Plan = Read<typeof PlannedChange>;

const progressMilliseconds = 1_500;

export const entitiesQuery = (env: Environment) =>
  queryOptions({
    queryKey: ['entities', env],
    queryFn: ({ signal }) => call('listEntities', { ...entitiesInput(env), signal }),
  });

/** An entity, read again and again while an index is built or a field filled. */
export const entityQuery = (env: Environment, entityName: string) =>
  queryOptions({
    queryKey: ['entities', env, entityName],
    queryFn: ({ signal }) => call('readEntity', { ...entityInput(env, entityName), signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isAtWork(state.data) ? progressMilliseconds : false),
  });

/** Whether the platform works on the entity's records. */
export function isAtWork({ indexes, fills }: Entity): boolean {
  return indexes.some(({ state }) => state === 'building') || (fills ?? []).some(({ state }) => state === 'filling');
}
