import { realpathSync, statSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { assertKnownVersion } from './data-version.ts';
import { openToRead } from './sqlite/ask-file.ts';
import { backupLogBytesMax } from './sqlite/connection.ts';
import { createPrivateFile } from './sqlite/process-lock.ts';
import { readVersion } from './sqlite/schema.ts';
import { whyUnfinished } from './sqlite/sqlite-error.ts';

/** The content of a store's file at one moment. Later commits do not change it, and no commit waits for it. */
interface StoreSnapshot {
  readonly counts: { readonly scopes: number; readonly items: number; readonly index_items: number };
  /** Of what is in it, as `data-version.ts` has it. */
  readonly dataVersion: number;
  /** Writes it to a new file, readable by its owner alone. */
  copyTo(path: string): Promise<void>;
  close(): void;
}

/**
 * 16 MB. A copy in several steps does not start again when the platform writes in between, since the connection holds
 * its snapshot from before the first step.
 */
const pagesAtOnce = 4096;

/**
 * Takes the moment of each file in the order given, with next to nothing between them. Reads beside the process that has
 * the stores open, or beside none: a log that a process which was killed has left counts as well.
 */
export function snapshotFiles(paths: readonly string[]): readonly StoreSnapshot[] {
  const opened: DatabaseSync[] = [];
  try {
    for (const path of paths) opened.push(openToRead(realpathSync(path), 2048));
    for (const database of opened) database.exec('begin; select 1 from heads limit 1');
    for (const database of opened) assertKnownVersion(readVersion(database));
    return opened.map((database) => snapshotOn(database, () => giveWay(paths)));
  } catch (error) {
    for (const database of opened) database.close();
    // The store that a restore comes to last says so, and the others may be anything.
    throw paths.map((path) => whyUnfinished(path, error)).find((why) => why !== undefined) ?? error;
  }
}

function snapshotOn(database: DatabaseSync, progress: () => void): StoreSnapshot {
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.n);
  return {
    dataVersion: readVersion(database),
    counts: { scopes: count('heads'), items: count('items'), index_items: count('index_items') },
    async copyTo(path) {
      createPrivateFile(path);
      await backup(database, path, { rate: pagesAtOnce, progress });
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Throws where the logs have grown so long over what is held here that the platform would soon refuse commits. */
function giveWay(paths: readonly string[]): void {
  for (const path of paths) {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < backupLogBytesMax) continue;
    throw new Error(
      `the platform writes too much for an online copy, and the log of \`${path}\` grows too long: try again when it writes less`,
    );
  }
}
