import { constants, statSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkFolder, hasWritten } from '../doctor/check-folder.ts';
import { rowsOfFile } from '../store/sqlite/ask-file.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import type { Space, StoreEngine } from './store-engine.ts';

interface FolderAddress {
  readonly kind: 'sqlite';
  readonly folder: string;
}

/** The embedded store: each data space is a file in a folder. */
export const sqliteEngine: StoreEngine<FolderAddress> = {
  kind: 'sqlite',
  name: 'SQLite',
  forms: { store: '`sqlite:`', storeProd: '`sqlite:` with a folder behind it', copy: '`sqlite:FOLDER`' },
  readAddress: (text, use, defaultFolder) => {
    const folder = /^sqlite:(.*)$/s.exec(text)?.[1];
    // FREEHOLD_DATA_DIR names the folder of the platform; another one is for `prod` alone.
    const mayBeLeftOut = use !== 'storeProd';
    const mayBeNamed = use !== 'store';
    if (folder === undefined || !(folder === '' ? mayBeLeftOut : mayBeNamed)) return undefined;
    return { kind: 'sqlite', folder: folder === '' ? defaultFolder() : resolve(folder) };
  },
  placeText: ({ folder }) => `\`${folder}\``,
  storeText: ({ folder }, space) => `\`${filePath(folder, space)}\``,
  prepare: ({ folder }) => prepareDataFolder(folder),
  open: (space, { folder }, { clock, onFatal, cacheMegabytes, itemCacheMegabytes, changesNothing }) =>
    openSqlite({ path: filePath(folder, space), clock, onFatal, cacheMegabytes, itemCacheMegabytes, changesNothing }),
  sizes: async ({ folder }, space) => {
    const path = filePath(folder, space);
    const log = await stat(`${path}-wal`).catch(() => undefined);
    return { dataBytes: (await stat(path)).size, logBytes: log?.size ?? 0 };
  },
  isMissing: async ({ folder }, space) => {
    const found = statSync(filePath(folder, space), { throwIfNoEntry: false });
    // Also where it was made and never written to.
    return found === undefined || found.size === 0;
  },
  hasWritten: ({ folder }) => hasWritten(folder),
  rowsBeside: ({ folder }, space, partitions) => rowsOfFile(filePath(folder, space), partitions),
  check: ({ folder }, { isRunning }, clock) => checkFolder(folder, clock, isRunning),
};

function filePath(folder: string, space: Space): string {
  return join(folder, `${space}.db`);
}

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
