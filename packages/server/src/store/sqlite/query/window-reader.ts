import type { DatabaseSync } from 'node:sqlite';
import { meetsWhere } from '../../../lib/where.ts';
import type { BoundedMeasure, BoundedRead, BoundedSelect } from '../../engine.ts';
import { Measuring } from '../../measuring.ts';
import { type FollowedEntry, isIndexPartition, type Measured, type ScopeName, type Selected } from '../../port.ts';
import { isSqliteError } from '../sqlite-error.ts';
import { type MeasureStatement, measureStatement } from './measure-sql.ts';
import { RecentStatements } from './recent-statements.ts';
import {
  atMost,
  entriesSql,
  expiredMax,
  type Interval,
  inRoom,
  keyBehindSql,
  keySql,
  orderSql,
  recordsSql,
  roomFunction,
  type Source,
  sizeSql,
  someExpiredSql,
} from './source-sql.ts';
import { fixed, type Sql, sql } from './sql.ts';
import { meetsFunction, meetsJson, whereSql } from './where-sql.ts';

/**
 * Asked before each window but the first: whether the read ends there.
 * @param entries the number of items, or of entries of an index, that the read has come past.
 * @throws to end the read without an answer.
 */
export type Pace = (entries: number) => 'on' | 'time';

export interface Place {
  readonly scope: ScopeName;
  /** Milliseconds since the epoch: what is due in the queue `expire` by then is not there. */
  readonly now: number;
}

/** No statement can be interrupted, so a read is many of them, of about so many milliseconds each. */
export const windowMilliseconds = 10;

export interface WindowSizes {
  /** Entries of the first window, at most. */
  readonly entriesAtFirst: number;
  readonly entriesMax: number;
  readonly bytesMax: number;
  /** Values of at most so many bytes are bounded by the number of entries alone. */
  readonly shortBytes: number;
}

/** 4 MB of JSON take about {@link windowMilliseconds}. */
const bytes = { bytesMax: 4 * 1024 * 1024, shortBytes: 1024 };
export const windowSizes: WindowSizes = { entriesAtFirst: 500, entriesMax: 20_000, ...bytes };

/** Ends the statement of a window whose long values are more than `bytesMax`. */
class WindowFull extends Error {}

type LookedAt = Omit<Measured, 'groups'>;
type Part = Omit<BoundedRead, 'limit' | 'bytesMax'> & Pick<BoundedSelect, 'rowsMax'>;

interface Window {
  readonly source: Source;
  readonly interval: Interval;
  /** Records that the read looked at before. */
  readonly rowsBefore: number;
  /** Records that it looks at here. */
  readonly rows: number;
  /** The last key. */
  readonly last: string;
}

interface EdgeSearch {
  readonly now: number;
  readonly isReverse: boolean;
  readonly entries: number;
  /** Whether the window is measured before it is read. */
  readonly isSized: boolean;
}

interface Edge {
  readonly source: Source;
  readonly entries: number;
  readonly last: string;
  readonly rows: number;
  /** Nothing is behind it. */
  readonly isLast: boolean;
}

/** Selects and measures on one connection, each read in one snapshot and to its end in one turn. */
export class WindowReader {
  readonly #statements: RecentStatements;
  readonly #sizes: WindowSizes;
  /** Bytes of long values that the window may still read. */
  #room = 0;

