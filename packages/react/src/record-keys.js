import { isOfScope } from './scope.ts';
/** The key of what is read of an entity. */
export function entityKey(scope, entity, kind, detail) {
    return [...scope, 'entity', entity, kind, detail];
}
/** The parts of a key of {@link entityKey} in the scope; undefined for any other key. */
export function readEntityKey(key, scope) {
    if (!isOfScope(key, scope) || key[scope.length] !== 'entity')
        return undefined;
    const [entity, kind, detail] = key.slice(scope.length + 1);
    return { entity: entity, kind: kind, detail };
}
/** Has what a write may have changed read again. */
export async function invalidate(queryClient, scope, write) {
    await queryClient.invalidateQueries({
        predicate: ({ queryKey }) => {
            const key = readEntityKey(queryKey, scope);
            return key !== undefined && isTouched(key, write);
        },
    });
}
/**
 * A delete may take records of any entity along, by `onDelete` of their lookups. A create or update changes reads of its
 * own entity, and those that show, compare or sort by related records.
 */
function isTouched({ entity, detail }, write) {
    return write.isDelete || entity === write.entity || readsOthers(detail);
}
function readsOthers(detail) {
    const { expand = [], view, filter, sort = [], where = {} } = detail.query ?? {};
    const names = [...[sort].flat(), ...Object.keys(where)];
    return expand.length > 0 || view !== undefined || filter !== undefined || names.some((name) => name.includes('.'));
}
