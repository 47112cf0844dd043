import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkFolder, hasWritten } from '../doctor/check-folder.ts';
import { mayWriteBeside, rowsOfFile } from '../store/sqlite/ask-file.ts';
import { openSqlite, openUnwritable } from '../store/sqlite/open-sqlite.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { Space, StoreEngine } from './store-engine.ts';

export interface FolderAddress {
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
  open: async (space, { folder }, { clock, onFatal, cacheMegabytes, itemCacheMegabytes, changesNothing = false }) => {
    const path = filePath(folder, space);
    if (changesNothing && !mayWriteBeside(path)) return openUnwritable({ path, clock });
    return openSqlite({ path, clock, onFatal, cacheMegabytes, itemCacheMegabytes });
  },
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
