import { Socket } from 'node:net';
import pg from 'pg';
import { Unavailable } from '../../port.ts';
import { type Address, configsOf } from '../address.ts';
import type { SqlStatement } from '../statements.ts';
import { describeError, endsSession, isServerError, SessionLost, whyNoSession } from './postgres-error.ts';

/** The time that the server may take, in milliseconds. The driver waits a little longer, then gives the session up. */
export interface StatementTimeLimits {
  readonly statement: number;
  readonly lock: number;
  /** Further wait of the driver, for a server that cannot even say that its time is over. Default 5 s. */
  readonly grace?: number;
  /** For a connection to come about. */
  readonly connect?: number;
}

/** Of several places of a server one is likely to answer. */
const connectOneOfSeveral = 2000;

/** The possible places of the server of an address with several, first where it was found last. */
const places = new WeakMap<pg.ClientConfig, readonly pg.ClientConfig[]>();

const endMilliseconds = 1000;

export type Value = string | number | null | readonly (string | number | null)[];

/** `command` is what the server says that it did: for `commit` of a failed transaction, `ROLLBACK`. */
export interface QueryResult<Row> {
  readonly rows: readonly Row[];
  readonly command: string;
}

/** One session with the server: every statement is sent at once, behind those under way. A lost one is lost for good. */
export class Connection {
  /** Whether the server keeps what it has acknowledged when it loses power. */
  readonly isSynced: boolean;
  /** Begins a transaction with the session's limits on every server that takes part in it. */
  readonly begin: SqlStatement;
  readonly #isReadOnly: boolean;
  readonly #client: pg.Client;
  readonly #socket: Socket;
  #isOpen = true;
  #ending: Promise<void> | undefined;

  /** Rejects with {@link Unavailable} when there is no server, or none that may be written to. */
  static async open(address: Address, limits: StatementTimeLimits, isDistributed = false): Promise<Connection> {
    const all = places.get(address.client) ?? configsOf(address);
    if (all.length === 1) return Connection.#openAt(address.client, limits, isDistributed);
    const failures: Error[] = [];
    for (const place of all) {
      try {
        const connection = await Connection.#openAt(place, { ...limits, connect: connectOneOfSeveral }, isDistributed);
        if (connection.#isReadOnly) {
          void connection.end();
          throw new Unavailable('sessions are read-only there');
        }
        places.set(address.client, [place, ...all.filter((other) => other !== place)]);
        return connection;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        failures.push(describeError(error.cause ?? error));
      }
    }
    const why = failures.map(({ message }) => message).join('; ');
    throw new Unavailable('no server of the address takes writes', { cause: new Error(why) });
  }

  static async #openAt(
    config: pg.ClientConfig,
    limits: StatementTimeLimits,
    isDistributed: boolean,
  ): Promise<Connection> {
    const socket = new Socket();
    const client = new pg.Client({
      ...config,
      types,
      stream: () => socket,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: limits.connect ?? Math.min(5000, Math.max(limits.statement, 2000)),
      query_timeout: limits.statement + (limits.grace ?? 5000),
    });
    // The statements in progress fail as well; an idle session that ends is opened again on demand.
    client.on('error', () => {});
    try {
      await client.connect();
      return new Connection(client, socket, await startSession({ client, config }, limits, isDistributed));
    } catch (error) {
      void client.end();
      if (error instanceof Unavailable) throw error;
      throw whyNoSession(error);
    }
  }

  private constructor(client: pg.Client, socket: Socket, { isSynced, begin, isReadOnly }: SessionSettings) {
    this.#client = client;
    this.#socket = socket;
    this.isSynced = isSynced;
    this.begin = begin;
    this.#isReadOnly = isReadOnly;
    client.once('error', () => this.#lose());
    client.once('end', () => this.#lose());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Rejects with the server's error, or with {@link SessionLost}. */
  async send<Row extends readonly unknown[]>(
    { name, text }: SqlStatement,
    values: readonly Value[] = [],
  ): Promise<QueryResult<Row>> {
    const config = { text, values: [...values], rowMode: 'array', ...(name === undefined ? {} : { name }) } as const;
    try {
      const { rows, command } = await this.#client.query<unknown[]>(config);
      // The columns of a statement stand in its text, beside the type of its row.
      return { rows: rows as unknown as readonly Row[], command };
    } catch (error) {
      const reason = isServerError(error) ? error : new SessionLost(error);
      if (reason instanceof SessionLost || endsSession(reason)) void this.end();
      throw reason;
    }
  }

  /** @param heard is called with the payload of each notification, @param lost when none comes any more. */
  onNotification(heard: (payload: string) => void, lost: () => void): void {
    this.#client.on('notification', ({ payload = '' }) => heard(payload));
    this.#client.once('error', lost);
    this.#client.once('end', lost);
  }

  /** Statements sent meanwhile leave in one packet, which spares both sides a turn for each. */
  together<T>(send: () => T): T {
    this.#socket.cork();
    try {
      return send();
    } finally {
      this.#socket.uncork();
    }
  }

  /** A server that hangs does not close its end: it is not waited for. */
  end(): Promise<void> {
    this.#isOpen = false;
    this.#ending ??= this.#endSoon();
    return this.#ending;
  }

  async #endSoon(): Promise<void> {
    const cut = setTimeout(() => this.#socket.destroy(), endMilliseconds);
    await this.#client.end().finally(() => clearTimeout(cut));
  }

  #lose(): void {
    this.#isOpen = false;
  }
}

/** `bigint` holds milliseconds and numbers of commits here: safe integers, all of them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

interface SessionSettings extends Pick<Connection, 'isSynced' | 'begin'> {
  readonly isReadOnly: boolean;
}

/**
 * Keys alone decide how a statement is run, so the planner is shown once for all: whatever it believes of a table that
 * it has not counted yet, it reads by index and in the order of the index.
 */
const keySettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_sort: 'off',
  jit: 'off',
};

