import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { busyMilliseconds } from './connection.ts';
import { isPassing, isSqliteError } from './sqlite-error.ts';

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
