import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isPassing, isSqliteError } from './sqlite-error.ts';

/** How long the write-ahead log may get. A page takes 4 KB, and 24 bytes more in the log. */

/** About 4 MB of pages; beyond that, reads get slower and a start takes longer. */
export const checkpointPages = 1024;

/**
 * 512 MB. Only a foreign program that reads one snapshot for long, such as a backup, keeps the log from being
 * restarted; one that never ends must not fill the disk, nor make the next start as long as it pleases. Beyond this, no
 * group is begun, so that the log is longer by one group at most.
 */
export const logPagesMax = 128 * 1024;

/** 384 MB: a backup gives way before commits have to. */
export const backupLogBytesMax = 384 * 1024 * 1024;

/**
 * So long after a commit the log is emptied: it holds pages as they were before later commits, and so what these removed.
 * Under load it is begun again more often than that, and a log that is begun again is not emptied.
 */
export const tidyMilliseconds = 10_000;

/** 16 MB of pages that nothing uses stay in the file for what comes next. */
export const freePagesKept = 4096;

/** 4 MB: so much of the file is given back at a time. */
export const freedPagesMax = 1024;

/** To which a log that got longer is cut when it is restarted. As a rule it is shorter. */
const logBytesKept = 16 * 1024 * 1024;

/** 3.51.3 repairs a race that could damage a database in WAL mode when two connections write or checkpoint at once. */
const oldestVersion = [3, 51, 3] as const;

/** How long a connection waits for a foreign program that has the file open, such as a backup or the sqlite3 shell. */
export const busyMilliseconds = 5000;

/** Opens the file and does not hand it out before every setting that durability stands on has been read back. */
export function openConnection(
  path: string,
  { readOnly, cacheKibibytes }: { readonly readOnly: boolean; readonly cacheKibibytes: number },
): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly, timeout: busyMilliseconds });
  try {
    assertVersion(readValue(database, 'select sqlite_version()'));
    if (!readOnly) {
      // It takes effect in an empty file alone; in another one it would be a write.
      if (readValue(database, 'pragma page_count') === 0) database.exec('pragma auto_vacuum = incremental');
      database.exec('pragma journal_mode = wal; pragma secure_delete = on');
    }
    database.exec(`
      pragma synchronous = full;
      pragma wal_autocheckpoint = 0;
      pragma journal_size_limit = ${logBytesKept};
      pragma cache_size = ${-cacheKibibytes};
      pragma temp_store = memory;
      pragma trusted_schema = off;
    `);
    assertSettings(database);
    if (!readOnly) assertPragma(database, 'secure_delete', 1);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws unless commits are synced to the disk, checkpoints are left to the writer, and text is ordered as UTF-8. */
export function assertSettings(database: DatabaseSync): void {
  assertPragma(database, 'journal_mode', 'wal');
  assertPragma(database, 'synchronous', 2);
  assertPragma(database, 'wal_autocheckpoint', 0);
  assertPragma(database, 'encoding', 'UTF-8');
}

function readValue(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

function assertPragma(database: DatabaseSync, name: string, expected: unknown): void {
  const value = readValue(database, `pragma ${name}`);
  if (value !== expected) throw new Error(`SQLite runs with ${name} ${value} where ${expected} is needed`);
}

function assertVersion(version: unknown): void {
  const parts = String(version).split('.').map(Number);
  for (const [index, oldest] of oldestVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part > oldest) return;
    if (part < oldest) throw new Error(`SQLite ${oldestVersion.join('.')} or newer is needed, this is ${version}`);
  }
}

/**
 * Brings what an earlier process left in its log to the disk. That process may have ended because a sync failed: the
 * system then takes pages that never reached the disk for written, a later sync passes without them, and commits added
 * behind them would be lost with the power. Written once more, they are synced once more.
 *
 * As a rule all of it goes into the database file. Where a foreign program reads the log, or the disk has no room for
 * the file to grow, it stays, so its own bytes are put back into it.
 */
export function settleLog(database: DatabaseSync, path: string): void {
  database.exec('pragma busy_timeout = 0');
  const isSettled = writeBack(database);
  database.exec(`pragma busy_timeout = ${busyMilliseconds}`);
  if (!isSettled) writeAgain(`${path}-wal`);
}

function writeBack(database: DatabaseSync): boolean {
  try {
    return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
  } catch (error) {
    if (isSqliteError(error) && isPassing(error)) return false;
    throw error;
  }
}

/** SQLite locks no bytes of the log, so that closing another descriptor of it loosens no lock. */
function writeAgain(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (let at = 0; ; ) {
      const bytes = readSync(file, buffer, 0, buffer.length, at);
      if (bytes === 0) break;
      for (let done = 0; done < bytes; ) done += writeSync(file, buffer, done, bytes - done, at + done);
      at += bytes;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
