import { realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Member, Verdict } from '../committing/apply-group.ts';
import { type BoundedRead, type Engine, storeOnEngine } from '../engine.ts';
import {
  type DueItem,
  type Followed,
  type Item,
  type Key,
  type OpenedStore,
  type Queue,
  type ScopeHead,
  type ScopeName,
  Unavailable,
} from '../port.ts';
import { openConnection } from './connection.ts';
import { ItemCache } from './item-cache.ts';
import { createPrivateFile } from './private-file.ts';
import { lockForProcess, type ProcessLock } from './process-lock.ts';
import { SqliteReader } from './reader.ts';
import { prepareSchema, readVersion } from './schema.ts';
import { settleLog } from './settle-log.ts';
import { isPassing, isSqliteError } from './sqlite-error.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteOptions {
  /** The database file; its directory must exist. Beside it stand `-wal`, `-shm` and `.lock`. */
  readonly path: string;
  readonly clock: Clock;
  /** Called once when the disk or the writer has failed; the process should end and recover at its next start. */
  readonly onFatal: (error: Error) => void;
  /** For pages that are read, in MB; half as much goes to those that are written. */
  readonly cacheMegabytes?: number | undefined;
  /** For items that are read by key, in MB; 0 keeps none. */
  readonly itemCacheMegabytes?: number | undefined;
}

/** In MB. */
const cacheDefault = 64;
/** In MB. Enough for 100,000 records of 300 bytes. */
const itemCacheDefault = 64;

/** A store in one SQLite file, for one process at a time. */
export async function openSqlite(options: SqliteOptions): Promise<OpenedStore> {
  const { path, clock, onFatal, cacheMegabytes = cacheDefault, itemCacheMegabytes = itemCacheDefault } = options;
  createPrivateFile(path);
  // Two names of one file must meet at one lock.
  const file = realpathSync(path);
  const lock = lockForProcess(file);
  let writer: WriterThread | undefined;
  try {
    prepare(file);
    writer = await WriterThread.start({ path: file, onFatal, cacheKibibytes: cacheMegabytes * 512 });
    const database = openConnection(file, { readOnly: true, cacheKibibytes: cacheMegabytes * 1024 });
    const items = itemCacheMegabytes === 0 ? undefined : new ItemCache(itemCacheMegabytes * 1024 * 1024);
    return storeOnEngine(new SqliteEngine({ file, lock, database, writer, items }), clock);
  } catch (error) {
    await writer?.close();
    lock.close();
    throw error;
  }
}

function prepare(file: string): void {
  const database = openConnection(file, { readOnly: false, cacheKibibytes: 2048 });
  try {
    prepareSchema(database);
    settleLog(database, file);
  } finally {
    database.close();
  }
}

interface Parts {
  readonly file: string;
  readonly lock: ProcessLock;
  readonly database: DatabaseSync;
  readonly writer: WriterThread;
  readonly items: ItemCache | undefined;
}

class SqliteEngine implements Engine {
  readonly kind = 'sqlite';
  readonly synchronous = 'full';
  /** Everybody waits for the one writer: a group of one owner takes about as long as its sync. */
  readonly groupChangesOfOwnerMax = 64;
  readonly #deps: Parts;
  #reader: SqliteReader;
  #hasReadFault = false;

  constructor(deps: Parts) {
    this.#deps = deps;
    this.#reader = new SqliteReader(deps.database);
  }

  get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    const from = (missing: readonly Key[]) => this.#read(() => this.#reader.get(scope, missing, now));
    return this.#deps.items?.get(scope, keys, { now, from }) ?? from(keys);
  }

  range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return this.#read(() => this.#reader.range(scope, read, now));
  }

  follow(scope: ScopeName, read: BoundedRead, now: number): readonly Followed[] {
    return this.#read(() => this.#reader.follow(scope, read, now));
  }

  count(scope: ScopeName, read: BoundedRead, now: number): number {
    return this.#read(() => this.#reader.count(scope, read, now));
  }

  runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const { writer, items } = this.#deps;
    return items === undefined ? writer.run(members, now) : items.run(members, () => writer.run(members, now));
  }

  scopes(after: ScopeName | undefined, limit: number): readonly ScopeHead[] {
    return this.#read(() => this.#reader.scopes(after, limit));
  }

  scan(scope: ScopeName, after: Key | undefined, limit: number): readonly Item[] {
    return this.#read(() => this.#reader.scan(scope, after, limit));
  }

  due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    return this.#read(() => this.#reader.due(queue, before, limit));
  }

  dataVersion(): number {
    return this.#read(() => readVersion(this.#deps.database));
  }

  /** By a connection of its own: the writer is idle. */
  setDataVersion(version: number): void {
    const database = openConnection(this.#deps.file, { readOnly: false, cacheKibibytes: 2048 });
    try {
      database.exec(`pragma user_version = ${version}`);
    } finally {
      database.close();
    }
  }

  isHealthy(): boolean {
    return this.#deps.writer.isHealthy && !this.#hasReadFault;
  }

  async close(): Promise<void> {
    const { lock, database, writer } = this.#deps;
    // Before the writer, so that the writer is the last to close and writes the log back.
    database.close();
    await writer.close();
    lock.close();
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      if (!isPassing(error)) this.#hasReadFault = true;
      // A statement that has failed tells its error once more when it is used again.
      this.#reader = new SqliteReader(this.#deps.database);
      throw new Unavailable('the store cannot be read', { cause: error });
    }
  }
}
