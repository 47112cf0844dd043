/** A store whose caller dies. Only tests may use it. */
import type { Scope, Store } from '../store/port.ts';

export class Crash extends Error {}

/** A store that works for so many calls and then fails each, either before the call takes effect or after it. */
export function crashing(store: Store, callsLeft: number, when: 'before' | 'after'): Store {
  let left = callsLeft;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left < 0 && (when === 'before' || left < -1)) throw new Crash();
    const answer = await call();
    if (left < 0) throw new Crash();
    return answer;
  };
  const wrap = (scope: Scope): Scope => ({
    name: scope.name,
    get: (keys) => counted(() => scope.get(keys)),
    range: (pk, read) => counted(() => scope.range(pk, read)),
    follow: (pk, read) => counted(() => scope.follow(pk, read)),
    count: (pk, range, atMost) => counted(() => scope.count(pk, range, atMost)),
    commit: (changes, options) => counted(() => scope.commit(changes, options)),
  });
  return { ...store, scope: (name) => wrap(store.scope(name)) };
}
