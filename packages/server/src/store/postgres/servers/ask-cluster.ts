import { parseAddress } from '../address.ts';
import { Connection, type TimeLimits } from '../connections/connection.ts';
import { describeError } from '../connections/postgres-error.ts';
import { readClusterFacts } from './cluster.ts';
import { probeStatement, type ServerRow, serversStatement } from './cluster-statements.ts';
import { faultsOf, type ProbeRow } from './server-watch.ts';

export interface AskedClusterServer {
  /** `host:port`. */
  readonly name: string;
  /** Why it does not answer, or what could lose acknowledged writes there; empty where all is well. */
  readonly faults: readonly string[];
}

const limits: TimeLimits = { statement: 3000, lock: 1000, grace: 500 };

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
): Promise<readonly AskedClusterServer[]> {
  const parsed = parseAddress(url);
  const asked = new Map<string, AskedClusterServer>();
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
      return (await connection.send<ServerRow>(serversStatement(address.schema))).rows;
    });
    for (const [, scope, name, host, port] of servers) {
      if (asked.has(name)) continue;
      const probe = async (connection: Connection) => {
        await connection.send(connection.begin);
        const { rows } = await connection.send<ProbeRow>(probeStatement(address.schema), [scope]);
        const { rows: left } = await connection.send<LeftRow>({ text: leftSql }, [host, port, preparedSeconds]);
        return [...faultsOf(rows[0]), ...leftFaults(Number(left[0]?.[0]))];
      };
      const faults = await ask(true, probe).catch((error: unknown) => [describeError(error).message]);
      asked.set(name, { name, faults });
    }
  }
  return [...asked.values()];
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
