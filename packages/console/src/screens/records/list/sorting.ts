/** By which columns a list can be sorted: only what an index has in order is sorted by. */
import type { Entity } from '../../entities/queries.ts';
import type { Column, Kind } from './columns.ts';
import { type Condition, type SortKey, sortOf } from './list-search.ts';

/** Why a list cannot be sorted by a column, and the index that would serve it. */
export interface Unsorted {
  readonly why: string;
  /** What to add to the definition. */
  readonly declare?: string;
}

const withoutOrder: ReadonlySet<Kind> = new Set(['lookups', 'list', 'json', 'secret']);
const always: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/** @returns undefined where the list can be sorted by the column, with these conditions. */
export function whyUnsorted(
  { indexes }: Pick<Entity, 'indexes'>,
  { field, kind }: Column,
  conditions: readonly Condition[],
): Unsorted | undefined {
  if (always.has(field)) return undefined;
  if (withoutOrder.has(kind)) return { why: 'Values of this type have no order.' };
  const single = indexes.find((index) => index.kind === 'field' && index.name === field);
  const fixed = new Set(conditions.filter(({ operator }) => operator === 'eq').map((one) => one.field));
  const compound = indexes.find((index) => {
    const rest = index.kind === 'compound' ? keysOf(index.name).filter((key) => !fixed.has(key.field)) : [];
    return rest.length === 1 && rest[0]?.field === field;
  });
  const serving = [single, compound].filter((index) => index !== undefined);
  if (serving.some(({ state }) => state === 'ready')) return undefined;
  if (serving.length > 0) return { why: 'Its index is still being built.' };
  if (field === 'version' || field === 'created_by' || field === 'updated_by')
    return { why: 'No index has this order, and none can be declared.' };
  return { why: 'No index has this order. Give the field one:', declare: '"index": true' };
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
