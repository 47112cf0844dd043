import type { Connection } from './connection.ts';
import { ConnectionSlot } from './connection-slot.ts';

/** Connections for transactions, one transaction each at a time. */
export class CommitConnections {
  readonly #slots: readonly ConnectionSlot[];
  /** The last one used is used first, so that no more are opened than are needed at once. */
  readonly #free: ConnectionSlot[];
  readonly #waiting: ((slot: ConnectionSlot) => void)[] = [];

  constructor(count: number, open: () => Promise<Connection>) {
    this.#slots = Array.from({ length: count }, () => new ConnectionSlot(open));
    this.#free = [...this.#slots];
  }

  /** The committer sees to it that hardly more than `count` come at once; the others wait for their turn. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const slot = this.#free.pop() ?? (await new Promise<ConnectionSlot>((resolve) => this.#waiting.push(resolve)));
    try {
      return await work(await slot.connection());
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(slot);
      else next(slot);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }
}
