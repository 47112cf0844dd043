import { parseAddress } from '../address.ts';
import { Connection, type TimeLimits } from '../connections/connection.ts';
import { isServerError, isTimeout, SessionLost } from '../connections/postgres-error.ts';
import { readClusterFacts } from './cluster.ts';

/** What the tables of a data space take, over all servers of a cluster; or why that is not known. */
export type ReadSizes =
  | {
      readonly dataBytes: number;
      readonly indexBytes: number;
      readonly connections: { readonly open: number; readonly max: number };
    }
  | { readonly whyUnknown: string };

/** Less than the operator waits for each part of an answer. */
const limits: TimeLimits = { statement: 2000, lock: 1000, grace: 500 };

/** By a session of its own, since those of the store wait for longer. Reads no row of a table. */
export async function readSizes(url: string, space: string, within = limits): Promise<ReadSizes> {
  try {
    const parsed = parseAddress(url);
    const schema = `${parsed.schema}_${space}`;
    const connection = await Connection.open({ ...parsed, schema }, within);
    try {
      const { tables } = await readClusterFacts(connection, schema);
      const text = tables === 'distributed' ? spreadSql : localSql;
      const { rows } = await connection.send<readonly [number, number]>({ text }, [schema]);
      const [dataBytes = 0, indexBytes = 0] = rows[0] ?? [];
      const { rows: counted } = await connection.send<readonly [number, number]>({ text: connectionsSql });
      const [open = 0, max = 0] = counted[0] ?? [];
      return { dataBytes, indexBytes, connections: { open, max } };
    } finally {
      await connection.end();
    }
  } catch (error) {
    return { whyUnknown: reasonOf(error) };
  }
}

/** Never what the server said: that may quote the address. */
function reasonOf(error: unknown): string {
  if (isTimeout(error) || error instanceof SessionLost) return 'the server took too long to add them up';
  const code = isServerError(error) ? error.code : undefined;
  if (code === '42501') return 'the user of the database may not ask for the sizes of tables';
  if (code === '55P03') return 'a table is locked';
  if (code !== undefined) return `the server refused to add them up (SQLSTATE ${code})`;
  return 'the server cannot be reached';
}

const connectionsSql = `select (select sum(numbackends) from pg_stat_database)::int, current_setting('max_connections')::int`;

const tablesSql = `from pg_class as found join pg_namespace on pg_namespace.oid = found.relnamespace
  where nspname = $1 and relkind = 'r'`;

/** Both without what is only reserved; the data with values that are kept aside for their length. */
const localSql = `select coalesce(sum(pg_table_size(found.oid)), 0)::bigint,
  coalesce(sum(pg_indexes_size(found.oid)), 0)::bigint ${tablesSql}`;

/** A table of a cluster is empty where it is asked about: the cluster adds up its parts. */
const spreadSql = `select coalesce(sum(case when is_spread then citus_table_size(name) else pg_table_size(name) end), 0)::bigint,
    coalesce(sum(case when is_spread then citus_total_relation_size(name) - citus_table_size(name)
      else pg_indexes_size(name) end), 0)::bigint
  from (select found.oid::regclass as name,
    exists (select from pg_dist_partition where logicalrelid = found.oid) as is_spread ${tablesSql}) as tables`;
