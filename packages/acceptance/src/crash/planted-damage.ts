/** Damage that the rounds have to find, or they would find none: what is planted here is known to be wrong. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Each does something to the files of a platform that was just killed. */
export const plantedDamage: Readonly<Record<string, (dataDir: string) => void>> = {
  'answered writes are lost': (dataDir) => truncateSync(join(dataDir, 'test.db-wal'), 0),
  'a record lost its index entry': (dataDir) =>
    inTheStore(
      dataDir,
      `delete from index_items where (scope, pk, sk) in
         (select scope, pk, sk from index_items where pk like '%field#title%' limit 1)`,
    ),
  'a unique value has no sentinel': (dataDir) =>
    inTheStore(dataDir, "delete from items where row = (select max(row) from items where pk like 'unique#order%')"),
};

function inTheStore(dataDir: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, 'test.db'));
  try {
    const { changes } = database.prepare(sql).run();
    if (Number(changes) !== 1) throw new Error(`nothing to damage: ${sql}`);
  } finally {
    database.close();
  }
}
