import type { Lane } from '../../committing/group-committer.ts';
import type { Health, ScopeName, ServerChange } from '../../port.ts';
import { CommitConnections } from '../connections/commit-connections.ts';
import type { Connection, Value } from '../connections/connection.ts';
import { ReadConnections } from '../connections/read-connections.ts';
import { isAcrossScopes, isOfTheServer, type Statement } from '../statements.ts';
import { dueOnServersSql, type ServerRow, serversStatement } from './cluster-statements.ts';
import type { ConnectionCounts, Lanes } from './lanes.ts';
import type { ServerPlace } from './open-on-server.ts';
import { ScopeServers } from './scope-servers.ts';
import { ServerLane, type ServerOpeners } from './server-lane.ts';
import { ServerWatch } from './server-watch.ts';

interface ClusterOpeners extends ServerOpeners {
  /** For statements that ask every server. */
  readonly across: () => Promise<Connection>;
  readonly probe: (place?: ServerPlace) => Promise<Connection>;
}

export interface ClusterLanesParts {
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
export class ClusterLanes implements Lanes {
  readonly #parts: ClusterLanesParts;
  readonly #counts: ConnectionCounts;
  readonly #byGroup = new Map<number, ServerLane>();
  readonly #watches = new Map<number, ServerWatch>();
  readonly #entry: ReadConnections;
  readonly #entryCommits: CommitConnections;
  readonly #across: ReadConnections;
  readonly #servers: ScopeServers;
  readonly #timer: NodeJS.Timeout;
  #round = 0;
  #asking: Promise<void> | undefined;

  constructor(counts: ConnectionCounts, parts: ClusterLanesParts) {
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
    await this.#asking;
  }

  async read<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    if (isOfTheServer(statement)) return this.#entry.read(statement, values);
    if (isAcrossScopes(statement)) return this.#across.read(statement, values);
    const lane = await this.#laneFor(String(values[0]));
    return lane.use(() => lane.reads.read(statement, values));
  }

  async commit<T>(scope: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (scope === undefined) return this.#entryCommits.use(work);
    const lane = await this.#laneFor(scope);
    // It may have gone down while the transaction waited for a connection.
    return lane.use(() => lane.commits.use((connection) => lane.use(() => work(connection))));
  }

  laneOf(scope: ScopeName): Lane {
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
    await this.#asking;
    await Promise.all([
      ...[this.#entry, this.#entryCommits, this.#across, ...this.#watches.values()].map((one) => one.close()),
      ...this.#byGroup.values().map((lane) => lane.close()),
    ]);
  }

  async #laneFor(scope: ScopeName): Promise<ServerLane> {
    const group = await this.#servers.of(scope);
    const watch = () => this.#watches.get(group);
    const place = watch()?.place;
    const known = this.#byGroup.get(group);
    if (known !== undefined && known.place === place) return known;
    known?.retire();
    const made = new ServerLane(this.#counts, this.#parts.open, { place, watch });
    this.#byGroup.set(group, made);
    return made;
  }

  #ask(): void {
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
  }

  async #askAll(): Promise<void> {
    // Where the server that the store is connected to is away, nothing is known of the others.
    const isSurvey = this.#round++ % rounds === 0;
    if (isSurvey) await this.#survey().catch(() => undefined);
    await Promise.all(this.#watches.values().map((watch) => watch.ask(isSurvey)));
  }

  /** Which servers there are. */
  async #survey(): Promise<void> {
    const { schema, open, onServer } = this.#parts;
    const rows = await this.#entry.read<ServerRow>(serversStatement(schema), []);
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
          new ServerWatch({ scope, name, host, port, isEntry }, { schema, open: open.probe, tell: onServer }),
        );
  }
}
