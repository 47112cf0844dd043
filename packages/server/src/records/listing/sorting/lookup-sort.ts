/** Orders of a list by fields of the record that a lookup points to, as `sortby=customer_id.tier`. */
import type { InputError } from '@freehold/contract/problem';
import { invalidInput } from '../../../lib/problem.ts';
import { type CompiledEntity, fieldIndex, lookupOf } from '../../../schema/port.ts';
import type { AuthorizedCall } from '../../caller-access.ts';
import { isReadable } from '../../record-policy.ts';
import type { ListQuery } from '../list-query.ts';
import { namedBehaviour } from '../named-behaviour.ts';
import { type LookupSort, readSort, stillBuilding } from './read-sort.ts';

/** @throws Problem `invalid_request`, `unindexed_sort`. */
export async function withLookupSort(call: AuthorizedCall, query: ListQuery): Promise<ListQuery> {
  const { askedSort } = query;
  const definition = askedSort && call.entity.fields.get(askedSort.field)?.definition;
  const lookup = definition && lookupOf(definition);
  if (askedSort === undefined || lookup === undefined) return query;
  const { field } = askedSort;
  if (fieldIndex(call.entity, field)?.isReady !== true) throw stillBuilding(`the index on field \`${field}\``);
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
  { askedSort, expression }: ListQuery,
): Pick<LookupSort, 'sortKeys' | 'descending' | 'implied'> {
  const followed = expression?.lookups?.followed.find(({ field }) => field === askedSort?.field);
  const implied = followed?.mayListAll() === true ? followed.implied : [];
  const isField = (name: string): boolean => namedBehaviour(entity, name) !== undefined;
  const sort = readSort(
    { entity, filters: implied, isField, lookup: askedSort?.field },
    askedSort?.parameters ?? new Map(),
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
export function unreadableOrder({ access }: AuthorizedCall, { lookupSort }: ListQuery): readonly InputError[] {
  if (lookupSort === undefined) return [];
  const { entity, field, sortKeys } = lookupSort;
  const mayReadAll = (verb: 'get' | 'list' | 'browse'): boolean => {
    const rows = access.rows({ verb, entity });
    if (rows === undefined) return true;
    return rows.isEvery === true && sortKeys.every((key) => isReadable(rows.sureFields, key.field));
  };
  const isScoped = entity.definition.ownerIndexes?.some(({ scopeList }) => scopeList === true) === true;
  if (mayReadAll('list') && mayReadAll('get') && (!isScoped || mayReadAll('browse'))) return [];
  const message = `a list takes no \`sortby\` over \`${field}\` here, since the caller may not list and get every \`${entity.name}\` with the fields that it is by`;
  return [{ pointer: '/sortby', code: 'not_readable', message }];
}
