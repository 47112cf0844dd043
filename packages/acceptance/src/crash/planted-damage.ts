/** Damage that the rounds have to find, or they would find none: what is planted here is known to be wrong. */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryDirectory } from '../platform.ts';

/** Called before a round, on the files of a platform that has ended; what it gives does the damage after the kill. */
export type DamagePlan = (dataDir: string) => () => void;

export const plantedDamage: Readonly<Record<string, DamagePlan>> = {
  'answered writes are lost': (dataDir) => {
    const before = temporaryDirectory();
    copyStore(dataDir, before);
    return () => {
      for (const file of filesOfStore(dataDir)) rmSync(join(dataDir, file));
      copyStore(before, dataDir);
    };
  },
  'a record lost its index entry': (dataDir) => () =>
    inTheStore(
      dataDir,
      `delete from index_items where (scope, pk, sk) in
         (select scope, pk, sk from index_items where pk like '%field#title%' limit 1)`,
    ),
  'a unique value has no sentinel': (dataDir) => () =>
    inTheStore(dataDir, "delete from items where row = (select max(row) from items where pk like 'unique#order%')"),
};

function filesOfStore(folder: string): readonly string[] {
  return readdirSync(folder).filter((file) => file.startsWith('test.db'));
}

function copyStore(from: string, to: string): void {
  for (const file of filesOfStore(from)) copyFileSync(join(from, file), join(to, file));
}

function inTheStore(dataDir: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, 'test.db'));
  try {
    const { changes } = database.prepare(sql).run();
    if (Number(changes) !== 1) throw new Error(`nothing to damage: ${sql}`);
  } finally {
    database.close();
  }
}
