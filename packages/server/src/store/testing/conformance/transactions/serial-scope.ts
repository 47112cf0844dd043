/** A scope that one works on at a time, as simple as can be: what transactions beside each other are compared with. */
import { compareBytes } from '../../../../lib/byte-order.ts';
import { keyBounds } from '../../../key-bounds.ts';
import {
  type Change,
  Conflict,
  type FollowedEntry,
  type Item,
  type Key,
  type Measured,
  type MeasureRead,
  type Range,
  type RangeRead,
  type Scope,
  type Selected,
  type SelectRead,
} from '../../../port.ts';
import { measureByReading, selectByReading } from '../../../read-where.ts';
import { isLeft, tallied, tallyText } from '../../../tally.ts';

/** Like that of a transaction, until {@link SerialScope.settle} says which commit it was. */
const unsettled = 0;

export class SerialScope implements Scope {
  readonly name = 'serial';
  #items: readonly Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Gives what was written since the last call the number of its commit. */
  settle(seq: number): void {
    this.#items = this.#items.map((item) => (item.version === unsettled ? { ...item, version: seq } : item));
  }

  async get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    return keys.map((key) => this.#find(key));
  }

  async range(pk: string, read: RangeRead): Promise<readonly Item[]> {
    return cut(this.#within(pk, read), read);
  }

  async follow(pk: string, read: RangeRead): Promise<readonly FollowedEntry[]> {
    const followed = this.#within(pk, read).flatMap(({ sk, target }) => {
      const item = target === undefined ? undefined : this.#find(target);
      return item === undefined ? [] : [{ sk, version: item.version, value: item.value }];
    });
    return cut(followed, read);
  }

  async count(pk: string, range: Range, atMost: number): Promise<number> {
    return Math.min(atMost, this.#within(pk, range).length);
  }

  select(pk: string, read: SelectRead): Promise<Selected> {
    return selectByReading(this, pk, read);
  }

  measure(pk: string, read: MeasureRead): Promise<Measured> {
    return measureByReading(this, pk, read);
  }

  async commit(changes: readonly Change[]): Promise<{ readonly seq: number; readonly sums: readonly number[] }> {
    const before = this.#items;
    try {
      for (const [index, change] of changes.entries()) this.#apply(change, index, before);
      for (const [index, change] of changes.entries())
        if (change.kind === 'check-empty' && this.#within(change.pk, change).length > 0)
          throw new Conflict(index, 'not-empty');
    } catch (error) {
      this.#items = before;
      throw error;
    }
    return { seq: unsettled, sums: [] };
  }

  #apply(change: Change, index: number, before: readonly Item[]): void {
    if (!('sk' in change)) return;
    const { pk, sk } = change;
    const held = before.find((item) => item.pk === pk && item.sk === sk);
    if ('if' in change && change.if !== 'any') {
      const isMet =
        change.if === 'absent'
          ? held === undefined
          : change.if === 'present'
            ? held !== undefined
            : held?.version === change.if.version;
      if (!isMet) throw new Conflict(index, 'condition');
    }
    if (change.kind === 'check') return;
    const rest = this.#items.filter((item) => item.pk !== pk || item.sk !== sk);
    const item = { pk, sk, version: unsettled };
    if (change.kind === 'remove') this.#items = rest;
    else if (change.kind === 'put') this.#items = [...rest, { ...item, value: change.value }];
    else if (change.kind === 'put-index') this.#items = [...rest, { ...item, value: '', target: change.target }];
    else if (change.kind === 'tally') {
      const row = tallied(held?.value, change);
      this.#items = isLeft(row) ? [...rest, { ...item, value: tallyText(row) }] : rest;
    } else this.#items = [...rest, { ...item, value: String(Number(held?.value ?? 0) + change.by) }];
  }

  #find({ pk, sk }: Key): Item | undefined {
    return this.#items.find((item) => item.pk === pk && item.sk === sk);
  }

  #within(pk: string, range: Range): readonly Item[] {
    const { from, isFromIncluded, to } = keyBounds(range);
    const found = this.#items.filter((item) => {
      const start = compareBytes(item.sk, from);
      const isFrom = isFromIncluded ? start >= 0 : start > 0;
      return item.pk === pk && isFrom && (to === undefined || compareBytes(item.sk, to) < 0);
    });
    const sorted = found.toSorted((left, right) => compareBytes(left.sk, right.sk));
    return range.reverse === true ? sorted.reverse() : sorted;
  }
}

function cut<T extends { readonly value: string }>(
  found: readonly T[],
  { limit, bytesMax = Infinity }: RangeRead,
): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const one of found) {
    if (taken.length >= limit || bytes > bytesMax) break;
    taken.push(one);
    bytes += Buffer.byteLength(one.value);
  }
  return taken;
}
