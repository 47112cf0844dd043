/**
 * Nodes that take turns: each waits before every call of its store, and goes on when it is chosen. So a test decides in
 * which order what they do meets in the store. Only tests may use it.
 */

import { interceptStore } from '../store/intercepted-store.ts';
import type { Store } from '../store/port.ts';

export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Ends when the caller is chosen. */
  take(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The same store, for one who waits for its turn before each call. */
  store(store: Store): Store {
    return interceptStore(store, async (_asked, call) => {
      await this.take();
      return call();
    });
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
