import type { Due } from '../port.ts';

/** So many entries that were used since the last look are spared in a row; a look at all would take too long. */
const sparedInARow = 16;

/** An item as it is stored, without its key. */
export interface StoredValue {
  readonly version: number;
  readonly value: string;
  readonly due: Due | undefined;
  /** Of the key, when the item was read. */
  readonly mark: number;
}

/** One object for each entry, since a cache has many. */
interface Entry extends StoredValue {
  readonly bytes: number;
  isUsed: boolean;
}

/**
 * What a cache keeps for one owner. It gives up entries in the order of a clock: the hand goes round and takes the next
 * one that was not used since it last came by. Unlike with a list by last use, a use writes no more than a flag.
 */
export class CacheShare {
  readonly owner: string;
  readonly #entries = new Map<string, Entry>();
  #hand = this.#entries.entries();
  /** Of the share and of all entries. */
  #bytes: number;

  constructor(owner: string, bytes: number) {
    this.owner = owner;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Counts as a use. */
  get(name: string): StoredValue | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  /** There is none of this name. */
  set(name: string, { version, value, due, mark }: StoredValue, bytes: number): void {
    this.#entries.set(name, { version, value, due, mark, bytes, isUsed: false });
    this.#bytes += bytes;
  }

  /** Returns the bytes that are free then. */
  delete(name: string): number {
    const bytes = this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
    this.#bytes -= bytes;
    return bytes;
  }

  /** Gives up one entry. Returns the bytes that are free then, 0 where there is no entry. */
  evict(): number {
    for (let spared = 0; !this.isEmpty; ) {
      const { value: next } = this.#hand.next();
      if (next === undefined) {
        this.#hand = this.#entries.entries();
        continue;
      }
      const [name, entry] = next;
      if (!entry.isUsed || spared >= sparedInARow) return this.delete(name);
      entry.isUsed = false;
      spared++;
    }
    return 0;
  }
}
