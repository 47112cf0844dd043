import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { configsOf, parseAddress } from './address.ts';
import { Connection, keepsSessions, type StatementTimeLimits } from './connections/connection.ts';
import { describeError, isServerError, isTimeout, SessionLost } from './connections/postgres-error.ts';
import { probeStatement, readClusterFacts, type ScopeServerRow, serversStatement } from './servers/cluster.ts';
import { faultsOf, type ProbeRow } from './servers/server-watch.ts';

export { sessionsShared } from './connections/connection.ts';

export interface ServerState {
  readonly version: string;
  /** The server's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly isStandby: boolean;
  /** Whether a session is the caller's own for as long as its connection is open. */
  readonly keepsSessions: boolean;
  /** Whether a session hears what it tells by `NOTIFY`. */
  readonly hearsSignals: boolean;
  /** Whether sessions of this user take no writes unless they ask for it. */
  readonly isReadOnly: boolean;
  /** Settings that are off, without which acknowledged writes can be lost. */
  readonly settingsOff: readonly string[];
  readonly encoding: string;
  readonly user: string;
  readonly database: string;
  /** One for each data space that was asked about. */
  readonly schemas: readonly SchemaState[];
}

export interface SchemaState {
  readonly name: string;
  /** Whether a platform has been here. */
  readonly hasTables: boolean;
  /** The right that the user lacks to make or use it. */
  readonly missing: 'create schema' | 'create tables' | 'use tables' | undefined;
}

/** The state of a server, for the doctor. Changes nothing. Rejects without the address. */
export async function askServer(url: string, spaces: readonly string[]): Promise<ServerState> {
  const address = parseAddress(url);
  const names = spaces.map((space) => `${address.schema}_${space}`);
  let failure: unknown;
  let server: ServerState | undefined;
  // The first that takes writes; where none does, the last that answers.
  for (const place of configsOf(address)) {
    try {
      server = await askAt(place, names);
      if (!server.isStandby) return server;
    } catch (error) {
      failure = error;
    }
  }
  if (server === undefined) throw failure;
  return server;
}

