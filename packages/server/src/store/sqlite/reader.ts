import type { DatabaseSync } from 'node:sqlite';
import { isExpired } from '../committing/apply-group.ts';
import type { BoundedRead } from '../engine.ts';
import {
  type Due,
  type DueItem,
  type FollowedEntry,
  type Item,
  isIndexPartition,
  type Key,
  limits,
  type Queue,
  type ScopeHead,
  type ScopeName,
  type ScopeState,
  Unavailable,
} from '../port.ts';
import type { ItemCache } from './item-cache.ts';
import { readVersion } from './schema.ts';
import { isPassing, isSqliteError } from './sqlite-error.ts';

/**
 * Reads on the calling thread. Every method runs to its end in one turn, so that no statement is left open: an open one
 * would pin its snapshot and hide later commits.
 */
export class SqliteReader {
  readonly kind = 'sqlite';
  readonly synchronous = 'full';
  /** Everybody waits for the one writer: a group of one owner takes about as long as its sync. */
  readonly groupChangesOfOwnerMax = 64;
  readonly #database: DatabaseSync;
  readonly #items: ItemCache | undefined;
  #statements: PreparedStatements;
  #hasFault = false;

  constructor(database: DatabaseSync, items?: ItemCache) {
    this.#database = database;
    this.#items = items;
    this.#statements = new PreparedStatements(database);
  }

  /** Whether the file could not be read for a reason that stays. */
  get hasReadFault(): boolean {
    return this.#hasFault;
  }

  get fault(): string | undefined {
    return this.#hasFault ? 'a file of the store could not be read: check the disk, and start again' : undefined;
  }

  get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    const from = (missing: readonly Key[]) => this.read(() => this.#getMany(scope, missing, now));
    return this.#items?.get(scope, keys, { now, from }) ?? from(keys);
  }

  dataVersion(): number {
    return this.read(() => readVersion(this.#database));
  }

  protected read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      if (!isPassing(error)) this.#hasFault = true;
      // A statement that has failed tells its error once more when it is used again.
      this.#statements = new PreparedStatements(this.#database);
      throw new Unavailable('the store cannot be read', { cause: error });
    }
  }

  #getMany(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    const [first] = keys;
    if (keys.length === 1 && first !== undefined) return [this.#getOne(scope, first, now)];
    return this.#inSnapshot(() => keys.map((key) => this.#getOne(scope, key, now)));
  }

