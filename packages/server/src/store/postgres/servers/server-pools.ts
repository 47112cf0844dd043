import type { ServerGroup } from '../../committing/group-committer.ts';
import type { Health, ScopeName } from '../../port.ts';
import type { Connection, Value } from '../connections/connection.ts';
import { CommitConnections, ReadConnections } from '../connections/pools.ts';
import type { ServerIdentity } from '../hold-data.ts';
import type { SqlStatement } from '../statements.ts';
import { ServerWatch } from './server-watch.ts';

/** The way the statements of a store come to its server, or to its servers. */
export interface ServerPools {
  /** The first value of a statement of one scope names the scope. */
  read<Row extends readonly unknown[]>(statement: SqlStatement, values: readonly Value[]): Promise<readonly Row[]>;
  /** Has a connection for a transaction on one scope, or on several where there is one server. */
  commit<T>(scope: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Has a connection for a long read of one scope, on which nothing else waits behind it.
   * @param signal ends the waiting for one.
   */
  long<T>(scope: ScopeName, work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
  /** Given where there are several servers: the group of servers that keeps the scope, as far as it is known. */
  shareKeyOf?(scope: ScopeName): ServerGroup;
  readonly servers?: Health['servers'];
  /** Whether every server that answers keeps what it has acknowledged. */
  readonly areSafe?: boolean;
  /** The first that are due, of the servers that answer; undefined where all of them do, and one statement is enough. */
  dueOfThoseUp?<Row extends readonly unknown[]>(values: readonly Value[]): Promise<readonly Row[]> | undefined;
}

/** The most connections of a store to each server. `commits` is also how many transactions there are at once. */
export interface ConnectionCounts {
  readonly reads: number;
  readonly commits: number;
}

/** So many long reads there are at once of the scopes of a server. */
const longReadsMax = 2;

interface Openers {
  readonly read: () => Promise<Connection>;
  readonly long: () => Promise<Connection>;
  readonly commit: () => Promise<Connection>;
}

/** One server for everything. */
export class SinglePool implements ServerPools {
  readonly #reads: ReadConnections;
  readonly #commits: CommitConnections;
  readonly #longReads: CommitConnections;

  constructor({ reads, commits }: ConnectionCounts, open: Openers) {
    this.#reads = new ReadConnections(reads, open.read);
    this.#longReads = new CommitConnections(1, open.long);
    this.#commits = new CommitConnections(commits, open.commit);
  }

  read<Row extends readonly unknown[]>(statement: SqlStatement, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#reads.read(statement, values);
  }

  commit<T>(_: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#commits.use(work);
  }

  long<T>(_: ScopeName, work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#longReads.use(work, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#commits.close(), this.#longReads.close()]);
  }
}

/** Without a place, to the server that the address names. */
export interface ServerOpeners {
  readonly read: (place?: ServerIdentity) => Promise<Connection>;
  readonly long: (place?: ServerIdentity) => Promise<Connection>;
  readonly commit: (place?: ServerIdentity) => Promise<Connection>;
}

/** The connections for the scopes of one server. */
export class ServerPool {
  readonly reads: ReadConnections;
  readonly commits: CommitConnections;
  readonly longReads: CommitConnections;
  /** The server that the connections lead to; undefined is the server of the address, which asks the other. */
  readonly place: ServerIdentity | undefined;
  readonly #watch: () => ServerWatch | undefined;
  #underWay = 0;
  #isRetired = false;

  constructor(
    { reads, commits }: ConnectionCounts,
    open: ServerOpeners,
    { place, watch }: { readonly place: ServerIdentity | undefined; readonly watch: () => ServerWatch | undefined },
  ) {
    const isDown = () => watch()?.isDown === true;
    this.reads = new ReadConnections(reads, () => open.read(place), isDown);
    this.commits = new CommitConnections(commits, () => open.commit(place));
    this.longReads = new CommitConnections(longReadsMax, () => open.long(place));
    this.place = place;
    this.#watch = watch;
  }

  /** @throws Unavailable at once where the server is known to be down. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#watch()?.assertUp();
    this.#underWay++;
    try {
      const answer = await work();
      // An answer over another way proves nothing about this one.
      if (this.#watch()?.place === this.place) this.#watch()?.hear();
      return answer;
    } finally {
      this.#underWay--;
      this.#closeIfUnused();
    }
  }

  long<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.use(() => this.longReads.use((connection) => this.use(() => work(connection)), signal));
  }

  /** Another pool takes its place: it closes when its pending work has ended. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  async close(): Promise<void> {
    await Promise.all([this.reads.close(), this.commits.close(), this.longReads.close()]);
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#underWay === 0) void this.close();
  }
}

interface WatchedPoolDeps {
  readonly schema: string;
  readonly open: Openers & { readonly probe: () => Promise<Connection> };
}

/** Between two questions to the server. */
const askMilliseconds = 1000;

/** A server that has not refused a question by then hangs: a question has 2 s. */
const hungMilliseconds = 1500;

/**
 * One server for everything, which is asked each second whether it answers, as those of a cluster are: a server that
 * hangs refuses nothing, and would keep each call waiting for as long as a slow statement may take.
 */
export class WatchedPool implements ServerPools {
  readonly #pool: ServerPool;
  readonly #watch: ServerWatch;
  readonly #timer: NodeJS.Timeout;
  #pending: Promise<void> | undefined;
  /** Whether the last question was waited for in vain. */
  #isHung = false;

  constructor(counts: ConnectionCounts, { schema, open }: WatchedPoolDeps) {
    const server = { scope: 'probe', name: 'server', host: '', port: 0, isEntry: true };
    // Calls under way end with their sessions. A commit among them may have been stored.
    const onChange = ({ state }: { readonly state: string }) => void (state === 'down' && this.#pool.close());
    this.#watch = new ServerWatch(server, { schema, open: open.probe, onChange });
    this.#pool = new ServerPool(counts, open, { place: undefined, watch: () => this.#watch });
    this.#timer = setInterval(() => void this.#ask(), askMilliseconds);
    this.#timer.unref();
  }

  async read<Row extends readonly unknown[]>(
    statement: SqlStatement,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    await this.#askWhereDown();
    return this.#pool.use(() => this.#pool.reads.read(statement, values));
  }

  async commit<T>(_: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#askWhereDown();
    return this.#pool.use(() => this.#pool.commits.use((connection) => this.#pool.use(() => work(connection))));
  }

  async long<T>(_: ScopeName, work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#askWhereDown();
    return this.#pool.long(work, signal);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pending;
    await Promise.all([this.#watch.close(), this.#pool.close()]);
  }

  /** A server that refuses at once is asked again for each call, so that it is used as soon as it is back. */
  async #askWhereDown(): Promise<void> {
    if (!this.#watch.isDown || this.#isHung) return;
    await this.#pending;
    if (this.#watch.isDown) await this.#ask();
  }

  #ask(): Promise<void> {
    const startedAt = performance.now();
    this.#pending ??= this.#watch.ask(false).finally(() => {
      this.#pending = undefined;
      this.#isHung = this.#watch.isDown && performance.now() - startedAt > hungMilliseconds;
    });
    return this.#pending;
  }
}
