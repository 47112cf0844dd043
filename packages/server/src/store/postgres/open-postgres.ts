import type { Clock } from '../../lib/clock.ts';
import type { Member } from '../committing/apply-group.ts';
import type { MemberAnswer } from '../committing/group-committer.ts';
import { type BoundedRead, type Engine, storeOnEngine } from '../engine.ts';
import {
  type DueItem,
  type Followed,
  type Health,
  type Item,
  type Key,
  type OpenedStore,
  type Queue,
  type ScopeHead,
  type ScopeName,
  Unavailable,
} from '../port.ts';
import { type Address, parseAddress } from './address.ts';
import { type ClusterFacts, contradiction, readClusterFacts } from './cluster.ts';
import { CommitConnections } from './connections/commit-connections.ts';
import { Connection, type TimeLimits } from './connections/connection.ts';
import { describeError, isServerError, SessionLost } from './connections/postgres-error.ts';
import { ReadConnections } from './connections/read-connections.ts';
import { DataHeld, type Hold, openHeld, versionSql } from './hold-data.ts';
import { PostgresReader } from './reader.ts';
import { prepareSchema } from './schema.ts';
import { Statements } from './statements.ts';
import { PostgresWriter } from './writer.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host/database`, with the options that the guide names. Never printed or logged. */
  readonly url: string;
  /** The name of the data space, which has a schema of its own. */
  readonly space: string;
  readonly clock: Clock;
  readonly connections?: ConnectionCounts;
  /** `alone` has no other node work on the data meanwhile, for migrations. */
  readonly hold?: Hold;
  /** Called when the data was migrated by a newer release: this one can do nothing with it any more. */
  readonly onFatal?: (error: Error) => void;
}

/** How many connections a store opens at most. `commits` is also how many transactions there are at once. */
export interface ConnectionCounts {
  readonly reads: number;
  readonly commits: number;
}

const defaultCounts: ConnectionCounts = { reads: 2, commits: 8 };

const readLimits: TimeLimits = { statement: 10_000, lock: 10_000 };

/** A node that stops in the middle of a group keeps the scope from others for as long as `lock`. */
const commitLimits: TimeLimits = { statement: 30_000, lock: 10_000 };

/**
 * Scopes that commit at once share a transaction, which costs half of one each. With more, fewer transactions are under
 * way beside each other, and scopes hold each other up for longer. Scopes that Citus spreads over several servers share
 * none: a transaction over two servers is readable on one of them before it is on the other.
 */
const scopesOfTransactionMax = 8;

/** A node that has just ended is gone by then from the list of the server. */
const triesToHaveAlone = 30;

const startLimits: TimeLimits = { statement: 120_000, lock: 60_000 };

