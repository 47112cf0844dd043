/** What `node:sqlite` throws: `errcode` is SQLite's extended result code. */
export interface SqliteError extends Error {
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
export function isNoDatabase(error: SqliteError): boolean {
  return primaryCode(error) === 26;
}

const passingCodes: ReadonlySet<number> = new Set([5, 6, 7, 13]);

function primaryCode({ errcode }: SqliteError): number {
  return errcode & 0xff;
}
