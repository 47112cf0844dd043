/** How many members of a scope name the app; the others name its session. */
const appLength = 5;
/** Two clients of one app may be in different workspaces at a time, and must not forget what the other has read. */
const clients = new WeakMap();
let clientCount = 0;
function numberOf(app) {
    const number = clients.get(app) ?? ++clientCount;
    clients.set(app, number);
    return number;
}
export function scopeOf(app) {
    const { url, org, clientId } = app.options;
    const { tenantCode, userId } = app.session ?? {};
    return ['freehold', url, org, clientId, numberOf(app), tenantCode ?? '', userId ?? ''];
}
export function appKey(app) {
    return scopeOf(app).slice(0, appLength);
}
export function isOfScope(key, scope) {
    return scope.every((part, index) => key[index] === part);
}
/** The session changed while a call was made for the one before: its answer is dropped. */
export class SessionChangedError extends Error {
    constructor() {
        super('the user or the workspace changed during the call');
        this.name = 'SessionChangedError';
    }
}
/**
 * Does the work in the scope alone: a call that was waiting, for a network or a render, is not made with the token of the
 * next user.
 * @throws {SessionChangedError} if the app is in another scope, before the work or after it
 */
export async function inScope(app, scope, work) {
    if (!isOfScope(scopeOf(app), scope))
        throw new SessionChangedError();
    const result = await work();
    if (!isOfScope(scopeOf(app), scope))
        throw new SessionChangedError();
    return result;
}
/** Forgets all that the cache holds of the app in other scopes than the one that it is in now. */
export function forgetOtherScopes(queryClient, app) {
    const ofApp = appKey(app);
    const now = scopeOf(app);
    const isPast = (key) => key !== undefined && ofApp.every((part, index) => key[index] === part) && !isOfScope(key, now);
    queryClient.removeQueries({ predicate: ({ queryKey }) => isPast(queryKey) });
    const mutations = queryClient.getMutationCache();
    for (const mutation of mutations.getAll())
        if (isPast(mutation.options.mutationKey))
            mutations.remove(mutation);
}
