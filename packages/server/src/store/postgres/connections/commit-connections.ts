import type { Connection } from './connection.ts';
import { ConnectionSlot } from './connection-slot.ts';

/** Connections for transactions, one transaction each at a time. */
export class CommitConnections {
  readonly #slots: readonly ConnectionSlot[];
  /** The last one used is used first, so that no more are opened than are needed at once. */
  readonly #free: ConnectionSlot[];

  constructor(count: number, open: () => Promise<Connection>) {
    this.#slots = Array.from({ length: count }, () => new ConnectionSlot(open));
    this.#free = [...this.#slots];
  }

  /** INVARIANT: no more than `count` at once; who calls sees to it. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const slot = this.#free.pop();
    if (slot === undefined) throw new Error('more transactions at once than connections');
    try {
      return await work(await slot.connection());
    } finally {
      this.#free.push(slot);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }
}
