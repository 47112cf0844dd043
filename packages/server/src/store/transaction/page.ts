/** So many more items are read at once, at most, and as many as are likely to fit into so many bytes. */
const countMax = 256;
const bytesAtOnce = 4 * 1024 * 1024;

/** Takes items up to the bounds of a read, as a store does. */
export class Page<T extends { readonly value: string }> {
  readonly items: T[] = [];
  readonly #limit: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(limit: number, bytesMax = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit || this.#bytes > this.#bytesMax;
  }

  add(item: T): void {
    if (this.isFull) return;
    this.items.push(item);
    this.#bytes += Buffer.byteLength(item.value);
  }

  /** How many more are read at once, if they are about as large as those before. */
  fitting(): number {
    const each = Math.max(1, this.#bytes / Math.max(1, this.items.length));
    return Math.max(1, Math.min(countMax, Math.floor(bytesAtOnce / each)));
  }
}
