import type { DatabaseSync } from 'node:sqlite';
import {
  applyGroup,
  type CommittedState,
  type CommitVerdict,
  type GroupMember,
  type Head,
  type StoredItem,
  type Write,
} from '../committing/apply-group.ts';
import { keyBounds, type PartItem, type PartitionPart } from '../key-bounds.ts';
import { type Due, type Item, isIndexPartition, type Key, type ScopeName, type ScopeState } from '../port.ts';
import { busyMilliseconds, checkpointPages, freedPagesMax, freePagesKept, logPagesMax } from './connection.ts';
import { boundsOf, boundsSql, limitSql, PreparedStatements } from './reader.ts';
import { isDiskFull, isPassing, isSqliteError } from './sqlite-error.ts';

/** The failure of a group that could not be stored. */
export interface GroupFailure {
  /** Whether the group may stand on disk all the same. */
  readonly outcome: 'nothing-written' | 'unknown';
  /** Whether the store must not go on. */
  readonly isFatal: boolean;
  readonly message: string;
}

export type GroupAnswer = { readonly verdicts: readonly CommitVerdict[] } | { readonly failure: GroupFailure };

/** The one connection that writes. */
export class SqliteWriter {
  readonly #database: DatabaseSync;
  readonly #statements: PreparedStatements;
  /** Pages that the log held when a checkpoint could not restart it; only growth beyond them is worth another. */
  #pagesKept = 0;
  /** Pages in the log after the last group. */
  #pages = 0;
  readonly #pagesMax: number;

  constructor(database: DatabaseSync, pagesMax = logPagesMax) {
    this.#database = database;
    this.#statements = new PreparedStatements(database);
    this.#pagesMax = pagesMax;
  }

