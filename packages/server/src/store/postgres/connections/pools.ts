import { Unavailable } from '../../port.ts';
import type { SqlStatement } from '../statements.ts';
import type { Connection, Value } from './connection.ts';
import { describeError, endsSession, isServerError, SessionLost } from './postgres-error.ts';

/** Beyond it a read is refused: a server that is so far behind only gets further behind. */
const waitingMax = 2048;

/** A few connections that all reads share: each sends its statement at once, behind those that are under way. */
export class ReadConnections {
  readonly #connections: readonly ConnectionUse[];
  readonly #isDown: () => boolean;

  /** @param isDown whether asking again is in vain, as the server behind is known not to answer. */
  constructor(count: number, open: () => Promise<Connection>, isDown = () => false) {
    this.#isDown = isDown;
    this.#connections = Array.from({ length: count }, () => ({ slot: new ConnectionSlot(open), underWay: 0 }));
  }

  /** A read changes nothing, so a read that was lost with its connection is sent again on another. */
  async read<Row extends readonly unknown[]>(
    statement: SqlStatement,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.#ask(statement, values);
      } catch (error) {
        if (isFirst && endsSession(error) && !this.#isDown()) continue;
        if (!isServerError(error) && !(error instanceof SessionLost)) throw error;
        throw new Unavailable('the store cannot be read', { cause: describeError(error) });
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map(({ slot }) => slot.close()));
  }

  async #ask<Row extends readonly unknown[]>(
    statement: SqlStatement,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    const idlest = this.#idlest();
    if (idlest.underWay >= waitingMax) throw new Unavailable('too many reads are waiting');
    idlest.underWay++;
    try {
      const connection = await idlest.slot.connection();
      return (await connection.send<Row>(statement, values)).rows;
    } finally {
      idlest.underWay--;
    }
  }

  #idlest(): ConnectionUse {
    return this.#connections.reduce((idlest, connection) =>
      connection.underWay < idlest.underWay ? connection : idlest,
    );
  }
}

interface ConnectionUse {
  readonly slot: ConnectionSlot;
  underWay: number;
}

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

  /**
   * The committer sees to it that hardly more than `count` come at once; the others wait for their turn.
   * @param signal ends the waiting with its reason, and nothing that is under way.
   */
  async use<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const slot = this.#free.pop() ?? (await this.#turn(signal));
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

  #turn(signal: AbortSignal | undefined): Promise<ConnectionSlot> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const take = (slot: ConnectionSlot): void => {
        signal?.removeEventListener('abort', leave);
        resolve(slot);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }
}

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
