import { realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MessageChannel } from 'node:worker_threads';
import type { Clock } from '../../lib/clock.ts';
import type { AttachedStore, AttachOptions, SharedStore, StoreAttachment } from '../attached-store.ts';
import type { Member, Verdict } from '../committing/apply-group.ts';
import { RemoteCommitter, serveCommits } from '../committing/remote-committer.ts';
import { assertKnownVersion } from '../data-version.ts';
import { committerOf, type Engine, storeOnEngine } from '../engine.ts';
import { type OpenedStore, Unavailable } from '../port.ts';
import { isHeld, openToRead } from './ask-file.ts';
import { openConnection } from './connection.ts';
import { ItemCache } from './item-cache.ts';
import { createPrivateFile } from './private-file.ts';
import { heldElsewhere, lockForProcess, type ProcessLock } from './process-lock.ts';
import { prepareSchema, readVersion } from './schema.ts';
import { settleLog } from './settle-log.ts';
import { AttachedEngine } from './sharing/attached-engine.ts';
import { EngineReads } from './sharing/engine-reads.ts';
import { allocateMarks, KeyMarks } from './sharing/key-marks.ts';
import { nameOf } from './sharing/written-names.ts';
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
}

/** In MB. */
const cacheDefault = 64;
/** In MB. Enough for 100,000 records of 300 bytes. */
const itemCacheDefault = 64;
const megabyte = 1024 * 1024;

/** A store in one SQLite file, for one process at a time. */
export async function openSqlite(options: SqliteOptions): Promise<OpenedStore> {
  const { itemCacheMegabytes = itemCacheDefault } = options;
  const items = itemCacheMegabytes === 0 ? undefined : new ItemCache(itemCacheMegabytes * megabyte);
  const engine = await openEngine(options, { items, marks: undefined });
  return storeOnEngine(engine, options.clock);
}

/** The same store; this thread has its writer, and marks each commit for the threads that attach. */
export async function openSharedSqlite(options: SqliteOptions): Promise<SharedStore> {
  const shared = allocateMarks();
  const engine = await openEngine(options, { items: undefined, marks: new KeyMarks(shared) });
  const committer = committerOf(engine, options.clock);
  return {
    ...storeOnEngine(engine, options.clock, committer),
    attachment: () => {
      const { port1, port2 } = new MessageChannel();
      serveCommits(port1, committer);
      return { path: realpathSync(options.path), marks: shared, commits: port2 };
    },
  };
}

/** The store of another thread of this process: read by a connection of its own, written through the other one's queue. */
export function attachSqlite(
  { path, marks: shared, commits }: StoreAttachment,
  { clock, cacheMegabytes = cacheDefault, itemCacheMegabytes = itemCacheDefault }: AttachOptions,
): AttachedStore {
  const marks = new KeyMarks(shared);
  const items = itemCacheMegabytes === 0 ? undefined : new ItemCache(itemCacheMegabytes * megabyte, marks);
  const database = openConnection(path, { readOnly: true, cacheKibibytes: cacheMegabytes * 1024 });
  return {
    ...storeOnEngine(new AttachedEngine(database, items), clock, new RemoteCommitter(commits)),
    changesOf: (scope, key) => marks.at(nameOf(scope, key)),
  };
}

/**
 * A store in a folder that cannot be written to, for commands that change nothing. No lock can be made there; the one of a
 * process that has the store open is seen all the same.
 */
export function openUnwritable({ path, clock }: Pick<SqliteOptions, 'path' | 'clock'>): OpenedStore {
  const file = realpathSync(path);
  if (isHeld(file)) throw heldElsewhere(path);
  const database = openToRead(file, cacheDefault * 1024);
  assertKnownVersion(readVersion(database));
  const refusing = {
    submit: () => Promise.reject(new Unavailable(`the folder of \`${path}\` cannot be written to`)),
    close: async () => undefined,
  };
  return storeOnEngine(new AttachedEngine(database, undefined), clock, refusing);
}

type Kept = Pick<Parts, 'items' | 'marks'>;

async function openEngine(options: SqliteOptions, kept: Kept): Promise<SqliteEngine> {
  const { path, onFatal, cacheMegabytes = cacheDefault } = options;
  createPrivateFile(path);
  // Two names of one file must meet at one lock.
  const file = realpathSync(path);
  const lock = lockForProcess(file);
  let writer: WriterThread | undefined;
  try {
    explained(file, () => prepare(file));
    writer = await WriterThread.start({ path: file, onFatal, cacheKibibytes: cacheMegabytes * 512 });
    const database = openConnection(file, { readOnly: true, cacheKibibytes: cacheMegabytes * 1024 });
    return new SqliteEngine({ file, lock, database, writer, ...kept });
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
  readonly marks: KeyMarks | undefined;
}

class SqliteEngine extends EngineReads implements Engine {
  readonly #deps: Parts;

  constructor(deps: Parts) {
    super(deps.database, deps.items);
    this.#deps = deps;
  }

  runGroup(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const { writer, items, marks } = this.#deps;
    const around = items ?? marks;
    return around === undefined ? writer.run(members, now) : around.run(members, () => writer.run(members, now));
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
    const { lock, database, writer } = this.#deps;
    // Before the writer, so that the writer is the last to close and writes the log back.
    database.close();
    await writer.close();
    lock.close();
  }
}
