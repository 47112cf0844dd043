import { readFileSync } from 'node:fs';
import { unfinishedRestore } from '../unfinished-restore.ts';
import { isNoDatabase, isSqliteError } from './sqlite-error.ts';

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
