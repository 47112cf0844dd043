import type { DatabaseSync } from 'node:sqlite';
import { assertKnownVersion, dataVersion } from '../data-version.ts';

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

/** Makes the tables of an empty file. What a newer release wrote is refused and left as it is. */
export function prepareSchema(database: DatabaseSync): void {
  const version = readVersion(database);
  if (version === 0) database.exec(`begin immediate; ${firstSchema} pragma user_version = ${dataVersion}; commit`);
  else assertKnownVersion(version);
}

export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}
