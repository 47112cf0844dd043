/**
 * The store: one sorted map of small texts, cut into scopes that cannot reach each other.
 *
 * The promises of every adapter, which `conformance/` proves:
 * - a scope's keys are its own: no call names a scope beside a key;
 * - `sk` is ordered by its UTF-8 bytes; keys are compared byte for byte, without case, locale or normalisation;
 * - each read call sees one snapshot; a commit is all or nothing and resolves only when it is on disk;
 * - commits of one scope are serial; each takes the next `seq`, which never restarts, and stamps what it writes with it;
 * - an item that is due in the queue `expire` and whose time has come reads as absent, also to conditions;
 * - a text comes back as it was written: half a surrogate pair, and in a write also U+0000, is a `TypeError`;
 * - after `close` every call is refused as {@link Unavailable}.
 */
import type { FollowedEntry, Measured, MeasureRead, Range, RangeRead, Selected, SelectRead } from './reads.ts';

export type {
  FollowedEntry,
  GroupKey,
  GroupMember,
  LookedAt,
  Measure,
  Measured,
  MeasuredGroup,
  MeasureRead,
  MeasureResult,
  Range,
  RangeRead,
  Selected,
  SelectRead,
} from './reads.ts';

/**
 * Non-empty and at most {@link limits.scopeBytesMax} bytes. The text before a hyphen names the owner of the scope:
 * owners share what an engine can do.
 */
export type ScopeName = string;

export function ownerOf(scope: ScopeName): string {
  const end = scope.indexOf('-');
  return end === -1 ? scope : scope.slice(0, end);
}

/** `pk` names a partition, `sk` the place in it. Both are non-empty and at most {@link limits.keyBytesMax} bytes. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * `work` items wait for a background job, `automation` items for what an org has configured to happen, `expire` items
 * vanish at `at` (milliseconds since the epoch).
 */
export type Queue = 'expire' | 'work' | 'automation';

export interface Due {
  readonly at: number;
  readonly queue: Queue;
}

/** `version` is the `seq` of the commit that wrote the item. Index items have a `target` and an empty `value`. */
export interface Item extends Key {
  readonly version: number;
  readonly value: string;
  readonly target?: Key;
  readonly due?: Due;
}

export type Condition = 'absent' | 'present' | 'any' | { readonly version: number };

/** Writes a value. Never in an index partition. */
export interface Put extends Key {
  readonly kind: 'put';
  readonly value: string;
  readonly if: Condition;
  readonly due?: Due;
}

/** Writes an index item: only in partitions for which {@link isIndexPartition} holds. The target is no index item. */
export interface PutIndex extends Key {
  readonly kind: 'put-index';
  readonly target: Key;
}

/**
 * Removes an item of either sort; under `any` a missing one is no conflict. Under `absent` it sweeps an item that has
 * expired, and is a conflict when the key was written again.
 */
export interface Remove extends Key {
  readonly kind: 'remove';
  readonly if: Condition;
}

/**
 * Adds `by` (a safe integer) to a counter, 0 when absent. A sum outside `min` and `max`, or that is no safe integer, is
 * a conflict. A counter is an item whose value is its decimal text; its `due` stays. Any other value is a `TypeError`.
 */
export interface Add extends Key {
  readonly kind: 'add';
  readonly by: number;
  readonly min?: number;
  readonly max?: number;
}

/**
 * Adds whole numbers, however large, to the figures of a row, which are 0 where it is absent. A row whose first figure comes
 * to 0 is removed, whatever the others are. The value of a row is what `tally.ts` makes of it; any other is a `TypeError`.
 * No condition is looked at, so writers of one row do not refuse each other.
 */
export interface Tally extends Key {
  readonly kind: 'tally';
  /** Says what the row is of. It is written along. */
  readonly label: string;
  readonly by: readonly bigint[];
}

/** Writes nothing; holds the commit to a condition. */
export interface Check extends Key {
  readonly kind: 'check';
  readonly if: Condition;
}

