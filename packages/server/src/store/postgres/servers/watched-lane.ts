import type { ScopeName } from '../../port.ts';
import type { Connection, Value } from '../connections/connection.ts';
import type { Statement } from '../statements.ts';
import type { ConnectionCounts, Lanes, Openers } from './lanes.ts';
import { ServerLane } from './server-lane.ts';
import { ServerWatch } from './server-watch.ts';

export interface WatchedLaneParts {
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
export class WatchedLane implements Lanes {
  readonly #lane: ServerLane;
  readonly #watch: ServerWatch;
  readonly #timer: NodeJS.Timeout;
  #asking: Promise<void> | undefined;
  /** Whether the last question was waited for in vain. */
  #isHung = false;

  constructor(counts: ConnectionCounts, { schema, open }: WatchedLaneParts) {
    const server = { scope: 'probe', name: 'server', host: '', port: 0, isEntry: true };
    // What is under way ends with its sessions. A commit among it may have been stored.
    const tell = ({ state }: { readonly state: string }) => void (state === 'down' && this.#lane.close());
    this.#watch = new ServerWatch(server, { schema, open: open.probe, tell });
    this.#lane = new ServerLane(counts, open, { place: undefined, watch: () => this.#watch });
    this.#timer = setInterval(() => void this.#ask(), askMilliseconds);
    this.#timer.unref();
  }

  async read<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    await this.#askWhereDown();
    return this.#lane.use(() => this.#lane.reads.read(statement, values));
  }

  async commit<T>(_: ScopeName | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#askWhereDown();
    return this.#lane.use(() => this.#lane.commits.use((connection) => this.#lane.use(() => work(connection))));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    await Promise.all([this.#watch.close(), this.#lane.close()]);
  }

  /** A server that refuses at once is asked again for each call, so that it is used as soon as it is back. */
  async #askWhereDown(): Promise<void> {
    if (!this.#watch.isDown || this.#isHung) return;
    await this.#asking;
    if (this.#watch.isDown) await this.#ask();
  }

  #ask(): Promise<void> {
    const begun = performance.now();
    this.#asking ??= this.#watch.ask(false).finally(() => {
      this.#asking = undefined;
      this.#isHung = this.#watch.isDown && performance.now() - begun > hungMilliseconds;
    });
    return this.#asking;
  }
}