  range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    if (isIndexPartition(read.pk)) return this.read(() => this.#indexRange(scope, read));
    const itemOf = ([version, queue, at, value, sk]: ReadRow): Item =>
      itemOfRow([version, queue, at, value, sk, read.pk]);
    return this.read(() => this.#inParts(read, (part) => this.#rangeRows(scope, part, now), itemOf));
  }

  #rangeRows(scope: ScopeName, read: BoundedRead, now: number): readonly ReadRow[] {
    const rows = this.#statements.prepare<ReadRow>(`
      select version, due_queue, due_at, value, sk from items
      where ${boundsSql(read)} and ${liveSql} ${orderSql(read)} ${limitSql()}`);
    return rows.all(...boundsOf(scope, read), now, read.limit);
  }

  follow(scope: ScopeName, read: BoundedRead, now: number): readonly FollowedEntry[] {
    return this.read(() => this.#inParts(read, (part) => this.#followedRows(scope, part, now), followedOfRow));
  }

  /**
   * By the rows that the index items name. Where one leads to nothing that lives (its target was removed, or made again
   * since), the range is read again by the targets' keys, which is exact and slower.
   */
  #followedRows(scope: ScopeName, read: BoundedRead, now: number): readonly ReadRow[] {
    const rows = this.#statements.prepare<ReadRow>(`
      select items.version, due_queue, due_at, value, entry.sk
      from index_items as entry left join items on items.row = target_row
      where ${boundsSql(read, 'entry.')} ${orderSql(read, 'entry.')} ${limitSql()}`);
    const found = rows.all(...boundsOf(scope, read), read.limit);
    return found.every((row) => isAlive(row, now)) ? found : this.#rowsOfKeys(scope, read, now);
  }

  #rowsOfKeys(scope: ScopeName, read: BoundedRead, now: number): readonly ReadRow[] {
    const rows = this.#statements.prepare<ReadRow>(`
      select items.version, due_queue, due_at, value, entry.sk
      from index_items as entry
      cross join items on items.scope = entry.scope and items.pk = target_pk and items.sk = target_sk
      where ${boundsSql(read, 'entry.')} and ${liveSql} ${orderSql(read, 'entry.')} ${limitSql()}`);
    return rows.all(...boundsOf(scope, read), now, read.limit);
  }

  #inParts<T extends Pick<FollowedEntry, 'value'>>(
    read: BoundedRead,
    rowsOf: (part: BoundedRead) => readonly ReadRow[],
    entryOf: (row: ReadRow) => T,
  ): readonly T[] {
    const textOf = ({ value }: T): string => value;
    if (read.limit <= rowsAtOnce) return takeWhileFits(rowsOf(read), read, entryOf, textOf);
    return this.#inSnapshot(() => takeWhileFits(inParts(read, rowsOf), read, entryOf, textOf));
  }

  count(scope: ScopeName, read: BoundedRead, now: number): number {
    const isIndex = isIndexPartition(read.pk);
    const sql = `
      select count(*) from (
        select 1 from ${isIndex ? 'index_items' : 'items'}
        where ${boundsSql(read)} ${isIndex ? '' : `and ${liveSql}`} ${limitSql()})`;
    const values = [...boundsOf(scope, read), ...(isIndex ? [] : [now]), read.limit];
    return this.read(() => this.#statements.prepare<readonly [count: number]>(sql).get(...values)?.[0] ?? 0);
  }

  scopes(after: ScopeName | undefined, limit: number): readonly ScopeHead[] {
    const read = (): readonly ScopeHead[] => {
      const found: ScopeHead[] = [];
      // No scope has an empty name.
      for (let place = after ?? ''; found.length < limit; ) {
        const [name, seq, state] = this.#statements.prepare<NextScopeRow>(nextScopeSql).get(place) ?? [];
        if (typeof name !== 'string') break;
        found.push({ name, seq: seq ?? 0, state: state ?? 'open' });
        place = name;
      }
      return found;
    };
    return this.read(() => this.#inSnapshot(read));
  }

  scan(scope: ScopeName, after: Key | undefined, limit: number): readonly Item[] {
    const sql = `
      select version, due_queue, due_at, value, sk, pk, null as target_pk, null as target_sk
      from items where scope = ?1 and (pk, sk) > (?2, ?3)
      union all
      select version, null, null, '', sk, pk, target_pk, target_sk
      from index_items where scope = ?1 and (pk, sk) > (?2, ?3)
      order by pk, sk ${limitSql('?4')}`;
    const bounds = [scope, after?.pk ?? '', after?.sk ?? '', limit] as const;
    return this.read(() => {
      const rows = this.#statements.prepare<ScanRow>(sql);
      const found = limit <= rowsAtOnce ? rows.all(...bounds) : rows.iterate(...bounds);
      return takeWhileFits(found, { bytesMax: limits.scanBytesMax }, itemOfScanRow, (item) => item.value);
    });
  }

  due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    const sql = `
      select ${itemColumns}, scope from items
      where due_queue = ? and due_at <= ? order by due_at ${limitSql()}`;
    const rows = this.read(() => this.#statements.prepare<DueRow>(sql).all(queue, before, limit));
    return rows.map(([version, dueQueue, dueAt, value, sk, pk, scope]) => ({
      scope,
      item: itemOfRow([version, dueQueue, dueAt, value, sk, pk]),
    }));
  }

  #getOne(scope: ScopeName, { pk, sk }: Key, now: number): Item | undefined {
    if (isIndexPartition(pk)) {
      const row = this.#statements.prepare<IndexRow>(getIndexSql).get(scope, pk, sk);
      return row === undefined ? undefined : indexItemOfRow(row);
    }
    const row = this.#statements.prepare<ValueRow>(getItemSql).get(scope, pk, sk);
    if (row === undefined) return undefined;
    const [version, queue, at, value] = row;
    const item = itemOfRow([version, queue, at, value, sk, pk]);
    return isExpired(item.due, now) ? undefined : item;
  }

  #indexRange(scope: ScopeName, read: BoundedRead): readonly Item[] {
    const rows = this.#statements.prepare<IndexRow>(`
      select ${indexColumns} from index_items
      where ${boundsSql(read)} ${orderSql(read)} ${limitSql()}`);
    return rows.all(...boundsOf(scope, read), read.limit).map(indexItemOfRow);
  }

  #inSnapshot<T>(work: () => T): T {
    this.#statements.prepare('begin').run();
    try {
      return work();
    } finally {
      this.#statements.prepare('commit').run();
    }
  }
}

/**
 * To fetch several rows at once costs half of fetching one after the other; but where values are large, few may fit in
 * `bytesMax`, and the others would be read for nothing.
 */
const rowsAtOnce = 32;

/** The rows of a read, a few at once, each part where the one before has ended: all of them in one snapshot. */
function* inParts(read: BoundedRead, rowsOf: (part: BoundedRead) => readonly ReadRow[]): Generator<ReadRow> {
  let part = read;
  for (let left = read.limit; left > 0; ) {
    const limit = Math.min(left, rowsAtOnce);
    const rows = rowsOf({ ...part, limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    left -= limit;
    const [, , , , sk] = last;
    part = read.isReverse ? { ...part, to: sk } : { ...part, from: sk, isFromIncluded: false };
  }
}

type ReadRow = ItemRow extends readonly [...infer Columns, string] ? readonly [...Columns] : never;
type ValueRow = ReadRow extends readonly [...infer Columns, string] ? readonly [...Columns] : never;
type DueRow = readonly [...ItemRow, scope: ScopeName];
type NextScopeRow = readonly [name: ScopeName | null, seq: number | null, state: ScopeState | null];
type ScanRow = readonly [...ItemRow, targetPk: string | null, targetSk: string | null];

const itemColumns = 'version, due_queue, due_at, value, sk, pk';
const indexColumns = 'version, target_pk, target_sk, sk, pk';

/** Not the key, which is known: a text that comes out of the database is a new string. */
const getItemSql = 'select version, due_queue, due_at, value from items where scope = ? and pk = ? and sk = ?';
const getIndexSql = `select ${indexColumns} from index_items where scope = ? and pk = ? and sk = ?`;

/** One seek in each table, however many items a scope has. */
const nextScopeSql = `
  select scope, seq, state
  from (
    select min(scope) as scope from (
      select min(scope) as scope from heads where scope > ?1
      union all select min(scope) from items where scope > ?1
      union all select min(scope) from index_items where scope > ?1))
  left join heads using (scope)`;

const liveSql = `(due_queue is not 'expire' or due_at > ?)`;

/** Takes the parameters that {@link boundsOf} gives. Texts compare by their UTF-8 bytes (BINARY collation). */
export function boundsSql({ isFromIncluded, to }: Pick<BoundedRead, 'isFromIncluded' | 'to'>, table = ''): string {
  const upper = to === undefined ? '' : `and ${table}sk < ?`;
  return `${table}scope = ? and ${table}pk = ? and ${table}sk ${isFromIncluded ? '>=' : '>'} ? ${upper}`;
}

export function boundsOf(scope: ScopeName, { pk, from, to }: Pick<BoundedRead, 'pk' | 'from' | 'to'>): string[] {
  return to === undefined ? [scope, pk, from] : [scope, pk, from, to];
}

function orderSql({ isReverse }: BoundedRead, table = ''): string {
  return `order by ${table}sk ${isReverse ? 'desc' : 'asc'}`;
}

/** The version is null where the left join found no row. */
function isAlive([version, dueQueue, dueAt]: readonly [number | null, ...unknown[]], now: number): boolean {
  return version !== null && !(dueQueue === 'expire' && typeof dueAt === 'number' && dueAt <= now);
}

function followedOfRow([version, , , value, sk]: ReadRow): FollowedEntry {
  return { sk, version, value };
}

function itemOfScanRow([version, dueQueue, dueAt, value, sk, pk, targetPk, targetSk]: ScanRow): Item {
  return targetPk === null || targetSk === null
    ? itemOfRow([version, dueQueue, dueAt, value, sk, pk])
    : indexItemOfRow([version, targetPk, targetSk, sk, pk]);
}

/** Leaving the loop early ends the statement as well. Sizes are only counted where they could matter. */
function takeWhileFits<Row, T>(
  rows: Iterable<Row>,
  { bytesMax }: Pick<BoundedRead, 'bytesMax'>,
  read: (row: Row) => T,
  storedText: (entry: T) => string,
): T[] {
  const taken: T[] = [];
  let bytesAtMost = 0;
  let bytes = 0;
  for (const row of rows) {
    const entry = read(row);
    taken.push(entry);
    if (bytesMax === Number.POSITIVE_INFINITY) continue;
    const text = storedText(entry);
    // A UTF-16 unit takes at most three bytes of UTF-8.
    bytesAtMost += 3 * text.length;
    if (bytesAtMost <= bytesMax) continue;
    if (bytes === 0) bytes = taken.reduce((sum, earlier) => sum + Buffer.byteLength(storedText(earlier)), 0);
    else bytes += Buffer.byteLength(text);
    if (bytes > bytesMax) break;
  }
  return taken;
}

/** What a statement's row holds, in the order of its columns. Tables are strict, so the types hold. */
type ItemRow = readonly [
  version: number,
  dueQueue: Due['queue'] | null,
  dueAt: number | null,
  value: string,
  sk: string,
  pk: string,
];
type IndexRow = readonly [version: number, targetPk: string, targetSk: string, sk: string, pk: string];

function itemOfRow([version, dueQueue, dueAt, value, sk, pk]: ItemRow): Item {
  const item = { pk, sk, version, value };
  return dueQueue === null || dueAt === null ? item : { ...item, due: { at: dueAt, queue: dueQueue } };
}

function indexItemOfRow([version, targetPk, targetSk, sk, pk]: IndexRow): Item {
  return { pk, sk, version, value: '', target: { pk: targetPk, sk: targetSk } };
}

/**
 * A limit that is a parameter. As an expression, since a bare one has SQLite compile the statement again whenever it is
 * bound, to plan for its value.
 */
export function limitSql(parameter = '?'): string {
  return `limit ${parameter} + 0`;
}

type SqlParameter = string | number | null;

/** A prepared statement whose rows are tuples: a third less work per row than objects with named columns. */
interface Statement<Row> {
  get(...parameters: SqlParameter[]): Row | undefined;
  all(...parameters: SqlParameter[]): Row[];
  iterate(...parameters: SqlParameter[]): Iterable<Row>;
  run(...parameters: SqlParameter[]): unknown;
}

/** Prepares each text once. The texts are built from a handful of shapes, so their number is bounded. */
export class PreparedStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Statement<unknown>>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare<Row>(sql: string): Statement<Row> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known as Statement<Row>;
    // The type package describes rows as objects only; with `returnArrays` they are arrays.
    const statement = this.#database.prepare(sql, { returnArrays: true }) as unknown as Statement<Row>;
    this.#prepared.set(sql, statement);
    return statement;
  }
}