  constructor(database: DatabaseSync, sizes = windowSizes) {
    this.#sizes = sizes;
    this.#statements = new RecentStatements(database);
    database.function(meetsFunction, { deterministic: true, directOnly: true }, meetsJson);
    database.function(roomFunction, { directOnly: true }, (bytes) => this.#take(Number(bytes)));
  }

  #inRoom(condition: Sql): Sql {
    return inRoom(condition, this.#sizes.shortBytes);
  }

  #take(bytes: number): number {
    this.#room -= bytes;
    if (this.#room < 0) throw new WindowFull();
    return 1;
  }

  /** Whether a read may come past more than so many entries. */
  isLonger({ scope }: Place, { pk, from, isFromIncluded, to }: Part, entries: number): boolean {
    const interval = { scope, pk, from, isFromIncluded, to, isToIncluded: false };
    return this.#keyBehind(sourceOf(pk), interval, false, entries) !== undefined;
  }

  /** @throws SyntaxError where a value is no JSON; what SQLite throws otherwise. */
  select(place: Place, read: BoundedSelect, pace: Pace): Selected {
    if (read.limit === 0) return { entries: [], rows: 0, next: '' };
    const condition = this.#inRoom(whereSql(read.where));
    const entries: FollowedEntry[] = [];
    let bytes = 0;
    const rowsWanted = Math.max(32, 2 * read.limit);
    const take = ({ source, interval, rowsBefore }: Window): LookedAt | undefined => {
      const found = this.#statements.rows<readonly [sk: string, version: number, value: string]>(sql`
        select ${keySql(source)}, items.version, items.value
        ${recordsSql(source, interval, place.now)} and (${condition})
        ${orderSql(source, read.isReverse)} ${atMost(read.limit - entries.length)}`);
      for (const [sk, version, value] of found) {
        entries.push({ sk, version, value });
        bytes += Buffer.byteLength(value);
        if (entries.length < read.limit && bytes <= read.bytesMax) continue;
        const lookedAt = throughKey(interval, sk, read.isReverse);
        return { rows: rowsBefore + this.#count(source, lookedAt, place.now), next: sk };
      }
      return undefined;
    };
    return this.#inSnapshot(() => ({ entries, ...this.#inWindows({ place, part: read, pace, rowsWanted }, take) }));
  }

  /** As {@link select}. */
  measure(place: Place, read: BoundedMeasure, pace: Pace): Measured {
    const measuring = new Measuring(read);
    const statement = measureStatement({ ...read, condition: this.#inRoom(whereSql(read.where)) });
    const take = ({ source, interval, rowsBefore, rows, last }: Window): LookedAt | undefined => {
      this.#addFigures(measuring, { read, statement }, { source, interval, now: place.now });
      if (measuring.size <= read.groupsMax) return undefined;
      return { rows: rowsBefore + rows, next: last, endedBy: 'groups' };
    };
    return this.#inSnapshot(() => {
      const end = this.#inWindows({ place, part: read, pace, rowsWanted: this.#sizes.entriesAtFirst }, take);
      return { groups: measuring.groups(), ...end };
    });
  }

  #addFigures(
    measuring: Measuring,
    { read, statement }: { readonly read: BoundedMeasure; readonly statement: MeasureStatement },
    { source, interval, now }: { readonly source: Source; readonly interval: Interval; readonly now: number },
  ): void {
    const records = recordsSql(source, interval, now);
    const groups = statement.groupsOf(this.#statements.rows(statement.of(records)));
    if (groups !== undefined) {
      for (const group of groups) measuring.merge(group);
      return;
    }
    const values = sql`select items.value ${records} and ${this.#inRoom(fixed('1'))}`;
    for (const [value] of this.#statements.rows<readonly [string]>(values)) {
      const record: unknown = JSON.parse(value);
      if (meetsWhere(read.where, record)) measuring.add(record);
    }
  }

  /** @param take gives the end of the read, where it ends within the window. */
  #inWindows(
    {
      place,
      part,
      pace,
      rowsWanted,
    }: { readonly place: Place; readonly part: Part; readonly pace: Pace; readonly rowsWanted: number },
    take: (window: Window) => LookedAt | undefined,
  ): LookedAt {
    const { pk, from, isFromIncluded, to } = part;
    let interval: Interval = { scope: place.scope, pk, from, isFromIncluded, to, isToIncluded: false };
    const isSized = isIndexPartition(pk) || this.#mayHaveExpired(place, pk);
    let entriesAtOnce = Math.min(this.#sizes.entriesAtFirst, rowsWanted);
    let entries = 0;
    let rows = 0;
    let last: string | undefined;
    while (rows < part.rowsMax) {
      if (last !== undefined && pace(entries) === 'time') return { rows, next: last, endedBy: 'time' };
      const begun = performance.now();
      const wanted = Math.min(entriesAtOnce, part.rowsMax - rows);
      const edge = this.#edge(interval, { now: place.now, isReverse: part.isReverse, entries: wanted, isSized });
      if (edge === undefined) return { rows, next: undefined };
      const { source } = edge;
      const window = throughKey(interval, edge.last, part.isReverse);
      this.#room = edge.entries === 1 ? Number.POSITIVE_INFINITY : this.#sizes.bytesMax;
      try {
        const end = take({ source, interval: window, rowsBefore: rows, rows: edge.rows, last: edge.last });
        if (end !== undefined) return end;
      } catch (error) {
        if (!(error instanceof WindowFull)) throw error;
        entriesAtOnce = Math.max(1, edge.entries >>> 2);
        continue;
      }
      entries += edge.entries;
      rows += edge.rows;
      last = edge.last;
      if (edge.isLast && rows < part.rowsMax) return { rows, next: undefined };
      interval = behindKey(interval, last, part.isReverse);
      entriesAtOnce = Math.min(
        this.#sizes.entriesMax,
        entriesIn(windowMilliseconds, edge.entries, performance.now() - begun),
      );
    }
    return { rows, next: last, endedBy: 'rows' };
  }

  /** The end of the next window; undefined where nothing is left. */
  #edge(interval: Interval, { now, isReverse, entries, isSized }: EdgeSearch): Edge | undefined {
    const source = sourceOf(interval.pk);
    const further = this.#keyBehind(source, interval, isReverse, entries - 1);
    const last = further ?? this.#keyBehind(source, interval, !isReverse, 0);
    if (last === undefined) return undefined;
    const window = throughKey(interval, last, isReverse);
    const isLast = further === undefined;
    if (!isSized) {
      const whole = isLast ? this.#counted(entriesSql(window)) : entries;
      return { source, entries: whole, last, rows: whole, isLast };
    }
    const [size] = this.#statements.rows<readonly [entries: number, dead: number, bytes: number]>(
      sizeSql(source, window, now),
    );
    const [count = 0, dead = 0, bytes = 0] = size ?? [];
    const { bytesMax } = this.#sizes;
    if (bytes > bytesMax && count > 1) {
      const fewer = Math.max(1, Math.min(count - 1, Math.floor((count * bytesMax) / bytes)));
      return this.#edge(interval, { now, isReverse, isSized, entries: fewer });
    }
    const edge = { entries: count, last, isLast };
    if (source === 'items' || dead === 0) return { ...edge, source, rows: count - dead };
    return { ...edge, source: 'keys', rows: this.#count('keys', window, now) };
  }

  #keyBehind(source: 'items' | 'rows', interval: Interval, isReverse: boolean, entries: number): string | undefined {
    return this.#statements.rows<readonly [string]>(keyBehindSql(source, interval, isReverse, entries))[0]?.[0];
  }

  /** Asked once a read: with none, each item of its windows is a record. */
  #mayHaveExpired({ scope, now }: Place, pk: string): boolean {
    const [[all, here] = [0, 0]] = this.#statements.rows<readonly [number, number]>(someExpiredSql({ scope, pk }, now));
    return here > 0 || all >= expiredMax;
  }

