import type { ServerGroup } from '../../committing/group-committer.ts';
import type { Health, ScopeName, ServerChange } from '../../port.ts';
import type { Connection, Value } from '../connections/connection.ts';
import { CommitConnections, ReadConnections } from '../connections/pools.ts';
import type { ServerIdentity } from '../hold-data.ts';
import { isAcrossScopes, isOfTheServer, type SqlStatement } from '../statements.ts';
import { dueOnServersSql, type ScopeServerRow, serversStatement } from './cluster.ts';
import { type ConnectionCounts, type ServerOpeners, ServerPool, type ServerPools } from './server-pools.ts';
import { ServerWatch } from './server-watch.ts';

interface ClusterOpeners extends ServerOpeners {
  /** For statements that ask every server. */
  readonly across: () => Promise<Connection>;
  readonly probe: (place?: ServerIdentity) => Promise<Connection>;
}

interface ClusterPoolsDeps {
  readonly schema: string;
  readonly open: ClusterOpeners;
  readonly onServer: (change: ServerChange) => void;
}

/** Between two questions to a server. */
const askMilliseconds = 1000;

/** Servers that came or went are noticed after so many questions. */
const rounds = 30;

/** Connections for statements of all scopes: they wait for the slowest server, and must not keep a request waiting. */
const acrossCount = 2;

/**
 * Connections of their own for the scopes of each server of a cluster, so that a server which hangs keeps only its own
 * scopes waiting. They lead to that server itself where the node reaches it, and else to the server of the address; any
 * server answers for any scope. What no worker has to answer has connections of its own, too.
 */
export class ClusterPools implements ServerPools {
  readonly #parts: ClusterPoolsDeps;
  readonly #counts: ConnectionCounts;
  readonly #byGroup = new Map<number, ServerPool>();
  readonly #watches = new Map<number, ServerWatch>();
  readonly #entry: ReadConnections;
  readonly #entryCommits: CommitConnections;
  readonly #across: ReadConnections;
  readonly #servers: ScopeServers;
  readonly #timer: NodeJS.Timeout;
  #round = 0;
  #pending: Promise<void> | undefined;

  constructor(counts: ConnectionCounts, parts: ClusterPoolsDeps) {
    const { open, schema } = parts;
    this.#parts = parts;
    this.#counts = counts;
    this.#entry = new ReadConnections(1, () => open.read());
    this.#entryCommits = new CommitConnections(1, () => open.commit());
    this.#across = new ReadConnections(acrossCount, open.across);
    this.#servers = new ScopeServers(this.#entry, schema);
    this.#timer = setInterval(() => this.#ask(), askMilliseconds);
    this.#timer.unref();
  }

  /** Ends when every server was asked for the first time. */
  async begin(): Promise<void> {
    this.#ask();
    await this.#pending;
  }

  async read<Row extends readonly unknown[]>(
    statement: SqlStatement,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    if (isOfTheServer(statement)) return this.#entry.read(statement, values);
    if (isAcrossScopes(statement)) return this.#across.read(statement, values);
    const pool = await this.#poolFor(String(values[0]));
    return pool.use(() => pool.reads.read(statement, values));
  }

  async commit<T>(scope: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (scope === undefined) return this.#entryCommits.use(work);
    const pool = await this.#poolFor(scope);
    // It may have gone down while the transaction waited for a connection.
    return pool.use(() => pool.commits.use((connection) => pool.use(() => work(connection))));
  }

  async long<T>(scope: ScopeName, work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const pool = await this.#poolFor(scope);
    return pool.long(work, signal);
  }

  shareKeyOf(scope: ScopeName): ServerGroup {
    return this.#servers.known(scope);
  }

