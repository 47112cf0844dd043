/** Reads of a part of a partition, and questions about it that an engine answers where it lies: a part of the store's port. */
import type { MemberPath, MemberType, MemberValue, Where } from '../lib/where.ts';

/** A part of one partition. `after` and `before` are exclusive bounds on `sk`, whichever way it is read. */
export interface Range {
  readonly prefix?: string;
  readonly after?: string;
  readonly before?: string;
  readonly reverse?: boolean;
}

/**
 * A range read. It ends after `limit` items, or with the item that takes the sum of the values past `bytesMax`,
 * counted in UTF-8 bytes. Both count what is returned.
 */
export interface RangeRead extends Range {
  readonly limit: number;
  readonly bytesMax?: number;
}

/**
 * An index item's place, and version and value of the item that it points to, read in one snapshot. Not that item's
 * key: a caller that needs it reads the index item itself, and pays for it.
 */
export interface FollowedEntry {
  readonly sk: string;
  readonly version: number;
  readonly value: string;
}

/**
 * Reads those of a part of a partition of which `where` holds, asked of their values as JSON: of an index partition's
 * targets, in the index's order. One snapshot. It ends like a {@link RangeRead} by what it returns, and also after
 * `rowsMax` items were looked at, or about `limits.longReadMilliseconds`. Which of these ends it depends on the
 * items in key order, never on how many of them `where` holds of, but for `limit` and `bytesMax`.
 */
export interface SelectRead extends RangeRead {
  readonly where: Where;
  readonly rowsMax: number;
  /** Ends the read soon, and the call with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The progress of a read that looks at many items. */
export interface LookedAt {
  /** The number of items that were looked at. */
  readonly rows: number;
  /** The `sk` of the last item that was looked at, where there may be more behind it; undefined at the part's end. */
  readonly next: string | undefined;
  /** Why it ended before `limit`, `bytesMax` and the end of the part. */
  readonly endedBy?: 'rows' | 'time' | 'groups';
}

export interface Selected extends LookedAt {
  readonly entries: readonly FollowedEntry[];
}

/**
 * `sum` of the values that are of the type, `min` and `max` of them, and their `distinct` values. `avg` is a sum over its
 * count.
 */
export type Measure =
  | { readonly kind: 'count' }
  | { readonly kind: 'sum'; readonly path: MemberPath; readonly type: 'integer' | 'number' }
  | { readonly kind: 'min' | 'max' | 'distinct'; readonly path: MemberPath; readonly type: MemberType };

/** @param bounds ascending: the key is how many of them are at most the value. Left out: the key is the value. */
export interface GroupMember {
  readonly path: MemberPath;
  readonly type: MemberType;
  readonly bounds?: readonly MemberValue[];
}

/** Works out figures of those of a part of a partition of which `where` holds, in the way of a {@link SelectRead}. */
export interface MeasureRead extends Range {
  readonly where: Where;
  /** At most `limits.groupMembersMax`; none: one group of all. */
  readonly group: readonly GroupMember[];
  /** At most `limits.measuresMax`. */
  readonly measures: readonly Measure[];
  readonly rowsMax: number;
  /** With more groups, or with more distinct values of all groups together, it ends `endedBy` `groups`. */
  readonly groupsMax: number;
  readonly signal?: AbortSignal;
}

/** Null where an item has no value of the type. */
export type GroupKey = readonly (MemberValue | null)[];

/**
 * Figures that can be put together with those of another part. A sum of integers is exact; one of numbers is within 1e-12 of
 * the sum of their magnitudes, and is no finite number where no double holds it. `least` and `greatest` are undefined of no
 * values.
 */
export type MeasureResult =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'sum'; readonly count: number; readonly sum: bigint | number }
  | { readonly kind: 'min' | 'max'; readonly value: MemberValue | undefined }
  | { readonly kind: 'distinct'; readonly values: ReadonlySet<MemberValue> };

export interface MeasuredGroup {
  readonly key: GroupKey;
  /** In the order of the measures. */
  readonly results: readonly MeasureResult[];
}

/** Groups in no order. Without `group` there is one, also of no items. */
export interface Measured extends LookedAt {
  readonly groups: readonly MeasuredGroup[];
}
