import { compareBytes } from '../lib/byte-order.ts';
import type { CheckReads, PartRead, Range } from './port.ts';

/** A stretch of sort keys in UTF-8 byte order. `to` is exclusive; without it the stretch is open at its end. */
export interface KeyBounds {
  readonly from: string;
  readonly isFromIncluded: boolean;
  readonly to: string | undefined;
}

/** The keys that a range names: those with its prefix that lie between its exclusive bounds. */
export function keyBounds(range: Range): KeyBounds {
  const { prefix = '', after, before } = range;
  const isAfterPrefix = after !== undefined && compareBytes(after, prefix) >= 0;
  const end = prefixEnd(prefix);
  const isBeforeEnd = before !== undefined && (end === undefined || compareBytes(before, end) < 0);
  return { from: isAfterPrefix ? after : prefix, isFromIncluded: !isAfterPrefix, to: isBeforeEnd ? before : end };
}

/**
 * The first text, in byte order, after all that start with `prefix`, which is well formed: its last code point counted up
 * by one. That is exact because UTF-8 keeps code point order; U+10FFFF has no successor, so the code point before it is
 * counted up.
 */
export function prefixEnd(prefix: string): string | undefined {
  for (let end = prefix.length; end > 0; ) {
    const start = end - (isLowSurrogate(prefix.charCodeAt(end - 1)) ? 2 : 1);
    const point = prefix.codePointAt(start) ?? 0;
    if (point < 0x10ffff) return prefix.slice(0, start) + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
    end = start;
  }
  return undefined;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

export interface PartitionPart extends Range {
  readonly pk: string;
}

export interface PartItem {
  readonly sk: string;
  readonly version: number;
}

/**
 * Items written since have a higher version than all that were there when the part was read. So a part with as many
 * items and as new a newest one has the same items: none of them was written since, and none is gone.
 * @param found as many items of the part as {@link readAtMost} says, if it has so many.
 */
export function isAsRead({ count, newest, isCut }: PartRead, found: readonly PartItem[]): boolean {
  if (isCut === true ? found.length < count : found.length !== count) return false;
  return newest === undefined || newestOf(found) === newest;
}

/** So many items show whether a part is as it was read: where all were counted, one more than it had. */
export function readAtMost({ count, isCut }: Pick<PartRead, 'count' | 'isCut'>): number {
  return isCut === true ? count : count + 1;
}

/** 0 where there are none. */
export function newestOf(items: readonly Pick<PartItem, 'version'>[]): number {
  return items.reduce((newest, { version }) => Math.max(newest, version), 0);
}

/** The number of items that are read again to judge reads: each item, and each part with all that it had. */
export function readsIn({ items, parts }: Pick<CheckReads, 'items' | 'parts'>): number {
  return parts.reduce((sum, { count }) => sum + 1 + count, items.length);
}

/** Whether a sort key is in a range. */
export function within(range: Range): (sk: string) => boolean {
  const { from, isFromIncluded, to } = keyBounds(range);
  return (sk) => {
    const start = compareBytes(sk, from);
    return (isFromIncluded ? start >= 0 : start > 0) && (to === undefined || compareBytes(sk, to) < 0);
  };
}
