import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Released by `close`, and by the system when the process ends, however it ends. */
export interface ProcessLock {
  close(): void;
}

/**
 * Makes sure that one process has the store open. An exclusive transaction on a file of its own holds the lock, so that
 * the store's file stays open to readers such as a backup program.
 */
export function lockForProcess(path: string): ProcessLock {
  const lockPath = lockPathOf(path);
  createPrivateFile(lockPath);
  const database = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal has to be left behind by a process that is killed.
    database.exec('pragma journal_mode = memory; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    throw heldElsewhere(path, error);
  }
}

export function heldElsewhere(path: string, cause?: unknown): Error {
  return new Error(`the store \`${path}\` is open already: one process at a time can use it`, { cause });
}

/** @param path of the store's file, as `realpath` has it. */
export function lockPathOf(path: string): string {
  return `${path}.lock`;
}

/**
 * Makes the file, readable by its owner alone, unless it is there. An existing file must not even be opened: closing
 * any descriptor of a file drops the locks that SQLite holds on it in the same process (fcntl, POSIX).
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
