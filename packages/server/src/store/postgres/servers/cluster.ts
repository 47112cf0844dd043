import type { Address } from '../address.ts';
import type { Connection } from '../connections/connection.ts';
import { dueColumns, type SqlStatement } from '../statements.ts';

/** The kind of the server, and how it keeps the tables of a schema: read from the server, and never from an option. */
export interface ClusterFacts {
  /** Whether the database has the extension `citus`. */
  readonly hasCitus: boolean;
  /** `partly` is what an interrupted distribution leaves; `none` where there are no tables yet. */
  readonly tables: 'none' | 'local' | 'partly' | 'distributed';
  /** The servers of the cluster, as the server that was asked knows them; empty without the extension. */
  readonly servers: readonly ClusterServer[];
}

interface ClusterServer {
  readonly host: string;
  readonly port: number;
  readonly group: number;
  readonly isPrimary: boolean;
  /** Whether the cluster uses it. */
  readonly isActive: boolean;
  readonly keepsData: boolean;
}

/** Two statements in one packet, and two more on a server with the extension. */
export async function readClusterFacts(connection: Connection, schema: string): Promise<ClusterFacts> {
  const [extension, made] = await connection.together(() =>
    Promise.all([
      connection.send<readonly [boolean]>({ text: extensionSql }),
      connection.send<readonly [number]>({ text: madeSql }, [schema]),
    ]),
  );
  const hasTables = Number(made.rows[0]?.[0]) > 0;
  if (extension.rows[0]?.[0] !== true) return { hasCitus: false, tables: hasTables ? 'local' : 'none', servers: [] };
  const [spread, servers] = await connection.together(() =>
    Promise.all([
      connection.send<readonly [number]>({ text: distributedSql }, [schema]),
      connection.send<NodeRow>({ text: serversSql }),
    ]),
  );
  return {
    hasCitus: true,
    tables: hasTables ? tablesOf(Number(spread.rows[0]?.[0])) : 'none',
    servers: servers.rows.map(([host, port, group, isPrimary, isActive, keepsData]) => ({
      host,
      port,
      group,
      isPrimary,
      isActive,
      keepsData,
    })),
  };
}

function tablesOf(distributed: number): ClusterFacts['tables'] {
  if (distributed === 0) return 'local';
  return distributed === 2 ? 'distributed' : 'partly';
}

/** Why the address and the facts do not go together; undefined where they do. */
export function contradiction(
  { wantsCitus, schema }: Pick<Address, 'wantsCitus' | 'schema'>,
  { hasCitus, tables }: ClusterFacts,
): string | undefined {
  if (tables === 'partly')
    return `only some tables of the schema ${schema} are distributed: run \`freehold distribute\``;
  if (wantsCitus === true && !hasCitus)
    return 'the address says `citus=true`, but the database has no extension `citus`: make it on every server';
  if (wantsCitus === true && tables === 'local')
    return `the address says \`citus=true\`, but the tables of the schema ${schema} are not distributed: run \`freehold distribute\``;
  if (wantsCitus === false && tables === 'distributed')
    return `the address says \`citus=false\`, but Citus distributes the tables of the schema ${schema}: leave the option out`;
  return undefined;
}

const extensionSql = `select exists (select from pg_extension where extname = 'citus')`;

const madeSql = `select count(*) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = $1 and relname in ('heads', 'items')`;

/** Any way of Citus to keep a table counts: its transactions are no longer those of one server. */
const distributedSql = `select count(*) from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
  join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relname in ('heads', 'items')`;

type NodeRow = readonly [
  host: string,
  port: number,
  group: number,
  isPrimary: boolean,
  isActive: boolean,
  keepsData: boolean,
];

const serversSql = `select nodename, nodeport, groupid, noderole = 'primary', isactive, shouldhaveshards
  from pg_dist_node order by groupid, nodename, nodeport`;

export type ScopeServerRow = readonly [
  group: number,
  scope: string,
  name: string,
  host: string,
  port: number,
  isEntry: boolean,
];

/** So many names come to lie on every server, however few of the shards it keeps. */
const namesTried = 1000;

/**
 * The servers that keep scopes, each with a name that a scope there could have, and whether it is the server that is
 * asked. Asks no worker.
 */
export function serversStatement(schema: string): SqlStatement {
  return named(
    'servers',
    `select groupid, min(scope), min(nodename || ':' || nodeport), min(nodename), min(nodeport)::int,
       groupid = (select groupid from pg_dist_local_group)
     from (select 'probe-' || n as scope from generate_series(1, ${namesTried}) as n) as tried
     join pg_dist_placement on shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope)
     join pg_dist_node using (groupid) where noderole = 'primary' group by groupid order by groupid`,
  );
}

/** Asked of the server that would keep the scope, whether there is such a scope or not. */
export function probeStatement(schema: string): SqlStatement {
  return named(
    'probe',
    `select current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
     pg_is_in_recovery() from (select max(seq) from "${schema}".heads where scope = $1) as asked`,
  );
}

/** The system identifier of the server that keeps the scope, or would: a copy of its files has the same identifier. */
export function identityStatement(schema: string): SqlStatement {
  return named(
    'identity',
    `select (pg_control_system()).system_identifier::text from (select max(seq) from "${schema}".heads where scope = $1) as asked`,
  );
}

/**
 * The due items on some servers alone, `$1`, each asked by itself over a connection of its own, and without those that
 * do not answer: the items of `$2` that are due at or before `$3`, at most `$4` of them, the earliest first.
 */
export function dueOnServersSql(schema: string): SqlStatement {
  return named(
    'due-on-servers',
    `with shards as (
       select nodename, nodeport::int as nodeport, string_agg(
         format('(select ${dueColumns} from %s where due_queue = %L and due_at <= %s order by due_at limit %s)',
           shard_name(logicalrelid, shardid), $2::text, $3::bigint, $4::int), ' union all ') as asked
       from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
       where logicalrelid = '"${schema}".items'::regclass and groupid = any($1::int[]) and noderole = 'primary'
       group by nodename, nodeport)
     select ${dueTypes.map((type, place) => `(due ->> ${place})::${type}`).join(', ')} from shards cross join lateral master_run_on_worker(
       array[nodename], array[nodeport], array[format(
         'select coalesce(json_agg(json_build_array(${dueColumns})), ''[]'') from (select * from (%s) as due order by due_at limit %s) as due',
         asked, $4::int)], false) as answer
     cross join lateral json_array_elements(case when success then result::json else '[]' end) as due
     order by (due ->> 2)::bigint limit $4::int`,
  );
}

/** Of {@link dueColumns}. */
const dueTypes = ['bigint', 'text', 'bigint', 'text', 'text', 'text', 'text', 'text', 'text'];

function named(name: string, text: string): SqlStatement {
  return { name, text: text.replaceAll(/\s+/g, ' ') };
}
