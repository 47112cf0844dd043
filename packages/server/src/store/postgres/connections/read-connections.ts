import { Unavailable } from '../../port.ts';
import type { Statement } from '../statements.ts';
import type { Connection, Value } from './connection.ts';
import { ConnectionSlot } from './connection-slot.ts';
import { describeError, endsSession, isServerError, SessionLost } from './postgres-error.ts';

/** Beyond it a read is refused: a server that is so far behind only gets further behind. */
const waitingMax = 2048;

/** A few connections that all reads share: each sends its statement at once, behind those that are under way. */
export class ReadConnections {
  readonly #lanes: readonly Lane[];
  readonly #isDown: () => boolean;

  /** @param isDown whether asking again is in vain, as the server behind is known not to answer. */
  constructor(count: number, open: () => Promise<Connection>, isDown = () => false) {
    this.#isDown = isDown;
    this.#lanes = Array.from({ length: count }, () => ({ slot: new ConnectionSlot(open), underWay: 0 }));
  }

  /** A read changes nothing, so one that was lost with its connection is asked again on another. */
  async read<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
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
    await Promise.all(this.#lanes.map(({ slot }) => slot.close()));
  }

  async #ask<Row extends readonly unknown[]>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const lane = this.#idlest();
    if (lane.underWay >= waitingMax) throw new Unavailable('too many reads are waiting');
    lane.underWay++;
    try {
      const connection = await lane.slot.connection();
      return (await connection.send<Row>(statement, values)).rows;
    } finally {
      lane.underWay--;
    }
  }

  #idlest(): Lane {
    return this.#lanes.reduce((idlest, lane) => (lane.underWay < idlest.underWay ? lane : idlest));
  }
}

interface Lane {
  readonly slot: ConnectionSlot;
  underWay: number;
}
