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

/** Each server of a cluster that keeps data of the data spaces; none where the tables are not distributed. */
export async function askCluster(url: string, spaces: readonly string[]): Promise<readonly AskedClusterServer[]> {
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
    for (const [, scope, name] of servers) {
      if (asked.has(name)) continue;
      const probe = async (connection: Connection) => {
        await connection.send(connection.begin);
        return (await connection.send<ProbeRow>(probeStatement(address.schema), [scope])).rows[0];
      };
      const faults = await ask(true, probe).then(faultsOf, (error: unknown) => [describeError(error).message]);
      asked.set(name, { name, faults });
    }
  }
  return [...asked.values()];
}