/** A conflict unless no item of `pk` starts with `prefix`, judged after the commit's own changes. */
export interface CheckEmpty {
  readonly kind: 'check-empty';
  readonly pk: string;
  readonly prefix: string;
}

/** The way an item was read: its version, or undefined where none was there. */
interface ItemRead extends Key {
  readonly version: number | undefined;
}

/** The way a part of a partition was read: how many items it had, and the version of the newest of them. */
export interface PartRead extends Omit<Range, 'reverse'> {
  readonly pk: string;
  readonly count: number;
  /** 0 where there were none; left out where the items were counted alone. */
  readonly newest?: number;
  /** It was not counted further: there may have been more. */
  readonly isCut?: true;
}

/**
 * Holds the commit to what was read before it: a conflict where any of that would be read in another way now, judged on
 * the state before the commit's own changes. A commit has one of these at most, which reads at most {@link
 * limits.readsMax} items. A commit of this alone takes no `seq`, and gives that of the commit before it.
 */
export interface CheckReads {
  readonly kind: 'check-reads';
  readonly items: readonly ItemRead[];
  readonly parts: readonly PartRead[];
}

/** Adds a value at the end of a partition: its `sk` comes from `seq`, so the partition reads in commit order. */
export interface Append {
  readonly kind: 'append';
  readonly pk: string;
  readonly value: string;
  /**
   * The value is stored behind a digest of the value, of its place and of the previous digest, as `chain.ts` has it.
   * Whatever is appended to such a partition is chained, and writes the chain's head along.
   */
  readonly isChained?: true;
}

/** A commit names each key at most once, a `check` included: a second one is a `TypeError`. */
export type Change = Put | PutIndex | Remove | Add | Tally | Check | CheckEmpty | CheckReads | Append;

/** `sums` are the new values of the commit's `add` changes and the new first figures of its `tally` changes, in their order. */
export interface Committed {
  readonly seq: number;
  readonly sums: readonly number[];
}

/** `background` commits wait for every `request` commit that is queued and could go at once. */
export interface CommitOptions {
  readonly priority?: 'request' | 'background';
}

/** The capability to one scope's keys. */
export interface Scope {
  readonly name: ScopeName;
  get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  range(pk: string, read: RangeRead): Promise<readonly Item[]>;
  /** Reads an index partition and returns what its targets hold, in the index's order; an entry without a target is left out. */
  follow(indexPk: string, read: RangeRead): Promise<readonly FollowedEntry[]>;
  /** Counts items, at most `atMost` of them. */
  count(pk: string, range: Range, atMost: number): Promise<number>;
  select(pk: string, read: SelectRead): Promise<Selected>;
  measure(pk: string, read: MeasureRead): Promise<Measured>;
  commit(changes: readonly Change[], options?: CommitOptions): Promise<Committed>;
}

export interface Health {
  readonly ok: boolean;
  /** Why it is not `ok`, in words that anyone may read. */
  readonly fault?: string;
  /** The engine's name for itself, such as `sqlite`. */
  readonly kind: string;
  readonly synchronous: 'full' | 'none';
  /**
   * Given where several servers keep the data: how many, how many of them do not answer, and how many that answer are
   * reached only through another server.
   */
  readonly servers?: { readonly all: number; readonly down: number; readonly relayed: number };
}

/** A change of one of several servers that keep the data. */
export interface ServerChange {
  /** `host:port`, for the operator alone. */
  readonly server: string;
  readonly state: 'down' | 'up' | 'unsafe' | 'relayed';
  /** Its own reason, or the settings that are not as they have to be. */
  readonly why?: string;
}

/** One store per data space: platform, test, prod. */
export interface Store {
  scope(name: ScopeName): Scope;
  health(): Promise<Health>;
  /** Ends when every commit that was accepted has been answered. */
  close(): Promise<void>;
}

export type ScopeState = 'open' | 'closed';

export interface ScopeHead {
  readonly name: ScopeName;
  readonly seq: number;
  readonly state: ScopeState;
}

