import { realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { CommitVerdict, GroupMember } from '../committing/apply-group.ts';
import { assertKnownVersion } from '../data-version.ts';
import { type Engine, storeOnEngine } from '../engine.ts';
import { type OpenedStore, Unavailable } from '../port.ts';
import { isHeld, mayWriteBeside, openToRead } from './ask-file.ts';
import { openConnection, settleLog } from './connection.ts';
import { ItemCache } from './item-cache.ts';
import { createPrivateFile, heldElsewhere, lockForProcess, type ProcessLock } from './process-lock.ts';
import { LongReads } from './query/long-reads.ts';
import { QueryingReader } from './query/querying-reader.ts';
import { prepareSchema, readVersion } from './schema.ts';
import { explained } from './sqlite-error.ts';
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
  /** For commands that change nothing: they may read a store in a folder that cannot be written to. */
  readonly changesNothing?: boolean | undefined;
}

/** In MB. */
const cacheDefault = 64;
/** In MB. Enough for 100,000 records of 300 bytes. */
const itemCacheDefault = 64;
const megabyte = 1024 * 1024;

/** A store in one SQLite file, for one process at a time. */
export async function openSqlite(options: SqliteOptions): Promise<OpenedStore> {
  if (options.changesNothing === true && !mayWriteBeside(options.path)) return openUnwritable(options);
  return storeOnEngine(await openEngine(options), options.clock);
}

/**
 * The store of a file that another thread or process has open by {@link openSqlite}, for reading beside its writer. Each read
 * sees all that was answered before it. Takes no commits, and keeps no items in memory.
 */
export function attachSqlite({ path, clock, cacheMegabytes = cacheDefault }: AttachOptions): OpenedStore {
  const file = realpathSync(path);
  const database = openConnection(file, { readOnly: true, cacheKibibytes: cacheMegabytes * 1024 });
  const engine = new AttachedEngine(database, new LongReads({ path: file }));
  return readOnly(engine, clock, 'the store is attached for reading');
}

type AttachOptions = Pick<SqliteOptions, 'path' | 'clock' | 'cacheMegabytes'>;

/**
 * A store in a folder that cannot be written to, for commands that change nothing. No lock can be made there; the one of a
 * process that has the store open is seen all the same.
 */
function openUnwritable({ path, clock }: Pick<SqliteOptions, 'path' | 'clock'>): OpenedStore {
  const file = realpathSync(path);
  if (isHeld(file)) throw heldElsewhere(path);
  const database = openToRead(file, cacheDefault * 1024);
  assertKnownVersion(readVersion(database));
  return readOnly(new AttachedEngine(database), clock, `the folder of \`${path}\` cannot be written to`);
}

function readOnly(engine: AttachedEngine, clock: Clock, whyNoCommits: string): OpenedStore {
  const refusing = {
    submit: () => Promise.reject(new Unavailable(whyNoCommits)),
    close: async () => undefined,
  };
  return storeOnEngine(engine, clock, refusing);
}

async function openEngine(options: SqliteOptions): Promise<SqliteEngine> {
  const { path, onFatal, cacheMegabytes = cacheDefault, itemCacheMegabytes = itemCacheDefault } = options;
  createPrivateFile(path);
  // Two names of one file must meet at one lock.
  const file = realpathSync(path);
  const lock = lockForProcess(file);
  let writer: WriterThread | undefined;
  try {
    explained(file, () => prepare(file));
    writer = await WriterThread.start({ path: file, onFatal, cacheKibibytes: cacheMegabytes * 512 });
    const database = openConnection(file, { readOnly: true, cacheKibibytes: cacheMegabytes * 1024 });
    const items = itemCacheMegabytes === 0 ? undefined : new ItemCache(itemCacheMegabytes * megabyte);
    return new SqliteEngine({ file, lock, database, writer, items, longReads: new LongReads({ path: file }) });
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

interface SqliteFiles {
  readonly file: string;
  readonly lock: ProcessLock;
  readonly database: DatabaseSync;
  readonly writer: WriterThread;
  readonly items: ItemCache | undefined;
  readonly longReads: LongReads;
}

class SqliteEngine extends QueryingReader implements Engine {
  readonly #deps: SqliteFiles;

  constructor(deps: SqliteFiles) {
    super(deps);
    this.#deps = deps;
  }

  runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const { writer, items } = this.#deps;
    return items === undefined ? writer.run(members, now) : items.run(members, () => writer.run(members, now));
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
    return this.#deps.writer.isHealthy && !this.hasReadFault;
  }

  async close(): Promise<void> {
    const { lock, database, writer, longReads } = this.#deps;
    await longReads.close();
    // Before the writer, so that the writer is the last to close and writes the log back.
    database.close();
    await writer.close();
    lock.close();
  }
}

/** Reads a store whose writer, if there is one, is elsewhere. */
class AttachedEngine extends QueryingReader implements Engine {
  readonly #database: DatabaseSync;
  readonly #longReads: LongReads | undefined;

  /** @param longReads left out where the file is read by this connection alone. */
  constructor(database: DatabaseSync, longReads?: LongReads) {
    super({ database, longReads });
    this.#database = database;
    this.#longReads = longReads;
  }

  async runGroup(): Promise<never> {
    throw new TypeError('a store that is attached for reading runs no groups');
  }

  setDataVersion(): never {
    throw new TypeError('a store that is attached for reading sets no version of the data');
  }

  isHealthy(): boolean {
    return !this.hasReadFault;
  }

  async close(): Promise<void> {
    await this.#longReads?.close();
    this.#database.close();
  }
}
