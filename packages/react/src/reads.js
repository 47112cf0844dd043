import { useInfiniteQuery, useQuery, } from '@tanstack/react-query';
import { useApp, useScope } from './app-context.ts';
import { readOptions } from './read-options.ts';
import { entityKey } from './record-keys.ts';
import { inScope } from './scope.ts';
/** One page of a list. `query.cursor` names a page after the first. */
export function useList(entity, query = {}, options = {}) {
    const app = useApp();
    const scope = useScope();
    return useQuery({
        ...readOptions(scope, options),
        queryKey: entityKey(scope, entity, 'list', { query }),
        queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).list({ ...query, signal })),
    });
}
/** A list that grows page by page: `data.pages`, `hasNextPage`, `fetchNextPage()`. */
export function useInfiniteList(entity, query = {}, options = {}) {
    const app = useApp();
    const scope = useScope();
    return useInfiniteQuery({
        ...readOptions(scope, options),
        queryKey: entityKey(scope, entity, 'pages', { query }),
        queryFn: ({ pageParam: cursor, signal }) => inScope(app, scope, () => app.entity(entity).list({ ...query, cursor, signal })),
        initialPageParam: null,
        getNextPageParam: ({ nextToken }) => nextToken,
    });
}
/** A record by its id; without an id nothing is asked. */
export function useRecord(entity, id, query = {}, options = {}) {
    const app = useApp();
    const scope = useScope();
    return useQuery({
        ...readOptions(scope, { ...options, enabled: options.enabled !== false && id !== undefined }),
        queryKey: entityKey(scope, entity, 'record', { id, query }),
        queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).get(id ?? '', { ...query, signal })),
    });
}
/** How many records a list has. */
export function useCount(entity, query = {}, options = {}) {
    const app = useApp();
    const scope = useScope();
    return useQuery({
        ...readOptions(scope, options),
        queryKey: entityKey(scope, entity, 'count', { query }),
        queryFn: ({ signal }) => inScope(app, scope, () => app.entity(entity).count({ ...query, signal })),
    });
}
