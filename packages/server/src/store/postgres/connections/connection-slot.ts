import type { Connection } from './connection.ts';

/** A place for one connection, opened when it is first needed and again when it was lost. */
export class ConnectionSlot {
  readonly #open: () => Promise<Connection>;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  async connection(): Promise<Connection> {
    if (this.#connection?.isOpen === true) return this.#connection;
    this.#opening ??= this.#reopen();
    return this.#opening;
  }

  async close(): Promise<void> {
    const connection = await this.#opening?.catch(() => undefined);
    await (connection ?? this.#connection)?.end();
  }

  async #reopen(): Promise<Connection> {
    try {
      this.#connection = await this.#open();
      return this.#connection;
    } finally {
      this.#opening = undefined;
    }
  }
}
