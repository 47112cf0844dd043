/**
 * A store whose every call goes through one function: it is measured there. Tests hold calls up, refuse them or keep
 * their answers back.
 */
import type { Change, Maintenance, OpenedStore, Scope, ScopeName, Store } from './port.ts';

/** A call of a store. `changes` are those of a commit, and left out where the call reads. */
export interface StoreCall {
  readonly name: keyof Omit<Scope, 'name'> | 'scan' | 'setState' | 'load' | 'setDataVersion';
  readonly scope: ScopeName;
  readonly changes?: readonly Change[];
}

export type Intercept = <T>(operation: StoreCall, call: () => Promise<T>) => Promise<T>;

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
    scan: (scope, after, limit) => intercept({ name: 'scan', scope }, () => maintenance.scan(scope, after, limit)),
    setState: (scope, state) =>
      intercept({ name: 'setState', scope, changes: [] }, () => maintenance.setState(scope, state)),
    load: (head, items) =>
      intercept({ name: 'load', scope: head.name, changes: [] }, () => maintenance.load(head, items)),
    dataVersion: () => maintenance.dataVersion(),
    setDataVersion: (version) =>
      intercept({ name: 'setDataVersion', scope: '', changes: [] }, () => maintenance.setDataVersion(version)),
  };
  return { store: interceptStore(store, intercept), maintenance: intercepted };
}

function interceptScope(scope: Scope, intercept: Intercept): Scope {
  const operation = (name: StoreCall['name']): StoreCall => ({ name, scope: scope.name });
  const [get, range, follow, count] = [operation('get'), operation('range'), operation('follow'), operation('count')];
  const [select, measure] = [operation('select'), operation('measure')];
  return {
    name: scope.name,
    get: (keys) => intercept(get, () => scope.get(keys)),
    range: (pk, read) => intercept(range, () => scope.range(pk, read)),
    follow: (pk, read) => intercept(follow, () => scope.follow(pk, read)),
    count: (pk, part, atMost) => intercept(count, () => scope.count(pk, part, atMost)),
    select: (pk, read) => intercept(select, () => scope.select(pk, read)),
    measure: (pk, read) => intercept(measure, () => scope.measure(pk, read)),
    commit: (changes, options) => intercept({ ...operation('commit'), changes }, () => scope.commit(changes, options)),
  };
}
