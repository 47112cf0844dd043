import type { CheckReads, Key, PartRead } from '../port.ts';

/** What a transaction has read was written by another commit meanwhile. Nothing of it is kept; its work is done again. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

export function overtaken(): Overtaken {
  return new Overtaken('another commit has changed what was read');
}

/** A transaction has read more than one commit checks. */
export class TooManyReads extends Error {
  override readonly name = 'TooManyReads';
  readonly readsMax: number;

  constructor(readsMax: number) {
    super(`a transaction reads at most ${readsMax} items`);
    this.readsMax = readsMax;
  }
}

/** A part takes a search of its own: as much as so many items. */
const partCost = 4;

/** What a transaction has read, as its commit checks it. What is read twice has to be the same twice. */
export class ReadSet {
  readonly #readsMax: number;
  /** Versions by partition and sort key. */
  readonly #items = new Map<string, Map<string, number | undefined>>();
  /** By what they are of. */
  readonly #parts = new Map<string, PartRead>();
  #reads = 0;

  constructor(readsMax: number) {
    this.#readsMax = readsMax;
  }

  get change(): CheckReads {
    const items = [...this.#items].flatMap(([pk, keys]) => [...keys].map(([sk, version]) => ({ pk, sk, version })));
    return { kind: 'check-reads', items, parts: [...this.#parts.values()] };
  }

  has({ pk, sk }: Key): boolean {
    return this.#items.get(pk)?.has(sk) === true;
  }

  versionOf({ pk, sk }: Key): number | undefined {
    return this.#items.get(pk)?.get(sk);
  }

  /** @throws Overtaken, TooManyReads */
  addItem(key: Key, version: number | undefined): void {
    if (this.has(key)) {
      if (this.versionOf(key) !== version) throw overtaken();
      return;
    }
    const keys = this.#items.get(key.pk) ?? new Map<string, number | undefined>();
    this.#items.set(key.pk, keys.set(key.sk, version));
    this.#spend(1);
  }

  /** @throws Overtaken, TooManyReads */
  addPart(part: PartRead): void {
    const { count, newest, isCut, ...of } = part;
    // A part that was not counted further may be counted up to more the next time.
    const name = JSON.stringify([of, newest === undefined, isCut === true ? count : undefined]);
    const known = this.#parts.get(name);
    if (known === undefined) {
      this.#parts.set(name, part);
      this.#spend(partCost + count);
    } else if (known.count !== count || known.newest !== newest) throw overtaken();
  }

  #spend(reads: number): void {
    this.#reads += reads;
    if (this.#reads > this.#readsMax) throw new TooManyReads(this.#readsMax);
  }
}
