import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isHeld } from './ask-file.ts';
import { openConnection } from './connection.ts';
import { explained } from './explain-file.ts';
import { isSqliteError, isUnopened } from './sqlite-error.ts';

/**
 * Opens a store's file for reading. In a folder that cannot be written to, SQLite may not make the files beside it that it
 * reads a log by: then the file is read as it is, which holds everything if its log is empty.
 * @param path as `realpath` has it. @throws Error with a sentence for the operator.
 */
export function openToRead(path: string, cacheKibibytes: number): DatabaseSync {
  return explained(path, () => {
    try {
      return openConnection(path, { readOnly: true, cacheKibibytes });
    } catch (error) {
      if (!isSqliteError(error) || !isUnopened(error) || mayWriteBeside(path) || isHeld(path)) throw error;
      if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
        throw new Error(
          `\`${path}-wal\` holds commits that cannot be read in a folder that takes no writes: copy the whole folder to one that does`,
          { cause: error },
        );
      const url = pathToFileURL(path);
      url.searchParams.set('immutable', '1');
      // Nothing is ever written here, so no setting that durability depends on matters.
      const database = new DatabaseSync(url, { readOnly: true });
      database.exec(`pragma cache_size = ${-cacheKibibytes}; pragma temp_store = memory; pragma trusted_schema = off`);
      return database;
    }
  });
}

export function mayWriteBeside(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
