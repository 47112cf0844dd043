import { assertKnownVersion, dataVersion } from '../data-version.ts';
import type { Address } from './address.ts';
import type { Connection } from './connections/connection.ts';
import { versionSql } from './hold-data.ts';
import { distributionSteps, type Placement } from './servers/distribution.ts';

/** Nodes that start at once take turns by this number; it says nothing but that it is ours. */
const startLock = 5_147_233_790_061;

/**
 * Text is compared by its UTF-8 bytes, whatever the database's own collation is. A head is written by every commit of
 * its scope, so a page keeps room for its next versions.
 */
const tablesSql = (schema: string) => `
  create table "${schema}".heads (
    scope text collate "C" not null primary key,
    seq bigint not null,
    state text not null
  ) with (fillfactor = 50);

  create table "${schema}".items (
    scope text collate "C" not null,
    pk text collate "C" not null,
    sk text collate "C" not null,
    version bigint not null,
    due_queue text,
    due_at bigint,
    target_pk text collate "C",
    target_sk text collate "C",
    value text collate "C" not null,
    primary key (scope, pk, sk)
  );
  create index items_due on "${schema}".items (due_queue, due_at) where due_queue is not null;

  create table "${schema}".schema_version (version integer not null);
  insert into "${schema}".schema_version (version) values (${dataVersion});
`;

/** Makes the tables where there are none yet. What a newer release wrote is refused and left as it is. */
export async function prepareSchema(
  connection: Connection,
  { schema, wantsCitus }: Pick<Address, 'schema' | 'wantsCitus'>,
  placement: Placement,
): Promise<void> {
  if (await hasTables(connection, schema)) return;
  await connection.send({ text: 'begin' });
  try {
    await connection.send({ text: 'select pg_advisory_xact_lock($1)' }, [startLock]);
    if (!(await hasTables(connection, schema))) {
      await makeSchema(connection, schema);
      await connection.send({ text: tablesSql(schema) });
      if (wantsCitus === true)
        for (const { sql } of distributionSteps(schema, placement)) await connection.send({ text: sql });
    }
    await connection.send({ text: 'commit' });
  } catch (error) {
    await connection.send({ text: 'rollback' }).catch(() => {});
    throw error;
  }
}

async function hasTables(connection: Connection, schema: string): Promise<boolean> {
  // Names looked up by `to_regclass` are remembered: what another node has made since would not be seen.
  const sql = `select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = $1 and relname = 'schema_version'`;
  if ((await connection.send({ text: sql }, [schema])).rows.length === 0) return false;
  const { rows } = await connection.send<readonly [number]>({ text: versionSql(schema) });
  assertKnownVersion(rows[0]?.[0]);
  return true;
}

/**
 * A user without the right to create schemas can be given one; with `if not exists` the server would refuse
 * nevertheless.
 */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  const { rows } = await connection.send({ text: 'select 1 from pg_namespace where nspname = $1' }, [schema]);
  if (rows.length === 0) await connection.send({ text: `create schema "${schema}"` });
}
