/** Parts of partitions that were read, and whether they are still as they were. */
import { compareBytes } from '../../lib/byte-order.ts';
import { keyBounds } from '../key-bounds.ts';
import type { CheckReads, PartRead, Range } from '../port.ts';

export interface Part extends Range {
  readonly pk: string;
}

export interface PartItem {
  readonly sk: string;
  readonly version: number;
}

/**
 * What was written since has a higher version than all that stood when the part was read. So a part with as many items
 * and as new a newest one has the same items: none of them was written since, and none is gone.
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

/** How much is read again to judge reads: each item, and each part with all that it had. */
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
