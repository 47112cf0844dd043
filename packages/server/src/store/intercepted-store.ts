/**
 * A store whose every call goes through one function, which may hold it up, refuse it or keep its answer back. Only
 * tests may use it.
 */
import type { Change, Maintenance, OpenedStore, Scope, ScopeName, Store } from './port.ts';

/** What is called. `changes` are those of a commit, and left out where the call reads. */
export interface StoreCall {
  readonly scope: ScopeName;
  readonly changes?: readonly Change[];
}

export type Intercept = <T>(asked: StoreCall, call: () => Promise<T>) => Promise<T>;

export function interceptStore(store: Store, intercept: Intercept): Store {
  return {
    scope: (name) => interceptScope(store.scope(name), intercept),
    health: () => store.health(),
    close: () => store.close(),
  };
}

/** Also what its jobs do to scopes as a whole. What they only look for, beside all work, is left alone. */
export function interceptOpened({ store, maintenance }: OpenedStore, intercept: Intercept): OpenedStore {
  const intercepted: Maintenance = {
    scopes: (after, limit) => maintenance.scopes(after, limit),
    due: (queue, before, limit) => maintenance.due(queue, before, limit),
    scan: (scope, after, limit) => intercept({ scope }, () => maintenance.scan(scope, after, limit)),
    setState: (scope, state) => intercept({ scope, changes: [] }, () => maintenance.setState(scope, state)),
    load: (head, items) => intercept({ scope: head.name, changes: [] }, () => maintenance.load(head, items)),
  };
  return { store: interceptStore(store, intercept), maintenance: intercepted };
}

function interceptScope(scope: Scope, intercept: Intercept): Scope {
  const asked = { scope: scope.name };
  return {
    name: scope.name,
    get: (keys) => intercept(asked, () => scope.get(keys)),
    range: (pk, read) => intercept(asked, () => scope.range(pk, read)),
    follow: (pk, read) => intercept(asked, () => scope.follow(pk, read)),
    count: (pk, range, atMost) => intercept(asked, () => scope.count(pk, range, atMost)),
    commit: (changes, options) => intercept({ ...asked, changes }, () => scope.commit(changes, options)),
  };
}
