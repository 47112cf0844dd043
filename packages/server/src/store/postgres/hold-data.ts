import { Unavailable } from '../port.ts';
import { type Address, addressAt } from './address.ts';
import { Connection, type StatementTimeLimits, usePlannerSettings } from './connections/connection.ts';
import { readClusterFacts } from './servers/cluster.ts';

/** The way a node holds the data of a schema: `shared` with other nodes, or `alone` while it migrates the data. */
export type Hold = 'shared' | 'alone';

interface HeldData {
  readonly hold: Hold;
  /** The data version that this node expects; undefined where it takes any. */
  readonly version: number | undefined;
  /** Whether this node takes the tables for distributed; undefined where it takes them as they are. */
  readonly isDistributed: boolean | undefined;
  /** Called with a sentence if the data is no longer what this node takes it for. */
  readonly onOther: (what: string) => void;
}

/**
 * A connection that keeps the data of its schema from being migrated by others for as long as it is open, or, `alone`,
 * from being used by others. The lock is the session's: a node that lost all of its sessions finds out here what became
 * of the data meanwhile.
 */
export async function openHeld(address: Address, limits: StatementTimeLimits, held: HeldData): Promise<Connection> {
  const connection = await Connection.open(address, limits, held.isDistributed);
  try {
    await takeHold(connection, address.schema, held);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/**
 * A lock is known to its server alone, and a node may enter by any server of a cluster: who is to have the data alone
 * takes the lock on all of them. Those that do not know the tables are left out, as no node can enter there.
 */
export async function holdElsewhere(
  entry: Connection,
  address: Address,
  limits: StatementTimeLimits,
): Promise<readonly Connection[]> {
  const { hasCitus } = await readClusterFacts(entry, address.schema);
  if (!hasCitus) return [];
  const { rows } = await entry.send<readonly [host: string, port: number]>({ text: othersSql }, [address.schema]);
  const held: Connection[] = [];
  try {
    for (const [host, port] of rows) {
      const there = addressAt(address, { host, port });
      const taken = { hold: 'alone', version: undefined, isDistributed: undefined, onOther: () => undefined } as const;
      held.push(await openHeld(there, limits, taken));
    }
    return held;
  } catch (error) {
    await Promise.all(held.map((connection) => connection.end()));
    throw error;
  }
}

/** Only where the version can be read on every server can a node enter there. */
const othersSql = `select nodename, nodeport from pg_dist_node
  where isactive and noderole = 'primary' and groupid <> (select groupid from pg_dist_local_group)
    and exists (select from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relname = 'schema_version')`;

const lockSql = {
  shared: `select pg_try_advisory_lock_shared(hashtextextended($1, 0))`,
  alone: `select pg_try_advisory_lock(hashtextextended($1, 0))`,
};

async function takeHold(connection: Connection, schema: string, { hold, ...taken }: HeldData): Promise<void> {
  // A statement sees what stood when it began, so what it is held for is read by statements that begin after the lock.
  const [locked, found, facts] = await connection.together(() =>
    Promise.all([
      connection.send<readonly [boolean]>({ text: lockSql[hold] }, [`data of ${schema}`]),
      connection.send<readonly [number]>({ text: versionSql(schema) }),
      readClusterFacts(connection, schema),
    ]),
  );
  if (locked.rows[0]?.[0] !== true) throw new DataHeld(hold);
  const changed = changeOf(taken, { version: found.rows[0]?.[0], isDistributed: facts.tables === 'distributed' });
  if (changed === undefined) return;
  taken.onOther(changed);
  throw new Unavailable(changed);
}

function changeOf(
  taken: Pick<HeldData, 'version' | 'isDistributed'>,
  found: { readonly version: number | undefined; readonly isDistributed: boolean },
): string | undefined {
  if (taken.version !== undefined && found.version !== undefined && taken.version !== found.version)
    return `the data was migrated to version ${found.version} meanwhile: start the release that did it`;
  if (taken.isDistributed === undefined || taken.isDistributed === found.isDistributed) return undefined;
  return `the data was ${found.isDistributed ? 'distributed' : 'gathered on one server'} meanwhile: start again`;
}

export function versionSql(schema: string): string {
  return `select version from "${schema}".schema_version`;
}

/** Another process has the data. */
export class DataHeld extends Unavailable {
  constructor(hold: Hold) {
    super(
      hold === 'shared'
        ? 'another node is migrating the data'
        : 'the data must be migrated, but other nodes use it: stop all nodes of the older release, then start again',
    );
  }
}

/** The place of a server of a cluster, by the lists of the cluster, and which server it has to be. */
export interface ServerIdentity {
  readonly host: string;
  readonly port: number;
  readonly identity: string;
}

/**
 * A connection to a server of the cluster itself, with the credentials and the encryption of the address. A server that
 * knows other tables or lost the lists of the cluster is refused here, and is no reason to stop the node: that is for
 * the server of the address to say.
 * @throws Unavailable where another server has the name, as `localhost` on the node's own machine can be.
 */
export async function openOnServer(
  address: Address,
  limits: StatementTimeLimits,
  held: Omit<HeldData, 'onOther'>,
  { host, port, identity }: ServerIdentity,
): Promise<Connection> {
  const there = addressAt(address, { host, port });
  const connection = await openHeld(there, limits, { ...held, onOther: () => undefined });
  try {
    const { rows } = await connection.send<readonly [string]>({ text: hereSql });
    if (rows[0]?.[0] !== identity)
      throw new Unavailable('another server answers by the name in the lists of the cluster');
    await usePlannerSettings(connection);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

const hereSql = 'select system_identifier::text from pg_control_system()';
