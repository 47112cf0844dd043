import type { InputError } from '@freehold/contract/problem';
import { invalidInput } from '../../lib/problem.ts';
import { fieldName } from '../../schema/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { type FieldNames, isReadable } from '../record-policy.ts';
import { nameIn } from './list-parameters.ts';
import { type ListQuery, ownerFilter } from './list-query.ts';
import { assertMayExplain } from './planning/explanation.ts';
import { unreadableOrder } from './sorting/lookup-sort.ts';

/**
 * What a list may show of an entity whose owner index has `scopeList`: the caller's own records, unless the caller asks
 * for all or for another's and may browse.
 * @throws Problem `access_denied`, `invalid_request`.
 */
export function scopeToCaller(call: AuthorizedCall, asked: ListQuery): ListQuery {
  if (asked.wantsExplanation) assertMayExplain(call, asked);
  const query = withinReadable(call, asked);
  const { entity, actor, access } = call;
  const scoped = entity.definition.ownerIndexes?.find(({ scopeList }) => scopeList === true);
  if (scoped === undefined) return query;
  if (query.all || (query.owner !== undefined && query.owner !== actor.userId)) {
    access.assertAllowed('browse');
    return query;
  }
  if (query.owner !== undefined) return query;
  const own = ownerFilter(entity, scoped.ownerFieldName, actor.userId);
  return { ...query, filters: [own, ...query.filters] };
}

/**
 * What a list may be asked by: fields that the caller may read in every record of it. By others, what is hidden could
 * be guessed from which records there are, and in which order. Words are looked for in such fields alone.
 */
function withinReadable(call: AuthorizedCall, query: ListQuery): ListQuery {
  const fields = call.rows?.sureFields;
  const errors = [
    ...unreadableOrder(call, query),
    ...(fields === undefined ? [] : unreadableNames(call, query, fields)),
  ];
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  const { search } = query;
  if (search === undefined || fields === undefined) return query;
  return { ...query, search: { ...search, fields: search.fields.filter((field) => isReadable(fields, field)) } };
}

function unreadableNames({ entity }: AuthorizedCall, query: ListQuery, fields: FieldNames): readonly InputError[] {
  const { filters, sortKeys, lookupSort, owner, expression, sentAs } = query;
  const sent = (field: string): string => sentAs.get(field) ?? field;
  const errors = filters
    .filter(({ field }) => !isReadable(fields, field))
    .map(({ field, values }) =>
      unreadable(owner !== undefined && owner === values[0] ? 'owner' : sent(field), sent(field)),
    );
  for (const { field } of [...sortKeys, ...(lookupSort === undefined ? [] : [lookupSort])])
    if (!isReadable(fields, field)) errors.push(unreadable('sortby', sent(field)));
  const readings = (expression?.readings ?? []).map(({ name }) => name);
  for (const field of new Set(readings))
    if (!isReadable(fields, fieldName(entity, field))) errors.push(unreadable(nameIn(entity, 'filter'), field));
  return errors;
}

function unreadable(parameter: string, field: string): InputError {
  const message = `a list takes no \`${parameter}\` here, since the caller may not read field \`${field}\` of every record`;
  return { pointer: `/${parameter}`, code: 'not_readable', message };
}
