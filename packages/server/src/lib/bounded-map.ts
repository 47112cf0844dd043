/**
 * A map of at most `sizeMax` entries, or of entries that together weigh at most so much, that forgets the one not used for the longest time (LRU).
 *
 * Entries are linked in the order of their use. A bare `Map` kept in that order by deleting and setting again would
 * pay for every deleted entry at its front when it looks for the oldest.
 */
export class BoundedMap<K, V> {
  readonly #sizeMax: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;
  readonly #entries = new Map<K, Entry<K, V>>();
  #newest: Entry<K, V> | undefined;
  #oldest: Entry<K, V> | undefined;

  /** `weigh` is asked once for each value that is set; an entry that weighs more than `sizeMax` by itself is not kept. */
  constructor(sizeMax: number, weigh: (value: V) => number = () => 1) {
    if (!Number.isSafeInteger(sizeMax) || sizeMax < 1) throw new TypeError('sizeMax must be a positive integer');
    this.#sizeMax = sizeMax;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#refresh(entry);
    return entry.value;
  }

  /** Does not count as a use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Those used last come last; asking for them does not count as a use. */
  *values(): Generator<V> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#sizeMax) return;
    while (this.#weight + weight > this.#sizeMax && this.#oldest !== undefined) this.delete(this.#oldest.key);
    const entry: Entry<K, V> = { key, value, weight, newer: undefined, older: undefined };
    this.#entries.set(key, entry);
    this.#weight += weight;
    this.#linkNewest(entry);
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#unlink(entry);
    return true;
  }

  /** Lets go of the entry that was not used for the longest time, where that is so of its value. */
  deleteOldest(isGone: (value: V) => boolean): boolean {
    const oldest = this.#oldest;
    return oldest !== undefined && isGone(oldest.value) && this.delete(oldest.key);
  }

  #refresh(entry: Entry<K, V>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#linkNewest(entry);
  }

  #linkNewest(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: Entry<K, V>): void {
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.#oldest = entry.newer;
    else entry.older.newer = entry.newer;
    entry.newer = undefined;
  }
}

interface Entry<K, V> {
  readonly key: K;
  value: V;
  readonly weight: number;
  newer: Entry<K, V> | undefined;
  older: Entry<K, V> | undefined;
}
