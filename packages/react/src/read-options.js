import { isOfScope } from './scope.ts';
/** @param scope one without a user asks nothing: every read needs a session */
export function readOptions(scope, { enabled = true, keepPrevious = false, ...options }) {
    return {
        ...options,
        enabled: enabled && scope[scope.length - 1] !== '',
        // The client repeats what is worth it, and waits as long as the platform asks.
        retry: false,
        ...(keepPrevious && { placeholderData: previousOf(scope) }),
    };
}
function previousOf(scope) {
    return (data, query) => query !== undefined && isOfScope(query.queryKey, scope) ? data : undefined;
}
