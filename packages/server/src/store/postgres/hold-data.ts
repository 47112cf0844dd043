import { Unavailable } from '../port.ts';
import type { Address } from './address.ts';
import { Connection, type TimeLimits } from './connections/connection.ts';

/** How a node holds the data of a schema: `shared` with other nodes, or `alone` while it migrates the data. */
export type Hold = 'shared' | 'alone';

export interface Held {
  readonly hold: Hold;
  /** What this node takes the data for; undefined where it takes it as it is. */
  readonly version: number | undefined;
  /** Called if a node of another release has migrated the data. */
  readonly onOther: (found: number) => void;
}

/**
 * A connection that keeps the data of its schema from being migrated by others for as long as it is open, or, `alone`,
 * from being used by others. The lock is the session's: a node that lost all of its sessions finds out here what became
 * of the data meanwhile.
 */
export async function openHeld(address: Address, limits: TimeLimits, held: Held): Promise<Connection> {
  const connection = await Connection.open(address, limits);
  try {
    await takeHold(connection, address.schema, held);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

const lockSql = {
  shared: `select pg_try_advisory_lock_shared(hashtextextended($1, 0))`,
  alone: `select pg_try_advisory_lock(hashtextextended($1, 0))`,
};

async function takeHold(connection: Connection, schema: string, { hold, version, onOther }: Held): Promise<void> {
  // A statement sees what stood when it began, so the version is read by one that begins after the lock is there.
  const [locked, found] = await connection.together(() =>
    Promise.all([
      connection.send<readonly [boolean]>({ text: lockSql[hold] }, [`data of ${schema}`]),
      connection.send<readonly [number]>({ text: versionSql(schema) }),
    ]),
  );
  if (locked.rows[0]?.[0] !== true) throw new DataHeld(hold);
  const [standing] = found.rows[0] ?? [];
  if (version === undefined || standing === undefined || standing === version) return;
  onOther(standing);
  throw new Unavailable(`the data was migrated to version ${standing} meanwhile`);
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
