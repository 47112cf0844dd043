import pg from 'pg';

/** A pooler that goes round its connections gives a session another one at the second or third try. */
const triesMax = 4;

/** Why the platform cannot work through the pooler, and what to do. */
export const sessionsShared =
  'the address leads to a pooler that gives each transaction another session: set it to session mode ' +
  '(`pool_mode = session` of PgBouncer), or name the server';

/** Through which poolers sessions were found to be kept. */
const keeping = new WeakSet<pg.ClientConfig>();

/** The server says the number of a session to those that connect to it; a pooler has numbers of its own. */
export async function isOwnSession(client: pg.Client, pid: number, config: pg.ClientConfig): Promise<boolean> {
  if (pid === numberOf(client) || keeping.has(config)) return true;
  const isKept = await keepsSessions(config);
  if (isKept) keeping.add(config);
  return isKept;
}

/** The driver has it, and its types leave it out. */
function numberOf(client: pg.Client): unknown {
  return 'processID' in client ? client.processID : undefined;
}

/**
 * Whether a session is the caller's own for as long as its connection is open, seen by what happens: prepared statements
 * alone show nothing, as some poolers keep them beside transactions that they spread over sessions. Settings, limits
 * and locks are then those of whichever session a transaction gets.
 */
export async function keepsSessions(config: pg.ClientConfig): Promise<boolean> {
  const [own, other] = [openedClient(config), openedClient(config)];
  try {
    await own.connect();
    const first = await sessionOf(own);
    if (first === numberOf(own)) return true;
    await other.connect();
    for (let tries = 1; tries <= triesMax; tries++) {
      await other.query('begin');
      // While the other one has a transaction open, a session that both were given is taken.
      const given = await sessionOf(other);
      if (given === first || (await sessionOf(own)) !== first) return false;
      await other.query('rollback');
    }
    return true;
  } finally {
    await Promise.all([own, other].map((client) => client.end().catch(() => undefined)));
  }
}

function openedClient(config: pg.ClientConfig) {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  client.on('error', () => {});
  return client;
}

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  return Number(rows[0]?.pid);
}