  get servers(): NonNullable<Health['servers']> {
    const watches = [...this.#watches.values()];
    return {
      all: watches.length,
      down: watches.filter(({ isDown }) => isDown).length,
      relayed: watches.filter(({ isDown, isRelayed }) => isRelayed && !isDown).length,
    };
  }

  get areSafe(): boolean {
    return this.#watches.values().every(({ isSafe }) => isSafe);
  }

  /** A statement of all scopes fails where one server does: then those that answer are asked one by one. */
  dueOfThoseUp<Row extends readonly unknown[]>(values: readonly Value[]): Promise<readonly Row[]> | undefined {
    const up = [...this.#watches].filter(([, { isDown }]) => !isDown);
    if (up.length === this.#watches.size) return undefined;
    return this.#across.read(dueOnServersSql(this.#parts.schema), [up.map(([group]) => group), ...values]);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pending;
    await Promise.all([
      ...[this.#entry, this.#entryCommits, this.#across, ...this.#watches.values()].map((one) => one.close()),
      ...this.#byGroup.values().map((pool) => pool.close()),
    ]);
  }

  async #poolFor(scope: ScopeName): Promise<ServerPool> {
    const group = await this.#servers.of(scope);
    const watch = () => this.#watches.get(group);
    const place = watch()?.place;
    const known = this.#byGroup.get(group);
    if (known !== undefined && known.place === place) return known;
    known?.retire();
    const made = new ServerPool(this.#counts, this.#parts.open, { place, watch });
    this.#byGroup.set(group, made);
    return made;
  }

  #ask(): void {
    this.#pending ??= this.#askAll().finally(() => {
      this.#pending = undefined;
    });
  }

  async #askAll(): Promise<void> {
    // If the server that the store is connected to is away, nothing is known of the others.
    const isSurvey = this.#round++ % rounds === 0;
    if (isSurvey) await this.#survey().catch(() => undefined);
    await Promise.all(this.#watches.values().map((watch) => watch.ask(isSurvey)));
  }

  /** Which servers there are. */
  async #survey(): Promise<void> {
    const { schema, open, onServer } = this.#parts;
    const rows = await this.#entry.read<ScopeServerRow>(serversStatement(schema), []);
    for (const [group, watch] of [...this.#watches]) {
      // A server that took the place of another has another name.
      if (rows.some(([there, , name]) => there === group && name === watch.name)) continue;
      this.#watches.delete(group);
      await watch.close();
    }
    for (const [group, scope, name, host, port, isEntry] of rows)
      if (!this.#watches.has(group))
        this.#watches.set(
          group,
          new ServerWatch({ scope, name, host, port, isEntry }, { schema, open: open.probe, onChange: onServer }),
        );
  }
}

/** About 12 MB at most. */
const knownMax = 100_000;

const forgetMilliseconds = 60_000;

/**
 * Which group of servers keeps a scope, by the cluster's own lists: no worker is asked. Used to keep servers apart from
 * each other, never to find data: what is known of a scope that has moved is wrong for a minute at most, and harmless.
 */
class ScopeServers {
  readonly #connections: ReadConnections;
  readonly #placeOf: SqlStatement;
  readonly #known = new Map<ScopeName, number>();
  #pending: Promise<void> | undefined;
  #toAsk = new Set<ScopeName>();
  #forgetAt = 0;

  constructor(connections: ReadConnections, schema: string) {
    this.#connections = connections;
    this.#placeOf = placeStatement(schema);
  }

  known(scope: ScopeName): number | undefined {
    return this.#known.get(scope);
  }

  /** Rejects with `Unavailable` where the server that the store is connected to does not answer. */
  async of(scope: ScopeName): Promise<number> {
    for (;;) {
      const known = this.#known.get(scope);
      if (known !== undefined) return known;
      this.#toAsk.add(scope);
      this.#pending ??= Promise.resolve().then(() => this.#ask());
      await this.#pending;
    }
  }

  /** All that were asked for in one turn, in one statement. */
  async #ask(): Promise<void> {
    const scopes = [...this.#toAsk];
    this.#toAsk = new Set();
    this.#pending = undefined;
    const rows = await this.#connections.read<readonly [ScopeName, number]>(this.#placeOf, [scopes]);
    if (performance.now() > this.#forgetAt || this.#known.size + rows.length > knownMax) {
      this.#known.clear();
      this.#forgetAt = performance.now() + forgetMilliseconds;
    }
    for (const [scope, group] of rows) this.#known.set(scope, group);
  }
}

/** A group for every scope: 0, the coordinator's, where the lists name none. */
function placeStatement(schema: string): SqlStatement {
  return {
    name: 'place',
    text: `select scope, coalesce((select groupid from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope) order by groupid limit 1), 0)
      from unnest($1::text[]) as scope`.replaceAll(/\s+/g, ' '),
  };
}
