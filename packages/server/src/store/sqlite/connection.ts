import { DatabaseSync } from 'node:sqlite';
import { logBytesKept } from './log-bounds.ts';

export interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly cacheKibibytes: number;
}

/** 3.51.3 repairs a race that could damage a database in WAL mode when two connections write or checkpoint at once. */
const oldestVersion = [3, 51, 3] as const;

/** How long a connection waits for a foreign program that has the file open, such as a backup or the sqlite3 shell. */
export const busyMilliseconds = 5000;

/** Opens the file and does not hand it out before every setting that durability stands on has been read back. */
export function openConnection(path: string, { readOnly, cacheKibibytes }: ConnectionOptions): DatabaseSync {
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
