import { readFileSync } from 'node:fs';
import { unfinishedRestore } from '../data-version.ts';

/** The errors of `node:sqlite`: `errcode` is SQLite's extended result code. */
interface SqliteError extends Error {
  readonly errcode: number;
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM and SQLITE_FULL: the store serves on, and the same call may pass later. */
export function isPassing(error: SqliteError): boolean {
  return passingCodes.has(primaryCode(error));
}

/**
 * The one error of a commit whose outcome is known: writing to the log ran out of room, so the commit's last record is
 * not whole and counts for nothing. When syncing what is written fails, the error is another one (SQLITE_IOERR_FSYNC).
 */
export function isDiskFull(error: SqliteError): boolean {
  return primaryCode(error) === 13;
}

/** SQLITE_CANTOPEN: the file, or one that is needed beside it. */
export function isUnopened(error: SqliteError): boolean {
  return primaryCode(error) === 14;
}

/** SQLITE_NOTADB. */
function isNoDatabase(error: SqliteError): boolean {
  return primaryCode(error) === 26;
}

const passingCodes: ReadonlySet<number> = new Set([5, 6, 7, 13]);

function primaryCode({ errcode }: SqliteError): number {
  return errcode & 0xff;
}

/**
 * Opens a store's file, or says what an operator does about a file that is no database. It is read only then, when no
 * connection has it: closing it loosens the locks of all others in the process (fcntl, POSIX).
 * @throws Error with a sentence for the operator, or what `open` throws otherwise.
 */
export function explained<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!isSqliteError(error) || !isNoDatabase(error)) throw error;
    throw whyUnfinished(path, error) ?? new Error(noDatabase(path), { cause: error });
  }
}

/** Says that a restore has put its mark in the place of this file; undefined where it has not. */
export function whyUnfinished(path: string, cause: unknown): Error | undefined {
  if (readFileSync(path).toString('utf8', 0, 2 * unfinishedRestore.length) !== unfinishedRestore) return undefined;
  return new Error(
    `a restore into the folder of \`${path}\` was begun and not finished: run \`freehold restore\` again, or empty the folder`,
    { cause },
  );
}

function noDatabase(path: string): string {
  return `\`${path}\` is no database: restore the folder from a backup`;
}