/** A store on PostgreSQL, or on Citus. Any number of processes may have it open. */
export async function openPostgres({
  url,
  space,
  clock,
  connections = defaultCounts,
  hold = 'shared',
  onFatal = () => undefined,
}: PostgresOptions): Promise<OpenedStore> {
  const parsed = parseAddress(url);
  const address = { ...parsed, schema: `${parsed.schema}_${space}` };
  const started = await start(address);
  const counts = hold === 'alone' ? { reads: 1, commits: 1 } : connections;
  const engine = new PostgresEngine(address, { counts, hold, onFatal }, started);
  try {
    if (hold === 'alone') await engine.haveAlone();
    return storeOnEngine(engine, clock);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface Started {
  readonly isSynced: boolean;
  readonly version: number;
  readonly facts: ClusterFacts;
}

async function start(address: Address): Promise<Started> {
  const connection = await Connection.open(address, startLimits);
  try {
    assertAgreement(address, await readClusterFacts(connection, address.schema));
    await prepareSchema(connection, address);
    const facts = await readClusterFacts(connection, address.schema);
    // Another node may have made the tables meanwhile.
    assertAgreement(address, facts);
    return { isSynced: connection.isSynced, version: await readVersion(connection, address), facts };
  } catch (error) {
    if (!isServerError(error) && !(error instanceof SessionLost)) throw error;
    throw new Unavailable('the tables of the store cannot be made or read', { cause: describeError(error) });
  } finally {
    await connection.end();
  }
}

function assertAgreement(address: Address, facts: ClusterFacts): void {
  const mistake = contradiction(address, facts);
  if (mistake !== undefined) throw new Unavailable(mistake);
}

async function readVersion(connection: Connection, { schema }: Address): Promise<number> {
  const { rows } = await connection.send<readonly [number]>({ text: versionSql(schema) });
  return Number(rows[0]?.[0]);
}

interface Use {
  readonly counts: ConnectionCounts;
  readonly hold: Hold;
  readonly onFatal: (error: Error) => void;
}

class PostgresEngine implements Engine {
  readonly kind = 'postgres';
  readonly groupsAtOnce: number;
  readonly scopesOfGroupMax: number;
  readonly #address: Address;
  readonly #reads: ReadConnections;
  readonly #commits: CommitConnections;
  readonly #reader: PostgresReader;
  readonly #writer: PostgresWriter;
  #isSynced: boolean;
  #version: number;
  /** What the data has to be for the next connection; undefined until it is had alone. */
  #expected: number | undefined;

  constructor(address: Address, { counts, hold, onFatal }: Use, { isSynced, version, facts }: Started) {
    const { reads, commits } = counts;
    const statements = new Statements(address.schema);
    const isDistributed = facts.tables === 'distributed';
    const onOther = (change: string) => onFatal(new Error(change));
    const open = (limits: TimeLimits) =>
      openHeld(address, limits, { hold, version: this.#expected, isDistributed, onOther });
    this.#address = address;
    this.#version = version;
    this.#expected = hold === 'alone' ? undefined : version;
    this.groupsAtOnce = commits;
    this.scopesOfGroupMax = isDistributed ? 1 : scopesOfTransactionMax;
    this.#isSynced = isSynced;
    // Of who has the data alone, the session that writes does.
    const openRead = () => (hold === 'alone' ? Connection.open(address, readLimits) : open(readLimits));
    this.#reads = new ReadConnections(reads, openRead);
    this.#commits = new CommitConnections(commits, () => open(commitLimits));
    this.#reader = new PostgresReader(this.#reads, statements);
    this.#writer = new PostgresWriter(this.#commits, statements);
  }

  /** `none` if the server is configured not to sync its files: it loses answered commits when it loses power. */
  get synchronous(): Health['synchronous'] {
    return this.#isSynced ? 'full' : 'none';
  }

  get(scope: ScopeName, keys: readonly Key[], now: number): Promise<readonly (Item | undefined)[]> {
    return this.#reader.get(scope, keys, now);
  }

  range(scope: ScopeName, read: BoundedRead, now: number): Promise<readonly Item[]> {
    return this.#reader.range(scope, read, now);
  }

  follow(scope: ScopeName, read: BoundedRead, now: number): Promise<readonly Followed[]> {
    return this.#reader.follow(scope, read, now);
  }

  count(scope: ScopeName, read: BoundedRead, now: number): Promise<number> {
    return this.#reader.count(scope, read, now);
  }

  runGroup(members: readonly Member[], now: number): Promise<readonly MemberAnswer[]> {
    return this.#writer.run(members, now);
  }

  scopes(after: ScopeName | undefined, limit: number): Promise<readonly ScopeHead[]> {
    return this.#reader.scopes(after, limit);
  }

  scan(scope: ScopeName, after: Key | undefined, limit: number): Promise<readonly Item[]> {
    return this.#reader.scan(scope, after, limit);
  }

  due(queue: Queue, before: number, limit: number): Promise<readonly DueItem[]> {
    return this.#reader.due(queue, before, limit);
  }

  /** Rejects where other nodes go on working on the data. */
  async haveAlone(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        // Who had it before has made of it what it is now.
        this.#version = await this.#commits.use((connection) => readVersion(connection, this.#address));
        this.#expected = this.#version;
        return;
      } catch (error) {
        if (!(error instanceof DataHeld) || tries === triesToHaveAlone) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  dataVersion(): number {
    return this.#version;
  }

  async setDataVersion(version: number): Promise<void> {
    const text = `update "${this.#address.schema}".schema_version set version = ${version}`;
    await this.#commits.use((connection) => connection.send({ text }));
    this.#version = version;
    this.#expected = version;
  }

  async isHealthy(): Promise<boolean> {
    try {
      const server = await this.#reader.server();
      this.#isSynced = server.isSynced;
      return server.isWriter && server.isWaitedFor;
    } catch (error) {
      if (error instanceof Unavailable) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#commits.close()]);
  }
}
