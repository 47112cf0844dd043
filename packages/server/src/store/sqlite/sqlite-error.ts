/** What `node:sqlite` throws: `errcode` is SQLite's extended result code. */
export interface SqliteError extends Error {
  readonly errcode: number;
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM and SQLITE_FULL: the store serves on, and the same call may pass later. */
export function isTemporary(error: SqliteError): boolean {
  return temporaryCodes.has(error.errcode & 0xff);
}

const temporaryCodes: ReadonlySet<number> = new Set([5, 6, 7, 13]);
