import type { Address } from '../address.ts';
import type { Connection } from '../connections/connection.ts';

/** What the server is, and how it keeps the tables of a schema: read from the server, and never from an option. */
export interface ClusterFacts {
  /** Whether the database has the extension `citus`. */
  readonly hasCitus: boolean;
  /** `partly` is what an interrupted distribution leaves; `none` where there are no tables yet. */
  readonly tables: 'none' | 'local' | 'partly' | 'distributed';
  /** The servers of the cluster, as the server that was asked knows them; empty without the extension. */
  readonly servers: readonly ClusterServer[];
}

export interface ClusterServer {
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
      connection.send<ServerRow>({ text: serversSql }),
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

type ServerRow = readonly [
  host: string,
  port: number,
  group: number,
  isPrimary: boolean,
  isActive: boolean,
  keepsData: boolean,
];

const serversSql = `select nodename, nodeport, groupid, noderole = 'primary', isactive, shouldhaveshards
  from pg_dist_node order by groupid, nodename, nodeport`;
