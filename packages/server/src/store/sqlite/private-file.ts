import { closeSync, openSync } from 'node:fs';

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
