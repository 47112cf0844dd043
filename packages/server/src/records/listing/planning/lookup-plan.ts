/** Finds records whose lookups point to records that a filter selects, by an index of each of the two entities. */
import { type CompiledEntity, fieldIndex, indexPrefix } from '../../../schema/port.ts';
import type { Item, Key, Range } from '../../../store/port.ts';
import type { FollowedLookup } from '../../filtering/filter-language.ts';
import { recordCounter } from '../../indexes/derive.ts';
import { dataOf } from '../../record.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import type { Filter } from '../filter.ts';
import { findItems } from '../find-record.ts';
import type { ListQuery } from '../list-query.ts';
import { compoundPlan, type IndexName, rangeOf } from './index-range.ts';
import type { LookupSort } from './read-sort.ts';

/** Records that are found by several parts of an index, each of which is in creation order. */
export interface MergedPlan {
  /** The index by which records are found that point to one of others, or have one of some values. */
  readonly own: LookupIndex;
  /** The records with these ids that are there. */
  readonly read: (ids: readonly string[]) => Promise<readonly Item[]>;
  readonly idOf: (item: Item) => string;
}

export interface LookupPlan extends MergedPlan {
  /** The records of the other entity that are asked for, and perhaps a few more. */
  readonly others: OthersRange;
  /** The number of records of the answer that are looked for: those of a page, or `Infinity`. */
  readonly wanted: number;
}

interface OthersRange {
  readonly entity: string;
  readonly index: IndexName;
  readonly pk: string;
  readonly range: Range;
  /** Counts all records of the entity. */
  readonly counter: Key;
}

interface LookupIndex {
  readonly index: IndexName;
  readonly pk: string;
  /** Of the entries of the records that point to one: behind it they have their ids, so they are in creation order. */
  readonly prefixOf: (id: string) => string;
}

/**
 * Undefined where no indexes serve it, and where how many records these hold may be unknown to the caller: where the
 * search ends would tell.
 */
export function lookupPlan(
  call: Pick<RecordCall, 'entity' | 'workspace'>,
  { expression, search, sortKeys, lookupSort }: ListQuery,
): Omit<LookupPlan, 'wanted'> | undefined {
  const { entity } = call;
  if (search !== undefined || sortKeys.length > 0 || lookupSort !== undefined || entity.scopedBy !== undefined)
    return undefined;
  for (const lookup of expression?.lookups?.followed ?? []) {
    const own = ownIndex(entity, lookup.field);
    const others = othersRange(lookup);
    if (own === undefined || others === undefined || !lookup.mayListAll()) continue;
    return { others, own, read: (ids) => findItems(call, ids), idOf: (item) => dataOf(entity, item).id };
  }
  return undefined;
}

function ownIndex(entity: CompiledEntity, field: string): LookupIndex | undefined {
  const index = fieldIndex(entity, field);
  if (index?.isReady !== true) return undefined;
  const { pk, name, order } = index;
  return { index: { name, kind: 'field' }, pk, prefixOf: (id) => indexPrefix(order.encode(id)) };
}

/** The part of an index that the fewest of the records are expected in. */
function othersRange({ entity, implied }: FollowedLookup): OthersRange | undefined {
  const common = { entity: entity.name, counter: recordCounter(entity.name) };
  const compound = compoundPlan(entity, { filters: implied, sortKeys: [], descending: false }, true);
  if (compound !== undefined) return { ...common, index: compound.index, pk: compound.pk, range: compound.range };
  for (const filter of narrowestFirst(implied)) {
    const index = fieldIndex(entity, filter.field);
    const range = rangeOf(filter);
    if (index?.isReady !== true || range === undefined) continue;
    return { ...common, index: { name: index.name, kind: 'field' }, pk: index.pk, range };
  }
  return undefined;
}

/** Those that a filter implies. */
const operators: readonly Filter['operator'][] = ['eq', 'startswith', 'between', 'gte', 'lte'];

function narrowestFirst(filters: readonly Filter[]): readonly Filter[] {
  const rank = ({ operator }: Filter): number => operators.indexOf(operator);
  return filters.toSorted((left, right) => rank(left) - rank(right));
}

/** The length of a UUID, with which the entries of all indexes end. */
export const idLength = 36;

export function idAtEnd(sk: string): string {
  return sk.slice(-idLength);
}

// The way the records of a list come in the order of the records to which a lookup points.

export interface LookupOrder {
  readonly others: Omit<OthersRange, 'counter'>;
  /** The index of the lookup, in which the records that point to one of them are in creation order. */
  readonly own: LookupIndex;
  /** Of both indexes. */
  readonly isReverse: boolean;
  /** Of the first field: the index is read in reverse for it, or begins with a descending field. */
  readonly isDescending: boolean;
  /** Whether records are asked for too that point to nothing. */
  readonly isWhole: boolean;
  /** The other records with these ids that are there. */
  readonly read: (ids: readonly string[]) => Promise<readonly Item[]>;
  readonly idOf: (item: Item) => string;
}

/** Undefined where an index of either entity is missing, or still being built. */
export function lookupOrder(call: Pick<RecordCall, 'entity' | 'workspace'>, sort: LookupSort): LookupOrder | undefined {
  const { field, entity, implied } = sort;
  const own = ownIndex(call.entity, field);
  const ordered = othersInOrder(sort);
  if (own === undefined || ordered === undefined) return undefined;
  const { range, ...others } = ordered;
  return {
    others: { entity: entity.name, ...others, range },
    own,
    isReverse: range.reverse === true,
    isDescending: sort.descending,
    isWhole: implied.length === 0,
    read: (ids) => findItems({ workspace: call.workspace, entity }, ids),
    idOf: (item) => dataOf(entity, item).id,
  };
}

interface OrderedOthers {
  readonly index: IndexName;
  readonly pk: string;
  readonly range: Range;
}

/** Whether they meet what narrows the range is tested with each record of the list. */
function othersInOrder({ entity, sortKeys, descending, implied }: LookupSort): OrderedOthers | undefined {
  const compound = compoundPlan(entity, { filters: implied, sortKeys, descending });
  if (compound !== undefined) return { index: compound.index, pk: compound.pk, range: compound.range };
  const [key, ...more] = sortKeys;
  const index = key && fieldIndex(entity, key.field);
  if (index?.isReady !== true || more.length > 0) return undefined;
  const narrowing = implied.find((filter) => filter.field === index.name && rangeOf(filter) !== undefined);
  const range = narrowing === undefined ? {} : rangeOf(narrowing);
  return { index: { name: index.name, kind: 'field' }, pk: index.pk, range: { ...range, reverse: descending } };
}
