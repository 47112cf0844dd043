import type { AuthorizedCall } from './caller-access.ts';
import { type ListQuery, ownerFilter } from './list-query.ts';

/**
 * What a list may show of an entity whose owner index has `scopeList`: the caller's own records, unless the caller asks
 * for all or for another's and may browse.
 * @throws Problem `access_denied`.
 */
export function scopeToCaller(call: AuthorizedCall, query: ListQuery): ListQuery {
  const { entity, actor, access } = call;
  const scoped = entity.definition.ownerIndexes?.find(({ scopeList }) => scopeList === true);
  if (scoped === undefined) return query;
  if (query.all || (query.owner !== undefined && query.owner !== actor.userId)) {
    access.demand('browse');
    return query;
  }
  if (query.owner !== undefined) return query;
  const own = ownerFilter(entity, scoped.ownerFieldName, actor.userId);
  return { ...query, filters: [own, ...query.filters] };
}