  /** One transaction. Never throws: what went wrong, and whether the group may stand, is the answer. */
  run(members: readonly GroupMember[], now: number): GroupAnswer {
    let isCommitting = false;
    try {
      if (this.#pages >= this.#pagesMax && !this.#beginFullLogAnew()) return { failure: logIsFull };
      this.#statements.prepare('begin immediate').run();
      const { verdicts, writes, heads } = applyGroup(this.#current(now), members);
      // Values first: an index item notes the row of its target.
      for (const write of writes) if (write.item?.target === undefined) this.#write(write);
      for (const write of writes) if (write.item?.target !== undefined) this.#write(write);
      for (const [scope, head] of heads) this.#writeHead(scope, head);
      isCommitting = true;
      this.#statements.prepare('commit').run();
      return { verdicts };
    } catch (error) {
      return { failure: this.#undo(error, isCommitting) };
    }
  }

  /** Between groups only: a checkpoint beside a writer lets the log grow without bound. */
  checkpointIfDue(): void {
    try {
      this.#pages = this.#checkpoint('noop').log;
      if (this.#pages < this.#pagesKept) this.#pagesKept = 0;
      if (this.#pages < this.#pagesKept + checkpointPages) return;
      this.#pagesKept = this.#pages;
      this.#beginLogAnew();
    } catch (error) {
      // Nothing is lost as long as the log stands; a disk that is full may have room at the next time.
      if (!isSqliteError(error) || !isPassing(error)) throw error;
    }
  }

  /**
   * Between groups only. What was removed is overwritten in the file by then, and afterwards it is in the log no more.
   * Whether that is so; a reader may have been in the way.
   */
  tidy(): boolean {
    try {
      if (this.#pages < this.#pagesMax) this.#giveBack();
      this.#database.exec('pragma busy_timeout = 20');
      const isEmpty = !this.#checkpoint('truncate').isBusy;
      if (isEmpty) this.#pages = this.#pagesKept = 0;
      return isEmpty;
    } catch (error) {
      if (!isSqliteError(error) || !isPassing(error)) throw error;
      return false;
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyMilliseconds}`);
    }
  }

  /** Pages of the file that nothing uses. A file of an earlier release keeps them. */
  #giveBack(): void {
    const [free] = this.#statements.prepare<readonly [number]>('pragma freelist_count').get() ?? [0];
    const given = Math.min(free - freePagesKept, freedPagesMax);
    if (given > 0) this.#database.exec(`pragma incremental_vacuum(${given})`);
  }

  /** Whether the log has room again. */
  #beginFullLogAnew(): boolean {
    if (!this.#beginLogAnew()) return false;
    this.#pages = 0;
    return true;
  }

  /** Takes a moment without a reader: worth a short wait, not one for a backup to end. Whether there was one. */
  #beginLogAnew(): boolean {
    this.#database.exec('pragma busy_timeout = 20');
    try {
      return !this.#checkpoint('restart').isBusy;
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyMilliseconds}`);
    }
  }

  #checkpoint(mode: 'noop' | 'restart' | 'truncate'): { readonly isBusy: boolean; readonly log: number } {
    const sql = `pragma wal_checkpoint(${mode})`;
    const [busy, log] = this.#statements.prepare<readonly [busy: number, log: number, done: number]>(sql).get() ?? [
      0, 0,
    ];
    return { isBusy: busy !== 0, log };
  }

  #undo(error: unknown, wasCommitting: boolean): GroupFailure {
    const message = error instanceof Error ? error.message : String(error);
    const isKnown = !wasCommitting || (isSqliteError(error) && isDiskFull(error));
    const isUndone = this.#rollBack();
    const isFatal = !isKnown || !isUndone || (isSqliteError(error) && !isPassing(error));
    return { outcome: isKnown ? 'nothing-written' : 'unknown', isFatal, message };
  }

  /** SQLite has rolled back by itself after some errors. */
  #rollBack(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return true;
    } catch {
      return false;
    }
  }

  #current(now: number): CommittedState {
    return {
      now,
      head: (scope) => this.#head(scope),
      item: (scope, key) => this.#existing(scope, key),
      value: (scope, key) =>
        this.#statements
          .prepare<readonly [string]>('select value from items where scope = ? and pk = ? and sk = ?')
          .get(scope, key.pk, key.sk)?.[0],
      part: (scope, part, atMost) => this.#part(scope, part, { atMost, now }),
    };
  }

  #head(scope: ScopeName): Head | undefined {
    const row = this.#statements
      .prepare<readonly [seq: number, state: ScopeState]>('select seq, state from heads where scope = ?')
      .get(scope);
    return row === undefined ? undefined : { seq: row[0], state: row[1] };
  }

  #existing(scope: ScopeName, { pk, sk }: Key): StoredItem | undefined {
    const sql = isIndexPartition(pk)
      ? 'select version, null, null from index_items where scope = ? and pk = ? and sk = ?'
      : 'select version, due_queue, due_at from items where scope = ? and pk = ? and sk = ?';
    const row = this.#statements.prepare<StoredItemRow>(sql).get(scope, pk, sk);
    if (row === undefined) return undefined;
    const [version, queue, at] = row;
    return queue === null || at === null ? { version } : { version, due: { at, queue } };
  }

  #part(
    scope: ScopeName,
    { pk, ...range }: PartitionPart,
    { atMost, now }: { readonly atMost: number; readonly now: number },
  ): readonly PartItem[] {
    const bounds = { ...keyBounds(range), pk };
    const isIndex = isIndexPartition(pk);
    const sql = isIndex
      ? `select sk, version from index_items where ${boundsSql(bounds)} ${limitSql()}`
      : `select sk, version from items where ${boundsSql(bounds)} and (due_queue is not 'expire' or due_at > ?) ${limitSql()}`;
    const parameters = [...boundsOf(scope, bounds), ...(isIndex ? [] : [now]), atMost];
    return this.#statements
      .prepare<readonly [sk: string, version: number]>(sql)
      .all(...parameters)
      .map(([sk, version]) => ({ sk, version }));
  }

  #write({ scope, pk, sk, item }: Write): void {
    if (item === undefined) {
      const table = isIndexPartition(pk) ? 'index_items' : 'items';
      this.#statements.prepare(`delete from ${table} where scope = ? and pk = ? and sk = ?`).run(scope, pk, sk);
    } else if (item.target !== undefined) {
      this.#statements.prepare(putIndexSql).run(scope, pk, sk, item.target.pk, item.target.sk, item.version);
    } else {
      this.#putItem(scope, item);
    }
  }

  #putItem(scope: ScopeName, { pk, sk, version, due, value }: Item): void {
    this.#statements.prepare(putItemSql).run(scope, pk, sk, version, due?.queue ?? null, due?.at ?? null, value);
  }

  #writeHead(scope: ScopeName, { seq, state }: Head): void {
    this.#statements.prepare(putHeadSql).run(scope, seq, state);
  }
}

const logIsFull: GroupFailure = {
  outcome: 'nothing-written',
  isFatal: false,
  message:
    'the write-ahead log is at its bound: a program that reads the file, such as a backup, has held it for too long',
};

type StoredItemRow = readonly [version: number, dueQueue: Due['queue'] | null, dueAt: number | null];

const putItemSql = `
  insert into items (scope, pk, sk, version, due_queue, due_at, value) values (?, ?, ?, ?, ?, ?, ?)
  on conflict (scope, pk, sk) do update set
    version = excluded.version, due_queue = excluded.due_queue, due_at = excluded.due_at, value = excluded.value`;

const putIndexSql = `
  insert into index_items (scope, pk, sk, target_pk, target_sk, version, target_row)
  values (?1, ?2, ?3, ?4, ?5, ?6, (select row from items where scope = ?1 and pk = ?4 and sk = ?5))
  on conflict (scope, pk, sk) do update set
    target_pk = excluded.target_pk, target_sk = excluded.target_sk, version = excluded.version,
    target_row = excluded.target_row`;

const putHeadSql = `
  insert into heads (scope, seq, state) values (?, ?, ?)
  on conflict (scope) do update set seq = excluded.seq, state = excluded.state`;
