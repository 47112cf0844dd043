import { compareBytes } from '../../lib/byte-order.ts';
import { within } from '../key-bounds.ts';
import type { Add, Append, Change, Item, Key, Range, Tally } from '../port.ts';
import { bothFigures, isLeft, tallied, tallyText } from '../tally.ts';

/** What a transaction leaves under a key. Sums and figures are added to the stored ones, which need not be known. */
export type OwnWrite =
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'gone' }
  | { readonly kind: 'sum'; readonly by: number }
  | ({ readonly kind: 'tally' } & Pick<Tally, 'label' | 'by'>);

/** A change that writes a key. */
export type WritingChange = Exclude<Extract<Change, Key>, { readonly kind: 'check' }>;

/** The version of an item that a transaction has written: its real one is that of the commit. */
export const ownVersion = 0;

/** The writes of a transaction so far, by key. */
export class OwnWrites {
  readonly #writes = new Map<string, Map<string, OwnWrite>>();
  readonly #appended: Append[] = [];
  #bytes = 0;
  #keys = 0;

  /** Of the values. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#keys + this.#appended.length;
  }

  at({ pk, sk }: Key): OwnWrite | undefined {
    return this.#writes.get(pk)?.get(sk);
  }

  /** In ascending order. */
  in(pk: string, range: Range): (readonly [sk: string, OwnWrite])[] {
    const isOfPart = within(range);
    const found = [...(this.#writes.get(pk) ?? [])].filter(([sk]) => isOfPart(sk));
    return found.sort(([left], [right]) => compareBytes(left, right));
  }

  add(change: WritingChange): void {
    this.set(change, this.#after(change));
  }

  append(change: Append): void {
    this.#appended.push(change);
  }

  /** Undefined where the transaction leaves the key as it is. */
  set({ pk, sk }: Key, write: OwnWrite | undefined): void {
    const keys = this.#writes.get(pk) ?? new Map<string, OwnWrite>();
    this.#writes.set(pk, keys);
    this.#bytes += bytesOf(write) - bytesOf(keys.get(sk));
    this.#keys -= keys.size;
    if (write === undefined) keys.delete(sk);
    else keys.set(sk, write);
    this.#keys += keys.size;
  }

  /** @param isAbsent whether it is known that nothing is under a key. */
  changes(isAbsent: (key: Key) => boolean): readonly Change[] {
    const changes: Change[] = [];
    for (const [pk, keys] of this.#writes)
      for (const [sk, write] of keys) {
        const change = changeOf({ pk, sk }, write);
        if (change.kind !== 'remove' || !isAbsent(change)) changes.push(change);
      }
    return [...changes, ...this.#appended];
  }

  #after(change: WritingChange): OwnWrite {
    const { pk, sk } = change;
    switch (change.kind) {
      case 'put': {
        const { value, due } = change;
        return { kind: 'item', item: { pk, sk, version: ownVersion, value, ...(due === undefined ? {} : { due }) } };
      }
      case 'put-index':
        return { kind: 'item', item: { pk, sk, version: ownVersion, value: '', target: change.target } };
      case 'remove':
        return { kind: 'gone' };
      case 'add':
        return this.#sumAfter(change);
      case 'tally':
        return this.#tallyAfter(change);
    }
  }

  /** Those who count the same do not get in each other's way. */
  #sumAfter({ by, min, max, ...key }: Add): OwnWrite {
    const before = this.at(key);
    if (min === undefined && max === undefined && (before === undefined || before.kind === 'sum'))
      return { kind: 'sum', by: (before?.by ?? 0) + by };
    throw new TypeError('a transaction adds without bounds, and writes a counter in no other way');
  }

  #tallyAfter({ label, by, ...key }: Tally): OwnWrite {
    const before = this.at(key);
    if (before === undefined) return { kind: 'tally', label, by };
    if (before.kind === 'tally') return { kind: 'tally', label, by: bothFigures(before.by, by) };
    throw new TypeError('a transaction writes a row of figures in one way');
  }
}

/** The item under a key, by what was written and what lies beneath. */
export function itemAfter({ pk, sk }: Key, write: OwnWrite | undefined, stored: Item | undefined): Item | undefined {
  switch (write?.kind) {
    case undefined:
      return stored;
    case 'item':
      return write.item;
    case 'gone':
      return undefined;
    case 'sum': {
      const value = String(Number(stored?.value ?? '0') + write.by);
      return { pk, sk, version: ownVersion, value, ...(stored?.due && { due: stored.due }) };
    }
    case 'tally': {
      const row = tallied(stored?.value, write);
      return isLeft(row) ? { pk, sk, version: ownVersion, value: tallyText(row) } : undefined;
    }
  }
}

function changeOf({ pk, sk }: Key, write: OwnWrite): WritingChange {
  switch (write.kind) {
    case 'sum':
      return { kind: 'add', pk, sk, by: write.by };
    case 'tally':
      return { kind: 'tally', pk, sk, label: write.label, by: write.by };
    case 'gone':
      return { kind: 'remove', pk, sk, if: 'any' };
    case 'item': {
      const { value, due, target } = write.item;
      if (target !== undefined) return { kind: 'put-index', pk, sk, target };
      return { kind: 'put', pk, sk, value, if: 'any', ...(due === undefined ? {} : { due }) };
    }
  }
}

function bytesOf(write: OwnWrite | undefined): number {
  if (write?.kind === 'tally') return Buffer.byteLength(write.label);
  return write?.kind === 'item' ? Buffer.byteLength(write.item.value) : 0;
}
