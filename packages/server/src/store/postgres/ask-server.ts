import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { configsOf, parseAddress } from './address.ts';
import { keepsSessions } from './connections/session-check.ts';

export { sessionsShared } from './connections/session-check.ts';
export { type AskedClusterServer, askCluster } from './servers/ask-cluster.ts';

export interface AskedServer {
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
  readonly schemas: readonly AskedSchema[];
}

export interface AskedSchema {
  readonly name: string;
  /** Whether a platform has been here. */
  readonly hasTables: boolean;
  /** What the user lacks to make or use it. */
  readonly missing: 'create schema' | 'create tables' | 'use tables' | undefined;
}

/** The state of a server, for the doctor. Changes nothing. Rejects without the address. */
export async function askServer(url: string, spaces: readonly string[]): Promise<AskedServer> {
  const address = parseAddress(url);
  const names = spaces.map((space) => `${address.schema}_${space}`);
  let failure: unknown;
  let asked: AskedServer | undefined;
  // The first that takes writes; where none does, the last that answers.
  for (const place of configsOf(address)) {
    try {
      asked = await askAt(place, names);
      if (!asked.isStandby) return asked;
    } catch (error) {
      failure = error;
    }
  }
  if (asked === undefined) throw failure;
  return asked;
}

async function askAt(options: pg.ClientConfig, names: readonly string[]): Promise<AskedServer> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    const { rows } = await client.query<ServerRow>(serverSql);
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

interface ServerRow {
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

function missingIn(row: SchemaRow): AskedSchema['missing'] {
  if (!row.is_there) return row.may_make_schema ? undefined : 'create schema';
  if (!row.has_tables) return row.may_make_tables ? undefined : 'create tables';
  return row.may_use_tables ? undefined : 'use tables';
}
