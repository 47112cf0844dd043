import { LRUCache } from 'lru-cache';

type Defined = NonNullable<unknown>;

/**
 * A map of at most `sizeMax` entries, or of entries that together weigh at most so much, that forgets the one not used
 * for the longest time (LRU).
 */
export class BoundedMap<K extends Defined, V extends Defined> {
  readonly #entries: LRUCache<K, V>;

  /** `weigh` is asked once for each value that is set; an entry that weighs more than `sizeMax` by itself is not kept. */
  constructor(sizeMax: number, weigh: (value: V) => number = () => 1) {
    if (!Number.isSafeInteger(sizeMax) || sizeMax < 1) throw new TypeError('sizeMax must be a positive integer');
    // By `max` it would set aside memory for all entries at once.
    this.#entries = new LRUCache({ maxSize: sizeMax, sizeCalculation: weigh });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Does not count as a use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** Lets go of the entry that was not used for the longest time, where that is so of its value. */
  deleteOldest(isGone: (value: V) => boolean): boolean {
    const [key] = this.#entries.rkeys();
    const value = key === undefined ? undefined : this.#entries.peek(key);
    return key !== undefined && value !== undefined && isGone(value) && this.#entries.delete(key);
  }
}

/** The number of times that a cache had what it was asked for, and how often it had not. */
export interface HitTally {
  hits: number;
  misses: number;
}

export function newHitTally(): HitTally {
  return { hits: 0, misses: 0 };
}
