import type { Range } from '../store/port.ts';
import type { CompiledEntity, CompiledIndex } from './compile-entity.ts';
import type { Filter } from './filter.ts';
import type { ListQuery } from './list-query.ts';
import { afterAll, indexPrefix, indexStart, isAloneInIndex, presentPrefix } from './order-encoding.ts';
import { directPartition } from './record-keys.ts';
import type { Workspace } from './workspace.ts';

/** One key range that holds every record of the answer in the answer's order, and what remains to be tested. */
export interface ListPlan {
  readonly pk: string;
  /** Whether the range holds index items, to be followed to the records. */
  readonly isIndex: boolean;
  readonly range: Range;
  readonly residual: readonly Filter[];
}

/**
 * Chooses the range. The order decides first: a sort by a field goes through its index. In creation order an
 * equality on an indexed field serves, since equal values follow one another by id; any other filter would need
 * another order, so the records themselves are read and tested.
 */
export function planList(entity: CompiledEntity, workspace: Workspace, query: ListQuery): ListPlan {
  const reverse = query.descending;
  if (query.sortField !== undefined) {
    const index = indexOf(entity, query.sortField);
    if (index === undefined) throw new TypeError(`no index for the sort by ${query.sortField}`);
    const filter = query.filters.find(
      (candidate) => candidate.field === index.field && rangeOf(candidate) !== undefined,
    );
    const range = filter === undefined ? {} : (rangeOf(filter) ?? {});
    return indexPlan(index, { ...range, reverse }, without(query.filters, filter));
  }
  for (const filter of query.filters) {
    const index = filter.operator === 'eq' ? indexOf(entity, filter.field) : undefined;
    if (index !== undefined) return indexPlan(index, { ...rangeOf(filter), reverse }, without(query.filters, filter));
  }
  if (entity.directSortPrefix === undefined)
    return { pk: entity.idIndexPk, isIndex: true, range: { reverse }, residual: query.filters };
  const range = { prefix: entity.directSortPrefix, reverse };
  return { pk: directPartition(entity, workspace), isIndex: false, range, residual: query.filters };
}

function indexPlan(index: CompiledIndex, range: Range, residual: readonly Filter[]): ListPlan {
  return { pk: index.pk, isIndex: true, range, residual };
}

function indexOf(entity: CompiledEntity, field: string): CompiledIndex | undefined {
  return entity.indexes.find((index) => index.field === field);
}

/** A filter whose range is exact needs no second look; of a cut value the index holds only the beginning. */
function without(filters: readonly Filter[], used: Filter | undefined): readonly Filter[] {
  const isExact = used !== undefined && used.operator === 'eq' && isAloneInIndex(encodedValue(used, 0));
  return isExact ? filters.filter((filter) => filter !== used) : filters;
}

/** The part of an index that holds every record a filter lets through, and perhaps a few more. */
function rangeOf(filter: Filter): Pick<Range, 'prefix' | 'after' | 'before'> | undefined {
  switch (filter.operator) {
    case 'eq':
      return { prefix: indexPrefix(encodedValue(filter, 0)) };
    case 'gt':
    case 'gte':
      return { after: indexStart(encodedValue(filter, 0)) };
    case 'lt':
    case 'lte':
      return { after: presentPrefix, before: indexStart(encodedValue(filter, 0)) + afterAll };
    case 'between':
      return { after: indexStart(encodedValue(filter, 0)), before: indexStart(encodedValue(filter, 1)) + afterAll };
    default:
      return undefined;
  }
}

function encodedValue(filter: Filter, index: number): string {
  return filter.encoded[index] ?? '';
}
