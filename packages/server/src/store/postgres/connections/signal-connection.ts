import type { SignalChannel, SignalEars } from '../../port.ts';
import { addressAt, parseAddress } from '../address.ts';
import { Connection, type StatementTimeLimits } from './connection.ts';
import { describeError } from './postgres-error.ts';

/** A line that lets nothing through is noticed by the first beat that is not answered. */
const limits: StatementTimeLimits = { statement: 2000, lock: 1000, grace: 200 };

/**
 * A connection outside every transaction, by which signals come and go. They pass through the server of the address; on
 * a cluster through the coordinator, since each server notifies its own sessions alone.
 * @throws Unavailable where there is no server, or a pooler that gives sessions to several clients.
 */
export async function openSignals(url: string, platformId: string, ears: SignalEars): Promise<SignalChannel> {
  const address = parseAddress(url);
  const channel = `${address.schema}_${platformId}`;
  const connection = await atCoordinator(await Connection.open(address, limits), url);
  connection.onNotification(
    (text) => ears.heard(text),
    () => ears.lost(),
  );
  try {
    await connection.send({ text: `listen "${channel}"` });
  } catch (error) {
    await connection.end();
    throw describeError(error);
  }
  return {
    send: async (text) => {
      await connection.send({ text: 'select pg_notify($1, $2)' }, [channel, text]);
    },
    close: () => connection.end(),
  };
}

async function atCoordinator(entry: Connection, url: string): Promise<Connection> {
  try {
    const { rows: extension } = await entry.send<readonly [boolean]>({ text: hasCitusSql });
    if (extension[0]?.[0] !== true) return entry;
    const { rows } = await entry.send<readonly [host: string, port: number]>({ text: coordinatorSql });
    const [place] = rows;
    if (place === undefined) return entry;
    const [host, port] = place;
    void entry.end();
    return await Connection.open(addressAt(parseAddress(url), { host, port }), limits);
  } catch (error) {
    void entry.end();
    throw error;
  }
}

const hasCitusSql = "select exists (select from pg_extension where extname = 'citus')";
/** None where the server that was asked is the coordinator. */
const coordinatorSql = `select nodename, nodeport from pg_dist_node
  where groupid = 0 and groupid <> (select groupid from pg_dist_local_group) and noderole = 'primary' limit 1`;
