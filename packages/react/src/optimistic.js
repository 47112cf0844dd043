import { readEntityKey } from './record-keys.ts';
/**
 * Shows changes of a record in what the cache holds of it. Which records a list has, and in which order, stays as it is
 * until the list is read again. @returns what shows the state before again
 */
export async function showBeforehand(queryClient, scope, change) {
    const isOfEntity = ({ queryKey }) => readEntityKey(queryKey, scope)?.entity === change.entity;
    // An answer that is on its way was made before the change, and would undo it.
    await queryClient.cancelQueries({ predicate: isOfEntity });
    const before = queryClient.getQueriesData({ predicate: isOfEntity });
    for (const [queryKey, data] of before) {
        const kind = readEntityKey(queryKey, scope)?.kind;
        if (kind !== undefined && data !== undefined)
            queryClient.setQueryData(queryKey, changed(kind, data, change));
    }
    return () => {
        for (const [queryKey, data] of before)
            queryClient.setQueryData(queryKey, data);
    };
}
function changed(kind, data, change) {
    if (kind === 'record')
        return changedRecord(data, change);
    if (kind === 'list')
        return changedPage(data, change);
    if (kind !== 'pages')
        return data;
    const infinite = data;
    return { ...infinite, pages: infinite.pages.map((page) => changedPage(page, change)) };
}
function changedPage(page, change) {
    return { ...page, items: page.items.map((item) => changedRecord(item, change)) };
}
/** A record keeps its version: the change has none yet. */
function changedRecord(record, { id, changes }) {
    return record.id === id ? { ...record, ...changes } : record;
}
