import { randomInt } from 'node:crypto';

/** As many as 16 bits name. */
const slots = 65_536;
/** The first cell holds the seed. */
const offset = 1;

/**
 * Numbers that all threads of a process share, 0 at first. A text has one of a fixed number of slots, so memory is
 * bounded and two texts may share a slot: what is read there may only ever cause work that was not needed. The seed
 * keeps callers from choosing texts of one slot.
 */
export class SharedSlots {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #seed: number;

  constructor(buffer: SharedArrayBuffer) {
    this.#cells = new Int32Array(buffer);
    this.#seed = this.#cells[0] ?? 0;
  }

  /** To be handed to each thread. */
  static allocate(): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(4 * (slots + offset));
    new Int32Array(buffer)[0] = randomInt(2 ** 31);
    return buffer;
  }

  /** FNV-1a over the UTF-16 units, mixed once more so that all bits count. */
  slotOf(text: string): number {
    let hash = this.#seed;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 16)) & (slots - 1);
  }

  /** A whole number below 2³², behind which 0 follows. */
  read(slot: number): number {
    return Atomics.load(this.#cells, slot + offset) >>> 0;
  }

  /** Adds to a slot, for all threads at once. */
  add(slot: number, by: number): void {
    Atomics.add(this.#cells, slot + offset, by);
  }

  /** Adds 1 to every slot. */
  addToAll(): void {
    for (let slot = 0; slot < slots; slot++) this.add(slot, 1);
  }
}

/** Numbers by name, each of which is another one after it was bumped. */
export interface SharedEpochs {
  current(name: string): number;
  bump(name: string): void;
}

/** The same numbers for all threads that have the slots. @param kind keeps equal names of different things apart. */
export function sharedEpochs(slots: SharedSlots, kind: string): SharedEpochs {
  const slotOf = (name: string): number => slots.slotOf(`${kind} ${name}`);
  return {
    current: (name) => slots.read(slotOf(name)),
    bump: (name) => slots.add(slotOf(name), 1),
  };
}
