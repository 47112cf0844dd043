/**
 * Nodes that take turns: each waits before every call of its store, and goes on when it is chosen. So a test decides in
 * which order what they do meets in the store. Only tests may use it.
 */
import type { Scope, Store } from '../store/port.ts';

export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Ends when the caller is chosen. */
  take(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The same store, for one who waits for its turn before each call. */
  store(store: Store): Store {
    return { ...store, scope: (name) => this.#scope(store.scope(name)) };
  }

  #scope(scope: Scope): Scope {
    const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.take();
      return call();
    };
    return {
      name: scope.name,
      get: (keys) => inTurn(() => scope.get(keys)),
      range: (pk, read) => inTurn(() => scope.range(pk, read)),
      follow: (pk, read) => inTurn(() => scope.follow(pk, read)),
      count: (pk, range, atMost) => inTurn(() => scope.count(pk, range, atMost)),
      commit: (changes, options) => inTurn(() => scope.commit(changes, options)),
    };
  }

  /**
   * Gives turns until the work is done, one at a time: whoever had one has come to its next call before the next is
   * given. The store must answer without waiting for anything, as the one in memory does.
   * @param choose which of so many that wait comes next.
   */
  async run(work: Promise<unknown>, choose: (waiting: number) => number): Promise<void> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) break;
      const [next] = this.#waiting.splice(choose(this.#waiting.length), 1);
      if (next === undefined) throw new Error('nobody waits for a turn, and the work is not done');
      next();
    }
    await work;
  }
}
