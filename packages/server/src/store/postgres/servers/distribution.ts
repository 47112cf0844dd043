import { Unavailable } from '../../port.ts';
import { type Address, parseAddress } from '../address.ts';
import { Connection, type StatementTimeLimits } from '../connections/connection.ts';
import { describeError, isServerError, SessionLost } from '../connections/postgres-error.ts';
import { DataHeld, holdElsewhere, openHeld } from '../hold-data.ts';
import { type ClusterFacts, readClusterFacts } from './cluster.ts';

/** `spread`: by scope over the servers that keep data. `together`: on the coordinator, reachable from every server. */
export type Placement = 'spread' | 'together';

/**
 * The data space `platform` is small, and every call needs it: on a worker it would be one more server that all calls
 * depend on. The others are spread, each in a colocation group of its own, so that each can be moved by itself.
 */
export function placementOf(space: string): Placement {
  return space === 'platform' ? 'together' : 'spread';
}

/** In this order, each all or nothing. */
export function distributionSteps(
  schema: string,
  placement: Placement,
): readonly { readonly table: string; readonly sql: string }[] {
  const named = (table: string) => `'"${schema}".${table}'`;
  const spread = (table: string, beside: string) => ({
    table,
    sql: `select create_distributed_table(${named(table)}, 'scope', colocate_with => ${beside})`,
  });
  const together = (table: string) => ({ table, sql: `select citus_add_local_table_to_metadata(${named(table)})` });
  return [
    ...(placement === 'spread'
      ? [spread('heads', `'none'`), spread('items', named('heads'))]
      : [together('heads'), together('items')]),
    // A node reads it where it enters.
    { table: 'schema_version', sql: `select create_reference_table(${named('schema_version')})` },
  ];
}

/** The reason that keeps tables from being distributed, with what to do about it. */
async function whyNotDistributed(connection: Connection, facts: ClusterFacts): Promise<string | undefined> {
  if (!facts.hasCitus)
    return 'the database has no extension `citus`: run `create extension citus` in it on every server';
  if (!(await isCoordinator(connection)))
    return 'the address names a worker of the cluster: name the coordinator, as it alone makes and distributes tables';
  if (!facts.servers.some(({ group }) => group === 0))
    return "the coordinator does not know itself: run `select citus_set_coordinator_host('its name for the workers')` there";
  if (!facts.servers.some(({ isPrimary, isActive, keepsData }) => isPrimary && isActive && keepsData))
    return "the cluster has no server that keeps data: run `select citus_add_node('host', 5432)` on the coordinator";
  const { rows } = await connection.send<readonly [string]>({ text: `select current_setting('wal_level')` });
  return rows[0]?.[0] === 'logical'
    ? undefined
    : 'the server has another `wal_level` than `logical`: set that on every server, as shards are moved by it';
}

/** Whether the server makes tables for the cluster. */
async function isCoordinator(connection: Connection): Promise<boolean> {
  const { rows } = await connection.send<readonly [number]>({ text: 'select groupid from pg_dist_local_group' });
  return rows[0]?.[0] === 0;
}

/**
 * Distributes what is not distributed yet, and frees the room that the rows took before. A run that was cut off has left
 * each table as it was or as it is to be: the next run goes on from there.
 * @param done is called for each table that was distributed now.
 */
async function distributeTables(
  connection: Connection,
  { schema }: Pick<Address, 'schema'>,
  placement: Placement,
  done: (table: string) => void,
): Promise<void> {
  for (const { table, sql } of distributionSteps(schema, placement)) {
    if (!(await isDistributed(connection, schema, table))) {
      await connection.send({ text: sql });
      done(table);
    }
    // Rows left there are not seen any more; a table that stays where it was leaves none.
    if (placement === 'spread' || table === 'schema_version')
      await connection.send({ text: `select truncate_local_data_after_distributing_table('"${schema}".${table}')` });
  }
}

async function isDistributed(connection: Connection, schema: string, table: string): Promise<boolean> {
  const text = `select from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1 and relname = $2`;
  return (await connection.send({ text }, [schema, table])).rows.length > 0;
}

/** @throws Unavailable where the server would make tables that the other servers do not know. */
export async function refuseWorker(connection: Connection, { hasCitus, tables }: ClusterFacts): Promise<void> {
  if (!hasCitus || tables !== 'none' || (await isCoordinator(connection))) return;
  throw new Unavailable('the server is a worker of a cluster and has no tables of the platform: name the coordinator');
}

/** A day: the rows of a table are moved by one statement. */
const limits: StatementTimeLimits = { statement: 86_400_000, lock: 60_000 };

/**
 * Has Citus distribute the tables of one data space, in place, while no node uses them.
 * @param done is called with the name of each table that was distributed now.
 * @throws Unavailable with a sentence for the operator where that cannot be done.
 */
export async function distributeStore(url: string, space: string, done: (table: string) => void): Promise<void> {
  const parsed = parseAddress(url);
  const address = { ...parsed, schema: `${parsed.schema}_${space}` };
  const client = await Connection.open(address, limits);
  const opened = [client];
  try {
    const facts = await readClusterFacts(client, address.schema);
    const mistake = await whyNotDistributed(client, facts);
    if (mistake !== undefined) throw new Unavailable(mistake);
    const onOther = () => undefined;
    const held = await openHeld(address, limits, {
      hold: 'alone',
      version: undefined,
      isDistributed: undefined,
      onOther,
    });
    opened.push(held, ...(await holdElsewhere(held, address, limits)));
    await distributeTables(held, address, placementOf(space), done);
  } catch (error) {
    if (error instanceof DataHeld)
      throw new Unavailable('other processes use the data: stop all nodes, then run the command again');
    if (!isServerError(error) && !(error instanceof SessionLost)) throw error;
    throw new Unavailable(describeError(error).message, { cause: describeError(error) });
  } finally {
    await Promise.all(opened.map((connection) => connection.end()));
  }
}
