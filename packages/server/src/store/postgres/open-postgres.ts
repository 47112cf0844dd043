import type { Clock } from '../../lib/clock.ts';
import type { GroupMember } from '../committing/apply-group.ts';
import type { MemberAnswer, ServerGroup } from '../committing/group-committer.ts';
import { type BoundedMeasure, type BoundedRead, type BoundedSelect, type Engine, storeOnEngine } from '../engine.ts';
import {
  type DueItem,
  type FollowedEntry,
  type Health,
  type Item,
  type Key,
  type Measured,
  type OpenedStore,
  type Queue,
  type ScopeHead,
  type ScopeName,
  type Selected,
  type ServerChange,
  Unavailable,
} from '../port.ts';
import { type Address, parseAddress } from './address.ts';
import { Connection, type StatementTimeLimits, useLongReadSettings } from './connections/connection.ts';
import { describeError, isServerError, SessionLost } from './connections/postgres-error.ts';
import {
  DataHeld,
  type Hold,
  holdElsewhere,
  openHeld,
  openOnServer,
  type ServerIdentity,
  versionSql,
} from './hold-data.ts';
import { LongReads } from './query/long-reads.ts';
import { PostgresReader, type Server } from './reader.ts';
import { prepareSchema } from './schema.ts';
import { type ClusterFacts, contradiction, readClusterFacts } from './servers/cluster.ts';
import { ClusterPools } from './servers/cluster-pools.ts';
import { type Placement, placementOf, refuseWorker } from './servers/distribution.ts';
import { type ConnectionCounts, type ServerPools, SinglePool, WatchedPool } from './servers/server-pools.ts';
import { SqlStatements } from './statements.ts';
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
  /** Called when a server of a cluster no longer answers, answers again, or may lose what it has acknowledged. */
  readonly onServer?: ((change: ServerChange) => void) | undefined;
}

const defaultCounts: ConnectionCounts = { reads: 2, commits: 8 };

/** In milliseconds, where the address does not say otherwise. */
const readTimeout = 10_000;

/** On a cluster, whose servers end by their limits alone what hangs: within 5 s. */
const clusterTimeout = 4000;

/** A statement of a long read looks at no more than should take a tenth of a second. */
const longTimeout = 3000;

/** For a server that cannot even say that its time is over. */
const grace = 500;

const lockTimeout = 10_000;

/** A node that stops in the middle of a group keeps the scope from others for as long as `lock`. */
const commitLimits: StatementTimeLimits = { statement: 10_000, lock: lockTimeout, grace };

/** Of a node that has the data alone, which answers no calls. */
const aloneLimits: StatementTimeLimits = { statement: 30_000, lock: lockTimeout };

/** For statements of all scopes, on a cluster. */
const acrossLimits: StatementTimeLimits = { statement: 10_000, lock: lockTimeout, grace };

const probeLimits: StatementTimeLimits = { statement: 2000, lock: 1000, grace: 200 };

/**
 * Scopes that commit at once share a transaction, which costs half of one each. With more, fewer transactions are under
 * way beside each other, and scopes hold each other up for longer. Scopes that Citus spreads over several servers share
 * none: a transaction over two servers is readable on one of them before it is on the other.
 */
const scopesOfTransactionMax = 8;

/** A node that has just ended is gone by then from the list of the server. */
const triesToHaveAlone = 30;

const startLimits: StatementTimeLimits = { statement: 120_000, lock: 60_000 };

