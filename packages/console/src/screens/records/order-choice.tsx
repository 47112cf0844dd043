import { Select } from '@mantine/core';
import { sortOf } from './list/list-search.ts';
import { ordersOfIndexes } from './list/sorting.ts';
import type { List } from './use-list.ts';

const newest = 'newest';

/** The orders that are not those of one column. */
export function OrderChoice({ list: { entity, search, change } }: { readonly list: List }) {
  const known = ['created_at', ...ordersOfIndexes(entity)];
  const orders = search.sort === undefined || known.includes(search.sort) ? known : [...known, search.sort];
  return (
    <Select
      aria-label="Order"
      size="xs"
      w={190}
      allowDeselect={false}
      data={[
        { value: newest, label: 'Newest first' },
        ...orders.map((sort) => ({ value: sort, label: sort === 'created_at' ? 'Oldest first' : inWords(sort) })),
      ]}
      value={search.sort ?? newest}
      onChange={(chosen) => change({ sort: chosen === null || chosen === newest ? undefined : chosen })}
    />
  );
}

/** `status,-number` as `status, number descending`. */
function inWords(sort: string): string {
  return sortOf({ sort })
    .map(({ field, descending }) => `${field}${descending ? ' descending' : ''}`)
    .join(', ');
}