  #count(source: Source, interval: Interval, now: number): number {
    return this.#counted(sql`select count(*) ${recordsSql(source, interval, now)}`);
  }

  #counted(count: Sql): number {
    return this.#statements.rows<readonly [number]>(count)[0]?.[0] ?? 0;
  }

  #inSnapshot<T>(work: () => T): T {
    this.#statements.rows(fixed('begin'));
    try {
      return work();
    } catch (error) {
      if (isSqliteError(error) && error.message.startsWith('malformed JSON'))
        throw new SyntaxError('a value of the partition is no JSON', { cause: error });
      throw error;
    } finally {
      this.#statements.rows(fixed('commit'));
    }
  }
}

function sourceOf(pk: string): 'items' | 'rows' {
  return isIndexPartition(pk) ? 'rows' : 'items';
}

function entriesIn(milliseconds: number, entries: number, elapsed: number): number {
  const fitting = (entries * milliseconds) / Math.max(elapsed, 0.01);
  return Math.max(1, Math.min(4 * entries, Math.floor(fitting)));
}

/** As far as the key, whichever way it is read. */
function throughKey(interval: Interval, key: string, isReverse: boolean): Interval {
  return isReverse ? { ...interval, from: key, isFromIncluded: true } : { ...interval, to: key, isToIncluded: true };
}

function behindKey(interval: Interval, key: string, isReverse: boolean): Interval {
  return isReverse ? { ...interval, to: key, isToIncluded: false } : { ...interval, from: key, isFromIncluded: false };
}