export interface DueItem {
  readonly scope: ScopeName;
  readonly item: Item;
}

/** Calls that reach over scopes. Handed to background jobs and to the composition root only. */
export interface Maintenance {
  /**
   * Scopes by name, in byte order, after the one named. A scope that has items and no head, which no commit of this
   * port leaves, is listed as a commit would take it: open, with `seq` 0.
   */
  scopes(after: ScopeName | undefined, limit: number): Promise<readonly ScopeHead[]>;
  /**
   * Every item of a scope, index items and expired ones included, ordered by `pk`, then `sk`. It ends after `limit`
   * items, or with the item that takes the sum of the values past {@link limits.scanBytesMax}, counted in UTF-8 bytes:
   * a walk over a scope is at its end when it returns nothing.
   */
  scan(scope: ScopeName, after: Key | undefined, limit: number): Promise<readonly Item[]>;
  /** Items of a queue with `due.at` at or before `before`, the earliest first. */
  due(queue: Queue, before: number, limit: number): Promise<readonly DueItem[]>;
  /** A closed scope refuses every commit; its items can still be read. Takes its turn among the scope's commits. */
  setState(scope: ScopeName, state: ScopeState): Promise<void>;
  /**
   * Writes items of another store as they are, with their versions, and sets the head; all or nothing, closed or not.
   * For copies alone: no condition is looked at. A target comes before the index items that lead to it.
   */
  load(head: ScopeHead, items: readonly Item[]): Promise<void>;
  /** The version of what the store holds, as `data-version.ts` has it. */
  dataVersion(): Promise<number>;
  /** For migrations alone, which have the store to themselves. */
  setDataVersion(version: number): Promise<void>;
}

/** A store with its maintenance side, as an adapter opens it. */
export interface OpenedStore {
  readonly store: Store;
  readonly maintenance: Maintenance;
}

export const limits = {
  keyBytesMax: 1024,
  /** With it a whole key stays below what a page of PostgreSQL's index takes, 2,704 bytes. */
  scopeBytesMax: 256,
  valueBytesMax: 2 * 1024 * 1024,
  changesMax: 10_000,
  readsMax: 10_000,
  commitBytesMax: 8 * 1024 * 1024,
  scanBytesMax: 4 * 1024 * 1024,
  longReadMilliseconds: 2_000,
  groupMembersMax: 5,
  measuresMax: 10,
  boundsMax: 1_000,
} as const;

const indexPrefix = 'index#';

/** Index items live in partitions of their own, so that an adapter may keep them in another shape. */
export function isIndexPartition(pk: string): boolean {
  return pk.startsWith(indexPrefix);
}

export type ConflictReason = 'condition' | 'bound' | 'not-empty';

/** The commit was refused by its own change at position `changeIndex`; nothing was written. */
export class Conflict extends Error {
  readonly changeIndex: number;
  readonly reason: ConflictReason;

  constructor(changeIndex: number, reason: ConflictReason) {
    super(`change ${changeIndex} of the commit was refused: ${reason}`);
    this.name = 'Conflict';
    this.changeIndex = changeIndex;
    this.reason = reason;
  }
}

/** The scope takes no commits any more; nothing was written. */
export class ScopeClosed extends Error {
  override readonly name = 'ScopeClosed';
}

/** The commit is over one of {@link limits}; nothing was written. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** The store cannot serve now; nothing was written. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** The server that keeps the data takes no more connections. */
export class NoConnectionLeft extends Unavailable {}

/** The connection or disk failed while committing: the commit may stand or not. Never repeat it blindly. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

export interface SignalEars {
  /** A text of any node, this one included, in the order in which the server took them. */
  heard(text: string): void;
  /** No text comes any more. */
  lost(): void;
}

/** INVARIANT: from its opening on, every text that the server takes is heard, until it is lost. */
export interface SignalChannel {
  /** Resolves when the server has taken a text of less than 8,000 bytes; a rejection leaves that open. */
  send(text: string): Promise<void>;
  close(): Promise<void>;
}
