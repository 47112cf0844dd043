import type { Lane } from '../../committing/group-committer.ts';
import type { Health, ScopeName } from '../../port.ts';
import { CommitConnections } from '../connections/commit-connections.ts';
import type { Connection, Value } from '../connections/connection.ts';
import { ReadConnections } from '../connections/read-connections.ts';
import type { Statement } from '../statements.ts';

/** How the statements of a store come to its server, or to its servers. */
export interface Lanes {
  /** The first value of a statement of one scope names the scope. */
  read<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>;
  /** Has a connection for a transaction on one scope, or on several where there is one server. */
  commit<T>(scope: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  /** Where there are several servers: the group of servers that keeps the scope, as far as it is known. */
  laneOf?(scope: ScopeName): Lane;
  readonly servers?: Health['servers'];
  /** Whether every server that answers keeps what it has acknowledged. */
  readonly areSafe?: boolean;
  /** The first that are due, of the servers that answer; undefined where all of them do, and one statement is enough. */
  dueOfThoseUp?<Row extends readonly unknown[]>(values: readonly Value[]): Promise<readonly Row[]> | undefined;
}

/** How many connections a store opens at most to each server. `commits` is also how many transactions there are at once. */
export interface ConnectionCounts {
  readonly reads: number;
  readonly commits: number;
}

export interface Openers {
  readonly read: () => Promise<Connection>;
  readonly commit: () => Promise<Connection>;
}

/** One server for everything. */
export class SingleLane implements Lanes {
  readonly #reads: ReadConnections;
  readonly #commits: CommitConnections;

  constructor({ reads, commits }: ConnectionCounts, open: Openers) {
    this.#reads = new ReadConnections(reads, open.read);
    this.#commits = new CommitConnections(commits, open.commit);
  }

  read<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#reads.read(statement, values);
  }

  commit<T>(_: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#commits.use(work);
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#commits.close()]);
  }
}