/** A store on PostgreSQL, or on Citus. Any number of processes may have it open. */
export async function openPostgres({
  url,
  space,
  clock,
  connections,
  hold = 'shared',
  onFatal = () => undefined,
  onServer = () => undefined,
}: PostgresOptions): Promise<OpenedStore> {
  const parsed = parseAddress(url);
  const address = { ...parsed, schema: `${parsed.schema}_${space}` };
  const started = await start(address, placementOf(space));
  const counts = hold === 'alone' ? { reads: 1, commits: 1 } : { ...defaultCounts, ...parsed.counts, ...connections };
  const engine = new PostgresEngine(address, { counts, hold, onFatal, onServer }, started);
  try {
    if (hold === 'alone') await engine.haveAlone();
    else await engine.begin();
    return storeOnEngine(engine, clock);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface OpenedCluster {
  readonly isSynced: boolean;
  readonly version: number;
  readonly facts: ClusterFacts;
}

async function start(address: Address, placement: Placement): Promise<OpenedCluster> {
  const connection = await Connection.open(address, startLimits);
  try {
    const before = await readClusterFacts(connection, address.schema);
    assertAgreement(address, before);
    await refuseWorker(connection, before);
    await prepareSchema(connection, address, placement);
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

function faultOf({ isWriter, takesWrites, isWaitedFor, isSynced }: Server): string | undefined {
  if (!isWriter) return 'the PostgreSQL server is a standby, which takes no writes';
  if (!takesWrites) return 'the PostgreSQL server takes no writes: `default_transaction_read_only` is on';
  if (!isWaitedFor) return 'the PostgreSQL server may lose writes: `synchronous_commit` is off';
  return isSynced ? undefined : 'the PostgreSQL server may lose writes: `fsync` or `full_page_writes` is off';
}

function limitsOf(
  { readTimeout: set }: Address,
  isDistributed: boolean,
): Record<'read' | 'long' | 'commit', StatementTimeLimits> {
  const statement = set ?? (isDistributed ? clusterTimeout : readTimeout);
  const read = { statement, lock: isDistributed ? Math.min(statement, lockTimeout) : lockTimeout, grace };
  const long = { ...read, statement: Math.min(statement, longTimeout) };
  return { read, long, commit: isDistributed ? read : commitLimits };
}

interface PostgresDeps {
  readonly counts: ConnectionCounts;
  readonly hold: Hold;
  readonly onFatal: (error: Error) => void;
  readonly onServer: (change: ServerChange) => void;
}

class PostgresEngine implements Engine {
  readonly kind = 'postgres';
  readonly groupsAtOnce: number;
  readonly scopesOfGroupMax: number;
  readonly groupsOfServerMax?: number;
  readonly #address: Address;
  readonly #pools: ServerPools;
  readonly #reader: PostgresReader;
  readonly #longReads: LongReads;
  readonly #writer: PostgresWriter;
  /** Connections that hold the data alone on the other servers of a cluster. */
  #elsewhere: readonly Connection[] = [];
  #isSynced: boolean;
  #fault: string | undefined;
  #version: number;
  /** The data version that the next connection expects; undefined until the data is had alone. */
  #expected: number | undefined;

  constructor(address: Address, use: PostgresDeps, { isSynced, version, facts }: OpenedCluster) {
    const { counts, hold, onFatal } = use;
    const isDistributed = facts.tables === 'distributed';
    const statements = new SqlStatements(address.schema, isDistributed);
    const onOther = (change: string) => onFatal(new Error(change));
    const open = (limits: StatementTimeLimits, place?: ServerIdentity) => {
      const held = { hold, version: this.#expected, isDistributed };
      return place === undefined
        ? openHeld(address, limits, { ...held, onOther })
        : openOnServer(address, limits, held, place);
    };
    this.#address = address;
    this.#version = version;
    this.#expected = hold === 'alone' ? undefined : version;
    this.scopesOfGroupMax = isDistributed ? 1 : scopesOfTransactionMax;
    this.#isSynced = isSynced;
    const limits = limitsOf(address, isDistributed);
    if (isDistributed && hold === 'shared') {
      // A server that hangs has no more than its share, and scopes whose server is not known yet have one of their own.
      this.groupsOfServerMax = counts.commits;
      this.groupsAtOnce = counts.commits * (facts.servers.length + 1);
      this.#pools = new ClusterPools(counts, {
        schema: address.schema,
        open: {
          read: (place) => open(limits.read, place),
          long: async (place) => useLongReadSettings(await open(limits.long, place)),
          commit: (place) => open(limits.commit, place),
          across: () => open(acrossLimits),
          probe: (place) =>
            place === undefined ? Connection.open(address, probeLimits, true) : open(probeLimits, place),
        },
        onServer: use.onServer,
      });
    } else if (hold === 'shared') {
      this.groupsAtOnce = counts.commits;
      this.#pools = new WatchedPool(counts, {
        schema: address.schema,
        open: {
          read: () => open(limits.read),
          long: async () => useLongReadSettings(await open(limits.long)),
          commit: () => open(limits.commit),
          probe: () => Connection.open(address, probeLimits),
        },
      });
    } else {
      this.groupsAtOnce = counts.commits;
      // Of who has the data alone, the session that writes does.
      const read = () => Connection.open(address, aloneLimits, isDistributed);
      this.#pools = new SinglePool(counts, { read, long: read, commit: () => open(aloneLimits) });
    }
    this.#reader = new PostgresReader(this.#pools, statements);
    this.#longReads = new LongReads(this.#pools, address.schema);
    this.#writer = new PostgresWriter(this.#pools, statements);
  }

  /** Ends when it is known which servers there are, and which of them answer. */
  async begin(): Promise<void> {
    if (this.#pools instanceof ClusterPools) await this.#pools.begin();
  }

  serverGroupOf(scope: ScopeName): ServerGroup {
    return this.#pools.shareKeyOf?.(scope);
  }

  get servers(): Health['servers'] {
    return this.#pools.servers;
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

  follow(scope: ScopeName, read: BoundedRead, now: number): Promise<readonly FollowedEntry[]> {
    return this.#reader.follow(scope, read, now);
  }

  count(scope: ScopeName, read: BoundedRead, now: number): Promise<number> {
    return this.#reader.count(scope, read, now);
  }

  select(scope: ScopeName, read: BoundedSelect, now: number): Promise<Selected> {
    return this.#longReads.select(scope, read, now);
  }

  measure(scope: ScopeName, read: BoundedMeasure, now: number): Promise<Measured> {
    return this.#longReads.measure(scope, read, now);
  }

  runGroup(members: readonly GroupMember[], now: number): Promise<readonly MemberAnswer[]> {
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
        // The former holder has made of the data what it is now.
        await this.#pools.commit(undefined, async (connection) => {
          this.#elsewhere = await holdElsewhere(connection, this.#address, startLimits);
          this.#version = await readVersion(connection, this.#address);
        });
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
    await this.#pools.commit(undefined, (connection) => connection.send({ text }));
    this.#version = version;
    this.#expected = version;
  }

  async isHealthy(): Promise<boolean> {
    try {
      const server = await this.#reader.server();
      this.#isSynced = server.isSynced;
      this.#fault =
        faultOf(server) ?? ((this.#pools.areSafe ?? true) ? undefined : 'a server of the store may lose writes');
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.#fault = error.message;
    }
    return this.#fault === undefined;
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  async close(): Promise<void> {
    this.#longReads.close();
    await Promise.all([this.#pools.close(), ...this.#elsewhere.map((connection) => connection.end())]);
  }
}
