/**
 * Two who do something at once on a store, in each order in which the calls of the one can fall between the calls of
 * the other. Only tests may use it.
 */

import { interceptStore } from '../../store/intercepted-store.ts';
import type { Store } from '../../store/port.ts';
import type { StoreKind } from '../../store/testing/open-test-store.ts';
import { isQuick } from '../../store/testing/quick.ts';

/** One of the two: makes so many calls, and is held before the next until it is let go. */
class Side {
  readonly #at: number;
  readonly #held = Promise.withResolvers<void>();
  readonly #letGo = Promise.withResolvers<void>();
  #calls = 0;

  constructor(at: number) {
    this.#at = at;
  }

  get wasHeld(): boolean {
    return this.#calls > this.#at;
  }

  store(store: Store): Store {
    return interceptStore(store, async (_operation, call) => {
      if (this.#calls++ >= this.#at) {
        this.#held.resolve();
        await this.#letGo.promise;
      }
      return call();
    });
  }

  /** Ends when the work is held, or done. */
  async begin<T>(work: () => Promise<T>): Promise<{ readonly end: Promise<T> }> {
    const end = work();
    await Promise.race([this.#held.promise, Promise.allSettled([end])]);
    return { end };
  }

  letGo(): void {
    this.#letGo.resolve();
  }
}

/** The one makes its first calls, then the other does, then the one finishes, then the other. */
export class Interleaving {
  readonly #one: Side;
  readonly #other: Side;
  readonly name: string;

  constructor(oneAt: number, otherAt: number) {
    this.#one = new Side(oneAt);
    this.#other = new Side(otherAt);
    this.name = `held before call ${oneAt} and before call ${otherAt}`;
  }

  get wasHeld(): readonly [one: boolean, other: boolean] {
    return [this.#one.wasHeld, this.#other.wasHeld];
  }

  /** The store as each of the two gets it. */
  stores(store: Store): readonly [Store, Store] {
    return [this.#one.store(store), this.#other.store(store)];
  }

  /** The outcome of both. */
  async run<T, U>(one: () => Promise<T>, other: () => Promise<U>): Promise<readonly [T, U]> {
    const first = await this.#one.begin(one);
    const second = await this.#other.begin(other);
    this.#one.letGo();
    await first.end.catch(() => undefined);
    this.#other.letGo();
    return Promise.all([first.end, second.end]);
  }
}

/**
 * Runs a fixture once for each interleaving. With `edges` one of the two is never held, or the other is before its first
 * call: each call of either is then still met by all that the other does, at a price that a disk can pay.
 */
export async function everyInterleaving(
  extent: 'all' | 'edges',
  play: (interleaving: Interleaving) => Promise<unknown>,
): Promise<void> {
  const wasHeld = async (oneAt: number, otherAt: number): Promise<readonly [boolean, boolean]> => {
    const interleaving = new Interleaving(oneAt, otherAt);
    await play(interleaving);
    return interleaving.wasHeld;
  };
  for (let oneAt = 0, isOneHeld = true; isOneHeld; oneAt++) {
    [isOneHeld] = await wasHeld(oneAt, Number.POSITIVE_INFINITY);
    for (let otherAt = 0, isHeld = extent === 'all' || oneAt === 0; isHeld; otherAt++)
      [, isHeld] = await wasHeld(oneAt, otherAt);
  }
}

/** In memory all crossings are tried, where a disk or a server answers, or the quick gate runs, only the edges. */
export function extentOn(kind: StoreKind): 'all' | 'edges' {
  return kind === 'memory' && !isQuick ? 'all' : 'edges';
}
