import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';

/**
 * Makes the folder of the embedded store, for its owner alone, unless it is there.
 * @throws Error with a sentence for the operator where it cannot be made or written to.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`${explain(folder, error)}: set FREEHOLD_DATA_DIR to a folder that the platform may write to`, {
      cause: error,
    });
  }
}

function explain(folder: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `the data folder \`${folder}\``;
  switch (code) {
    case 'EEXIST':
      return `${place} is a file`;
    case 'ENOTDIR':
      return `${place} cannot be made, because a part of its path is a file`;
    case 'EROFS':
      return `${place} is on a disk that is mounted read-only`;
    case 'EACCES':
    case 'EPERM':
      return `${userName()} may not write to ${place}`;
    default:
      return `${place} cannot be used (${String(code ?? error)})`;
  }
}

function userName(): string {
  return process.getuid === undefined ? 'this user' : `user ${process.getuid()}`;
}
