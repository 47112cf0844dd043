import { CommitConnections } from '../connections/commit-connections.ts';
import type { Connection } from '../connections/connection.ts';
import { ReadConnections } from '../connections/read-connections.ts';
import type { ConnectionCounts } from './lanes.ts';
import type { ServerPlace } from './open-on-server.ts';
import type { ServerWatch } from './server-watch.ts';

/** Without a place, to the server that the address names. */
export interface ServerOpeners {
  readonly read: (place?: ServerPlace) => Promise<Connection>;
  readonly commit: (place?: ServerPlace) => Promise<Connection>;
}

/** The connections for the scopes of one server. */
export class ServerLane {
  readonly reads: ReadConnections;
  readonly commits: CommitConnections;
  /** Where the connections lead; undefined is to the server of the address, which asks the other. */
  readonly place: ServerPlace | undefined;
  readonly #watch: () => ServerWatch | undefined;
  #underWay = 0;
  #isRetired = false;

  constructor(
    { reads, commits }: ConnectionCounts,
    open: ServerOpeners,
    { place, watch }: { readonly place: ServerPlace | undefined; readonly watch: () => ServerWatch | undefined },
  ) {
    const isDown = () => watch()?.isDown === true;
    this.reads = new ReadConnections(reads, () => open.read(place), isDown);
    this.commits = new CommitConnections(commits, () => open.commit(place));
    this.place = place;
    this.#watch = watch;
  }

  /** @throws Unavailable at once where the server is known to be down. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#watch()?.assertUp();
    this.#underWay++;
    try {
      const answer = await work();
      // What another way brought says nothing of this one.
      if (this.#watch()?.place === this.place) this.#watch()?.hear();
      return answer;
    } finally {
      this.#underWay--;
      this.#closeIfUnused();
    }
  }

  /** Another lane takes its place: it closes when what is under way has ended. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  async close(): Promise<void> {
    await Promise.all([this.reads.close(), this.commits.close()]);
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#underWay === 0) void this.close();
  }
}
