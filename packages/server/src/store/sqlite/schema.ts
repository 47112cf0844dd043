import type { DatabaseSync } from 'node:sqlite';

export const schemaVersion = 1;

/**
 * `target_row` is where the target lay when the index item was written. Row numbers are never used again
 * (`autoincrement`), and a row keeps its key, so a number leads to the target or, once that was removed, to nothing.
 *
 * Values stand in a rowid table, because long rows make a `WITHOUT ROWID` tree deep; index items are all key and need
 * no second tree. `value` comes last, so that a version is read without touching a long value's overflow pages.
 */
const firstSchema = `
  create table heads (
    scope text not null primary key,
    seq integer not null,
    state text not null
  ) strict, without rowid;

  create table items (
    row integer primary key autoincrement,
    scope text not null,
    pk text not null,
    sk text not null,
    version integer not null,
    due_queue text,
    due_at integer,
    value text not null
  ) strict;
  create unique index items_key on items (scope, pk, sk);
  create index items_due on items (due_queue, due_at) where due_queue is not null;

  create table index_items (
    scope text not null,
    pk text not null,
    sk text not null,
    target_pk text not null,
    target_sk text not null,
    version integer not null,
    target_row integer,
    primary key (scope, pk, sk)
  ) strict, without rowid;
`;

/** Brings an empty file to the current schema. A file written by a newer release is refused and left as it is. */
export function prepareSchema(database: DatabaseSync): void {
  const version = database.prepare('pragma user_version').get()?.user_version;
  if (version === schemaVersion) return;
  if (version !== 0) {
    throw new Error(
      `the store was written by a newer release (schema ${version}, this release knows ${schemaVersion}): ` +
        'start the release that wrote it, or restore a backup from before the upgrade',
    );
  }
  database.exec(`begin immediate; ${firstSchema} pragma user_version = ${schemaVersion}; commit`);
}
