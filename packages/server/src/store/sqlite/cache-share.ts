import { Ring, RingMember } from '../../lib/ring.ts';
import type { Due } from '../port.ts';

/** So many entries that were used since the last look are spared in a row; a look at all would take too long. */
const sparedInARow = 16;

/** An item as it is stored, without its key. */
export interface StoredValue {
  readonly version: number;
  readonly value: string;
  readonly due: Due | undefined;
}

/** One object for each entry, since a cache has many. */
class Entry extends RingMember implements StoredValue {
  readonly name: string;
  readonly version: number;
  readonly value: string;
  readonly due: Due | undefined;
  readonly bytes: number;
  isUsed = false;

  constructor(name: string, { version, value, due }: StoredValue, bytes: number) {
    super();
    this.name = name;
    this.version = version;
    this.value = value;
    this.due = due;
    this.bytes = bytes;
  }
}

/**
 * What a cache keeps for one owner. It gives up entries in the order of a clock: the hand goes round and takes the next
 * one that was not used since it last came by. Unlike with a list by last use, a use writes no more than a flag.
 */
export class CacheShare extends RingMember {
  readonly owner: string;
  readonly #entries = new Map<string, Entry>();
  readonly #ring = new Ring<Entry>();
  /** Of the share and of all entries. */
  #bytes: number;

  constructor(owner: string, bytes: number) {
    super();
    this.owner = owner;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#ring.isEmpty;
  }

  /** Counts as a use. */
  get(name: string): StoredValue | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  /** There is none of this name. */
  set(name: string, value: StoredValue, bytes: number): void {
    const entry = new Entry(name, value, bytes);
    this.#entries.set(name, entry);
    this.#ring.add(entry);
    this.#bytes += bytes;
  }

  /** Returns the bytes that are free then. */
  delete(name: string): number {
    const entry = this.#entries.get(name);
    if (entry === undefined) return 0;
    this.#entries.delete(name);
    this.#ring.remove(entry);
    this.#bytes -= entry.bytes;
    return entry.bytes;
  }

  /** Gives up one entry. Returns the bytes that are free then, 0 where there is no entry. */
  evict(): number {
    for (let spared = 0; ; spared++) {
      const entry = this.#ring.turn();
      if (entry === undefined) return 0;
      if (!entry.isUsed || spared >= sparedInARow) return this.delete(entry.name);
      entry.isUsed = false;
    }
  }
}
