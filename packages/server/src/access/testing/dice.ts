/** Random choices that a seed repeats. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    // mulberry32: small, fast, and good enough for choices.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new TypeError('nothing to pick from');
    return item as Item;
  }

  /** True in `percent` of 100 throws. */
  hits(percent: number): boolean {
    return this.below(100) < percent;
  }

  list<Item>(min: number, max: number, make: () => Item): Item[] {
    return Array.from({ length: min + this.below(max - min + 1) }, make);
  }
}
