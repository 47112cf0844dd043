import type { Page } from '@freehold/client';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { readEntityKey } from './record-keys.ts';
import type { Shown } from './register.ts';
import type { Scope } from './scope.ts';

interface Change {
  readonly entity: string;
  readonly id: string;
  readonly changes: object;
}

/**
 * Shows changes of a record in what the cache holds of it. Which records a list has, and in which order, stays as it is
 * until the list is read again. @returns what shows the state before again
 */
export async function showBeforehand(queryClient: QueryClient, scope: Scope, change: Change): Promise<() => void> {
  const isOfEntity = ({ queryKey }: Pick<Query, 'queryKey'>) =>
    readEntityKey(queryKey, scope)?.entity === change.entity;
  // An answer that is on its way was made before the change, and would undo it.
  await queryClient.cancelQueries({ predicate: isOfEntity });
  const before = queryClient.getQueriesData({ predicate: isOfEntity });
  for (const [queryKey, data] of before) {
    const kind = readEntityKey(queryKey, scope)?.kind;
    if (kind !== undefined && data !== undefined) queryClient.setQueryData(queryKey, changed(kind, data, change));
  }
  return () => {
    for (const [queryKey, data] of before) queryClient.setQueryData(queryKey, data);
  };
}

function changed(kind: string, data: unknown, change: Change): unknown {
  if (kind === 'record') return changedRecord(data, change);
  if (kind === 'list') return changedPage(data as Page<unknown>, change);
  if (kind !== 'pages') return data;
  const infinite = data as InfiniteData<Page<unknown>>;
  return { ...infinite, pages: infinite.pages.map((page) => changedPage(page, change)) };
}

function changedPage(page: Page<unknown>, change: Change): Page<unknown> {
  return { ...page, items: page.items.map((item) => changedRecord(item, change)) };
}

/** A record keeps its version: the change has none yet. */
function changedRecord(record: unknown, { id, changes }: Change): unknown {
  return (record as Shown).id === id ? { ...(record as object), ...changes } : record;
}
