import type { InputError } from '@freehold/contract/problem';
import { invalidInput, Problem } from '../../lib/problem.ts';
import { type CompiledEntity, fieldName, lookupOf, namedBehaviour } from '../../schema/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { type FieldNames, isReadable } from '../record-policy.ts';
import { nameIn } from './list-parameters.ts';
import { type ListQuery, ownerFilter } from './list-query.ts';
import { type LookupSort, readSort } from './planning/read-sort.ts';

/**
 * Limits a list of an entity whose owner index has `scopeList` to the caller's own records, unless the caller asks for
 * all or for another's and may browse.
 * @throws Problem `access_denied`, `invalid_request`.
 */
export function scopeToCaller(call: AuthorizedCall, listQuery: ListQuery): ListQuery {
  if (listQuery.wantsExplanation) assertMayExplain(call, listQuery);
  const query = withinReadable(call, listQuery);
  const { entity, actor, access } = call;
  const { scopedBy } = entity;
  if (scopedBy === undefined) return query;
  if (query.all || (query.owner !== undefined && query.owner !== actor.userId)) {
    access.assertAllowed('browse');
    return query;
  }
  if (query.owner !== undefined) return query;
  const own = ownerFilter(entity, scopedBy, actor.userId);
  return { ...query, filters: [own, ...query.filters] };
}

/**
 * Limits a list's query to fields that the caller may read in every record of it. By others, hidden values could be
 * guessed from which records there are, and in which order. Words are looked for in such fields alone.
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
  const message = `\`${parameter}\` is not taken here, since the caller may not read field \`${field}\` of every record`;
  return { pointer: `/${parameter}`, code: 'not_readable', message };
}

// Orders of a list by fields of the record that a lookup points to, as `sortby=customer_id.tier`.

/** @throws Problem `invalid_request`, `unindexed_sort`. */
export async function withLookupSort(call: AuthorizedCall, query: ListQuery): Promise<ListQuery> {
  const { requestedSort } = query;
  const definition = requestedSort && call.entity.fields.get(requestedSort.field)?.definition;
  const lookup = definition && lookupOf(definition);
  if (requestedSort === undefined || lookup === undefined) return query;
  const { field } = requestedSort;
  const entity = await call.config.entity(lookup.entity);
  if (entity === undefined)
    throw refusal('sortby', 'unknown_entity', `there is no entity \`${lookup.entity}\`, to which \`${field}\` points`);
  const order = orderOf(entity, query);
  const { sortKeys, descending } = order;
  const canonical = JSON.stringify([query.canonical, sortKeys]);
  // The others are made in the order of their ids, which the records hold.
  if (sortKeys.length === 0) return { ...query, sortKeys: [{ field, descending }], descending, canonical };
  return { ...query, lookupSort: { field, entity, ...order }, descending, canonical };
}

function orderOf(
  entity: CompiledEntity,
  { requestedSort, expression }: ListQuery,
): Pick<LookupSort, 'sortKeys' | 'descending' | 'implied'> {
  const followed = expression?.lookups?.followed.find(({ field }) => field === requestedSort?.field);
  const implied = followed?.mayListAll() === true ? followed.implied : [];
  const isField = (name: string): boolean => namedBehaviour(entity, name) !== undefined;
  const sort = readSort(
    { entity, filters: implied, isField, lookup: requestedSort?.field, isWhole: requestedSort?.isWhole === true },
    requestedSort?.parameters ?? new Map(),
    (name, code, message) => {
      throw refusal(name, code, message);
    },
  );
  return { ...sort, implied };
}

function refusal(name: string, code: string, message: string) {
  return invalidInput('invalid_request', [{ pointer: `/${name}`, code, message }]);
}

/**
 * The order of a list and the ends of its pages tell of every record of the other entity, so the caller must be one who may
 * list and get each of them, with the fields that it is by.
 */
function unreadableOrder({ access }: AuthorizedCall, { lookupSort }: ListQuery): readonly InputError[] {
  if (lookupSort === undefined) return [];
  const { entity, field, sortKeys } = lookupSort;
  const mayReadAll = (verb: 'get' | 'list' | 'browse'): boolean => {
    const rows = access.rows({ verb, entity });
    if (rows === undefined) return true;
    return rows.isEvery === true && sortKeys.every((key) => isReadable(rows.sureFields, key.field));
  };
  if (mayReadAll('list') && mayReadAll('get') && (entity.scopedBy === undefined || mayReadAll('browse'))) return [];
  const message = `a list takes no \`sortby\` over \`${field}\` here, since the caller may not list and get every \`${entity.name}\` with the fields that it is by`;
  return [{ pointer: '/sortby', code: 'not_readable', message }];
}

/**
 * The entries that were walked tell of records that the caller is not shown, and what was used of the budget tells of
 * those to which lookups of the filter point.
 * @throws Problem `access_denied`.
 */
function assertMayExplain(
  { explains, rows, entity, access }: AuthorizedCall,
  { expression }: Pick<ListQuery, 'expression'>,
): void {
  if (explains === 'every_list') return;
  if (
    explains === undefined ||
    rows !== undefined ||
    expression?.lookups?.followed.every((one) => one.mayListAll()) === false
  )
    throw new Problem(
      'access_denied',
      '`explain` is for builders, and for service keys that may read all of each record',
    );
  if (entity.scopedBy !== undefined) access.assertAllowed('browse');
}
