import type { CountQuery, ExpandName, FieldName, ListQuery, Page, Shows, ViewName } from '@freehold/client';
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useApp, useScope } from './app-context.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { entityKey } from './record-keys.ts';
import type { AppSchema, EntityName } from './register.ts';
import { inScope } from './scope.ts';

type ViewOf<E, A extends 'get' | 'list'> = ViewName<AppSchema, E, A>;
type FieldOf<E, A extends 'get' | 'list', V> = FieldName<AppSchema, E, A, V>;
type ExpandOf<E> = ExpandName<AppSchema, E>;

/** One page of a list. `query.cursor` names a page after the first. */
export function useList<
  E extends EntityName,
  V extends ViewOf<E, 'list'> = never,
  F extends FieldOf<E, 'list', V> = never,
  X extends ExpandOf<E> = never,
>(
  entity: E,
  query: ListQuery<AppSchema, E, V, F, X> = {},
  options: ReadOptions = {},
): UseQueryResult<Page<Shows<AppSchema, E, 'list', V, F, X>>> {
  const app = useApp();
  const scope = useScope();
  return useQuery({
    ...readOptions(scope, options),
    queryKey: entityKey(scope, entity, 'list', { query }),
    queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).list<V, F, X>({ ...query, signal })),
  });
}

/** A list that grows page by page: `data.pages`, `hasNextPage`, `fetchNextPage()`. */
export function useInfiniteList<
  E extends EntityName,
  V extends ViewOf<E, 'list'> = never,
  F extends FieldOf<E, 'list', V> = never,
  X extends ExpandOf<E> = never,
>(
  entity: E,
  query: Omit<ListQuery<AppSchema, E, V, F, X>, 'cursor'> = {},
  options: ReadOptions = {},
): UseInfiniteQueryResult<InfiniteData<Page<Shows<AppSchema, E, 'list', V, F, X>>, string | null>> {
  const app = useApp();
  const scope = useScope();
  return useInfiniteQuery({
    ...readOptions(scope, options),
    queryKey: entityKey(scope, entity, 'pages', { query }),
    queryFn: ({ pageParam: cursor, signal }) =>
      inScope(app, scope, () => app.entity(entity).list<V, F, X>({ ...query, cursor, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextToken }) => nextToken,
  });
}

/** A record by its id; without an id nothing is asked. */
export function useRecord<
  E extends EntityName,
  V extends ViewOf<E, 'get'> = never,
  F extends FieldOf<E, 'get', V> = never,
  X extends ExpandOf<E> = never,
>(
  entity: E,
  id: string | undefined,
  query: Pick<ListQuery<AppSchema, E, V, F, X>, 'view' | 'fields' | 'expand'> = {},
  options: ReadOptions = {},
): UseQueryResult<Shows<AppSchema, E, 'get', V, F, X>> {
  const app = useApp();
  const scope = useScope();
  return useQuery({
    ...readOptions(scope, { ...options, enabled: options.enabled !== false && id !== undefined }),
    queryKey: entityKey(scope, entity, 'record', { id, query }),
    queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).get<V, F, X>(id ?? '', { ...query, signal })),
  });
}

/** The number of records that a list has. */
export function useCount<E extends EntityName>(
  entity: E,
  query: CountQuery<AppSchema, E> = {},
  options: ReadOptions = {},
): UseQueryResult<number> {
  const app = useApp();
  const scope = useScope();
  return useQuery({
    ...readOptions(scope, options),
    queryKey: entityKey(scope, entity, 'count', { query }),
    queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).count({ ...query, signal })),
  });
}
