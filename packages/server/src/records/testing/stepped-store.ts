/**
 * Nodes that take turns: each waits before every call of its store, and goes on when it is chosen. So a test decides in
 * which order what they do meets in the store. Only tests may use it.
 */

import { interceptStore } from '../../store/intercepted-store.ts';
import type { Store } from '../../store/port.ts';

/** Far more than who does nothing but let others have their turn needs. */
const idleMax = 10_000;

export class Steps {
  readonly #waiting: (() => void)[] = [];
  /** Of those who were chosen: a disk or a server takes its time for each. */
  #callsUnderWay = 0;

  /** Ends when the caller is chosen. */
  take(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The same store, for one who waits for its turn before each call. */
  store(store: Store): Store {
    return interceptStore(store, async (_operation, call) => {
      await this.take();
      return this.during(call);
    });
  }

  /** For a call of a store that waits for no turn: none is given before it has ended. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#callsUnderWay += 1;
    try {
      return await call();
    } finally {
      this.#callsUnderWay -= 1;
    }
  }

  /**
   * Gives turns until the work is done, one at a time: each caller reaches its next call before the next turn is given.
   * A call of the store is waited for, and so is who lets others have their turn between two calls.
   * @param choose which of so many that wait comes next.
   */
  async run(work: Promise<unknown>, choose: (waiting: number) => number): Promise<void> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    for (let idle = 0; ; ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) break;
      if (this.#callsUnderWay > 0) continue;
      idle = this.#waiting.length > 0 ? 0 : idle + 1;
      if (idle > idleMax) throw new Error('no caller waits for a turn, and the work is not done');
      const [next] = this.#waiting.length > 0 ? this.#waiting.splice(choose(this.#waiting.length), 1) : [];
      next?.();
    }
    await work;
  }

  /**
   * Gives turns to actors, and to what goes on beside them until the last of them is done.
   * @param choices of so many that wait, which comes next: one after the other, and again from the first.
   */
  async play(
    choices: readonly number[],
    actors: readonly Promise<void>[],
    beside: (isBusy: () => boolean) => readonly Promise<void>[],
  ): Promise<void> {
    let busy = actors.length;
    const ending = actors.map((actor) =>
      actor.finally(() => {
        busy -= 1;
      }),
    );
    let turn = 0;
    await this.run(
      Promise.all([...ending, ...beside(() => busy > 0)]),
      (waiting) => (choices[turn++ % choices.length] ?? 0) % waiting,
    );
  }
}
