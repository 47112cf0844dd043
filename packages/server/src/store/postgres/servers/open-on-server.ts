import { Unavailable } from '../../port.ts';
import { type Address, addressAt } from '../address.ts';
import { type Connection, type TimeLimits, usePlannerSettings } from '../connections/connection.ts';
import { type Held, openHeld } from '../hold-data.ts';

/** Where a server of a cluster is, by the lists of the cluster, and which server it has to be. */
export interface ServerPlace {
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
  limits: TimeLimits,
  held: Omit<Held, 'onOther'>,
  { host, port, identity }: ServerPlace,
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
