import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { dataVersion } from '../data-version.ts';
import { openConnection } from './connection.ts';
import { lockPathOf } from './process-lock.ts';
import { explained, isSqliteError, isUnopened } from './sqlite-error.ts';

export interface FileState {
  /** Whether there is anything in it; one that is empty was made and never written to. */
  readonly isEmpty: boolean;
  readonly isDatabase: boolean;
  /** The version of its data; undefined where none was written yet. */
  readonly dataVersion: { readonly found: number; readonly is: 'earlier' | 'current' | 'newer' } | undefined;
}

/** The state of a store's file, for the doctor. Changes nothing, and waits for no lock. @throws as `open` does. */
export async function askFile(path: string): Promise<FileState> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    const isDatabase = bytesRead === headerBytes && buffer.toString('latin1', 0, magic.length) === magic;
    const version = isDatabase ? buffer.readInt32BE(versionAt) : 0;
    return {
      isEmpty: bytesRead === 0,
      isDatabase,
      dataVersion: version === 0 ? undefined : { found: version, is: comparedToOurs(version) },
    };
  } finally {
    await file.close();
  }
}

function comparedToOurs(version: number): 'earlier' | 'current' | 'newer' {
  if (version === dataVersion) return 'current';
  return Math.abs(version) > dataVersion ? 'newer' : 'earlier';
}

/** The header of a database (SQLite's Database File Format, 1.3). */
const headerBytes = 100;
const magic = 'SQLite format 3\0';
const versionAt = 60;

/** Whether anything was ever committed to a store's file. What cannot be read may be anything. */
export function holdsScopes(path: string): boolean {
  const url = pathToFileURL(path);
  // Takes no lock and makes no files beside it; what stands in the log alone is not seen.
  url.searchParams.set('immutable', '1');
  try {
    using database = new DatabaseSync(url, { readOnly: true });
    const tables = database.prepare(`select 1 from sqlite_schema where name = 'heads'`).get();
    return tables !== undefined && database.prepare('select 1 from heads limit 1').get() !== undefined;
  } catch {
    return true;
  }
}

export interface RowOfFile {
  readonly scope: string;
  readonly pk: string;
  readonly sk: string;
  readonly value: string;
}

/**
 * The items of some partitions in all scopes but those of workspaces. Makes no files: of a store that no process has open, what
 * is in the log alone is not seen.
 */
export function* rowsOfFile(path: string, partitions: readonly string[]): Generator<RowOfFile> {
  const url = pathToFileURL(path);
  if (!isHeld(realpathSync(path))) url.searchParams.set('immutable', '1');
  using database = new DatabaseSync(url, { readOnly: true });
  const scopes = database.prepare(`select scope from heads where scope not like '%-%'`).all();
  const items = database.prepare('select sk, value from items where scope = ? and pk = ?');
  for (const { scope } of scopes)
    for (const pk of partitions)
      for (const { sk, value } of items.iterate(String(scope), pk))
        yield { scope: String(scope), pk, sk: String(sk), value: String(value) };
}

/** Whether a process has a store's file open. Makes no lock, and leaves the one that is there. */
export function isHeld(path: string): boolean {
  try {
    using database = new DatabaseSync(lockPathOf(path), { readOnly: true, timeout: 0 });
    database.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
  }
}

const sqliteBusy = 5;

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