async function askAt(options: pg.ClientConfig, names: readonly string[]): Promise<ServerState> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    const { rows } = await client.query<SettingsRow>(serverSql);
    const { rows: found } = await client.query<SchemaRow>(schemasSql, [names]);
    const [server] = rows;
    if (server === undefined) throw new Error('it answers nothing');
    return {
      version: server.version,
      now: Number(server.now),
      isStandby: server.standby,
      keepsSessions: await keepsSessions(options),
      // A standby passes none, and is a fault of its own.
      hearsSignals: server.standby || (await hearsItself(client)),
      isReadOnly: server.read_only === 'on',
      settingsOff: server.settings_off,
      encoding: server.encoding,
      user: server.user,
      database: server.database,
      schemas: found.map((row) => ({ name: row.name, hasTables: row.has_tables, missing: missingIn(row) })),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Under a name that is used once; the answer to a statement comes behind its notifications. */
async function hearsItself(client: pg.Client): Promise<boolean> {
  const channel = `freehold_doctor_${randomBytes(8).toString('hex')}`;
  const heard = new Promise<boolean>((resolve) => {
    client.once('notification', () => resolve(true));
    setTimeout(resolve, 2000, false).unref();
  });
  await client.query(`listen "${channel}"`);
  await client.query('select pg_notify($1, $2)', [channel, 'heard']);
  return heard;
}

interface SettingsRow {
  readonly version: string;
  readonly now: string;
  readonly standby: boolean;
  readonly read_only: string;
  readonly settings_off: readonly string[];
  readonly encoding: string;
  readonly user: string;
  readonly database: string;
}

const serverSql = `select current_setting('server_version') as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now, pg_is_in_recovery() as standby,
  current_setting('default_transaction_read_only') as read_only, current_setting('server_encoding') as encoding,
  array(select setting from unnest(array['fsync', 'full_page_writes']) as setting
    where current_setting(setting) = 'off') as settings_off,
  current_user::text as user, current_database()::text as database`;

interface SchemaRow {
  readonly name: string;
  readonly is_there: boolean;
  readonly has_tables: boolean;
  readonly may_make_schema: boolean;
  readonly may_make_tables: boolean;
  readonly may_use_tables: boolean;
}

/** Rights are asked for one at a time: a list of them holds where the user has one of them. */
const schemasSql = `select name, space.oid is not null as is_there, found.tables > 0 as has_tables,
    has_database_privilege(current_database(), 'create') as may_make_schema,
    coalesce(has_schema_privilege(space.oid, 'usage') and has_schema_privilege(space.oid, 'create'), false) as may_make_tables,
    coalesce(has_schema_privilege(space.oid, 'usage') and found.usable, false) as may_use_tables
  from unnest($1::text[]) as name left join pg_namespace as space on space.nspname = name
  cross join lateral (
    select count(*) as tables, bool_and(
      has_table_privilege(oid, 'select') and (relname = 'schema_version' or
        (has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))
    ) as usable
    from pg_class where relnamespace = space.oid and relname in ('heads', 'items', 'schema_version')
  ) as found order by name`;

function missingIn(row: SchemaRow): SchemaState['missing'] {
  if (!row.is_there) return row.may_make_schema ? undefined : 'create schema';
  if (!row.has_tables) return row.may_make_tables ? undefined : 'create tables';
  return row.may_use_tables ? undefined : 'use tables';
}

export interface ClusterServerState {
  /** `host:port`. */
  readonly name: string;
  /** Why it does not answer, or what could lose acknowledged writes there; empty where all is well. */
  readonly faults: readonly string[];
}

const limits: StatementTimeLimits = { statement: 3000, lock: 1000, grace: 500 };

/** Citus ends by itself what a server that failed left behind, within a minute or so. */
const leftSeconds = 120;

/**
 * Each server of a cluster that keeps data of the data spaces; none where the tables are not distributed.
 * @param preparedSeconds after so long a prepared transaction counts as left behind: it holds locks, and keeps tables from
 * being vacuumed. The platform prepares none; moving shards and making tables do.
 */
export async function askCluster(
  url: string,
  spaces: readonly string[],
  preparedSeconds = leftSeconds,
): Promise<readonly ClusterServerState[]> {
  const parsed = parseAddress(url);
  const states = new Map<string, ClusterServerState>();
  for (const space of spaces) {
    const address = { ...parsed, schema: `${parsed.schema}_${space}` };
    const ask = async <T>(isDistributed: boolean, work: (connection: Connection) => Promise<T>): Promise<T> => {
      const connection = await Connection.open(address, limits, isDistributed);
      try {
        return await work(connection);
      } finally {
        await connection.end();
      }
    };
    const servers = await ask(false, async (connection) => {
      const { tables } = await readClusterFacts(connection, address.schema);
      if (tables !== 'distributed') return [];
      return (await connection.send<ScopeServerRow>(serversStatement(address.schema))).rows;
    });
    for (const [, scope, name, host, port] of servers) {
      if (states.has(name)) continue;
      const probe = async (connection: Connection) => {
        await connection.send(connection.begin);
        const { rows } = await connection.send<ProbeRow>(probeStatement(address.schema), [scope]);
        const { rows: left } = await connection.send<LeftRow>({ text: leftSql }, [host, port, preparedSeconds]);
        return [...faultsOf(rows[0]), ...leftFaults(Number(left[0]?.[0]))];
      };
      const faults = await ask(true, probe).catch((error: unknown) => [describeError(error).message]);
      states.set(name, { name, faults });
    }
  }
  return [...states.values()];
}

type LeftRow = readonly [count: string];

const leftSql = `select result from master_run_on_worker(array[$1::text], array[$2::int], array[format(
  'select count(*) from pg_prepared_xacts where database = current_database() and prepared <= now() - make_interval(secs => %s)',
  $3::int)], false) where success`;

function leftFaults(count: number): readonly string[] {
  if (!(count > 0)) return [];
  return [
    `${count} prepared transactions were left there (\`select recover_prepared_transactions()\` on the coordinator)`,
  ];
}

/** The room that the tables of a data space take, over all servers of a cluster; or why that is not known. */
type ReadSizes =
  | {
      readonly dataBytes: number;
      readonly indexBytes: number;
      readonly connections: { readonly open: number; readonly max: number };
    }
  | { readonly whyUnknown: string };

/** Less than the operator waits for each part of an answer. */
const sizesLimits: StatementTimeLimits = { statement: 2000, lock: 1000, grace: 500 };

/** By a session of its own, since those of the store wait for longer. Reads no row of a table. */
export async function readSizes(url: string, space: string, within = sizesLimits): Promise<ReadSizes> {
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