const plannerSettings = { ...keySettings, plan_cache_mode: 'force_generic_plan' };

/** For a session on the server of a cluster that keeps the rows, which plans for itself alone. */
export async function usePlannerSettings(connection: Connection): Promise<void> {
  const settings = Object.entries(keySettings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await connection.send({ text: `select ${settings.join(', ')}` });
}

/** For a session of long reads, which group what they find: their statements are few, and each is planned by itself. */
export async function useLongReadSettings(connection: Connection): Promise<Connection> {
  await connection.send({
    text: `select set_config('enable_sort', 'on', false), set_config('plan_cache_mode', 'auto', false)`,
  });
  return connection;
}

/**
 * Citus plans by itself: it makes generic plans only of statements on one table, and refuses to be forced to more. Of
 * the settings of a session it tells other servers those that a transaction sets for itself.
 */
const distributedSettings = { plan_cache_mode: 'auto', 'citus.propagate_set_commands': 'local', jit: 'off' };

async function startSession(
  { client, config }: { readonly client: pg.Client; readonly config: pg.ClientConfig },
  limits: StatementTimeLimits,
  isDistributed: boolean,
): Promise<SessionSettings> {
  const { rows } = await client.query<ServerRow>(serverSql);
  const [server] = rows;
  if (server === undefined || server.version < 150_000) throw new Unavailable('PostgreSQL 15 or newer is needed');
  if (server.encoding !== 'UTF8')
    throw new Unavailable(`the database is encoded in ${server.encoding}: make one that is encoded in UTF8`);
  if (server.standby) throw new Unavailable('the server is a standby, which takes no writes: point at the writer');
  // Before anything is set: it would be set for others too.
  if (!(await isOwnSession(client, server.pid, config))) throw new Unavailable(sessionsShared);
  const settings = Object.entries({
    ...(isDistributed ? distributedSettings : plannerSettings),
    search_path: 'pg_catalog',
    statement_timeout: String(limits.statement),
    lock_timeout: String(limits.lock),
    idle_in_transaction_session_timeout: String(limits.lock),
    synchronous_commit: server.synchronous,
  });
  await client.query(
    `select ${settings.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`).join(', ')}`,
    settings.flat(),
  );
  return {
    isSynced: server.fsync === 'on',
    isReadOnly: server.read_only === 'on',
    begin: isDistributed ? beginEverywhereStatement(limits, server) : beginHere,
  };
}

const beginHere: SqlStatement = { text: 'begin isolation level read committed' };

/** The statement's own time limit is kept here: the server that we talk to cancels what it has others do. */
function beginEverywhereStatement({ lock }: StatementTimeLimits, { synchronous }: ServerRow): SqlStatement {
  const settings = { synchronous_commit: synchronous, lock_timeout: lock, idle_in_transaction_session_timeout: lock };
  const local = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);
  return { text: [beginHere.text, ...local].join('; ') };
}

interface ServerRow {
  readonly pid: number;
  readonly version: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly fsync: string;
  readonly read_only: string;
  readonly synchronous: 'on' | 'remote_apply';
}

/** Whatever the server's default is: a commit is answered when it is on disk, at `remote_apply` also elsewhere. */
const serverSql = `
  select pg_backend_pid() as pid, current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as standby, current_setting('fsync') as fsync,
    current_setting('default_transaction_read_only') as read_only,
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end as synchronous`;

/** A pooler that goes round its connections gives a session another one at the second or third try. */
const triesMax = 4;

/** Why the platform cannot work through the pooler, and what to do. */
export const sessionsShared =
  'the address leads to a pooler that gives each transaction another session: set it to session mode ' +
  '(`pool_mode = session` of PgBouncer), or name the server';

/** Through which poolers sessions were found to be kept. */
const keeping = new WeakSet<pg.ClientConfig>();

/** The server says the number of a session to those that connect to it; a pooler has numbers of its own. */
async function isOwnSession(client: pg.Client, pid: number, config: pg.ClientConfig): Promise<boolean> {
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
