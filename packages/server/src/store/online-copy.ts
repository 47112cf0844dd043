import { backup, type DatabaseSync } from 'node:sqlite';
import { openConnection } from './sqlite/connection.ts';
import { createPrivateFile } from './sqlite/private-file.ts';

/** What a store's file held at one moment. It stays so, whatever is committed meanwhile, and no commit waits for it. */
export interface Snapshot {
  readonly counts: SnapshotCounts;
  /** Writes it to a new file, readable by its owner alone. */
  copyTo(path: string): Promise<void>;
  close(): void;
}

export interface SnapshotCounts {
  readonly scopes: number;
  readonly items: number;
  readonly index_items: number;
}

/** All pages in one step: a copy in several would begin anew whenever the platform has written in between. */
const allPages = 0x7fff_ffff;

/**
 * Takes the moment of each file in the order given, with next to nothing between them. Reads beside the process that has
 * the stores open, or beside none: a log that a process which was killed has left counts as well.
 */
export function snapshotFiles(paths: readonly string[]): readonly Snapshot[] {
  const opened: DatabaseSync[] = [];
  try {
    for (const path of paths) opened.push(openConnection(path, { readOnly: true, cacheKibibytes: 2048 }));
    for (const database of opened) database.exec('begin; select 1 from heads limit 1');
    return opened.map(snapshotOn);
  } catch (error) {
    for (const database of opened) database.close();
    throw error;
  }
}

function snapshotOn(database: DatabaseSync): Snapshot {
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.n);
  return {
    counts: { scopes: count('heads'), items: count('items'), index_items: count('index_items') },
    async copyTo(path) {
      createPrivateFile(path);
      await backup(database, path, { rate: allPages });
    },
    close: () => database.close(),
  };
}
