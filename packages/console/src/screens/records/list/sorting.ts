/** By which columns a list can be sorted. Whether an index has the order, or the platform sorts the records itself, it knows. */
import type { Entity } from '../../entities/queries.ts';
import type { Column, Kind } from './columns.ts';
import { type SortKey, sortOf } from './list-search.ts';

const withoutOrder: ReadonlySet<Kind> = new Set(['lookups', 'list', 'json', 'secret']);
const unsorted: ReadonlySet<string> = new Set(['version', 'created_by', 'updated_by']);

/** Why a list cannot be sorted by the column; undefined where it can. */
export function whyUnsorted({ field, kind }: Pick<Column, 'field' | 'kind'>): string | undefined {
  if (unsorted.has(field)) return 'Lists have no order by it.';
  return withoutOrder.has(kind) ? 'Values of this type have no order.' : undefined;
}

function keysOf(name: string): readonly SortKey[] {
  return sortOf({ sort: name });
}

/** The orders by several fields that an index has: its own and the reverse, as texts of the address. */
export function ordersOfIndexes({ indexes }: Pick<Entity, 'indexes'>): readonly string[] {
  const compound = indexes.filter(({ kind, state }) => kind === 'compound' && state === 'ready');
  return compound.flatMap(({ name }) => [name, reversed(name)]);
}

function reversed(order: string): string {
  return keysOf(order)
    .map(({ field, descending }) => (descending ? field : `-${field}`))
    .join(',');
}

/** What a press on the header of a column makes of the order: ascending, descending, then the newest first again. */
export function nextSort(sort: string | undefined, field: string): string | undefined {
  if (sort === field) return `-${field}`;
  return sort === `-${field}` ? undefined : field;
}
