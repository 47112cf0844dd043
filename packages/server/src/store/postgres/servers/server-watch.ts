import { type ServerChange, Unavailable } from '../../port.ts';
import type { Connection } from '../connections/connection.ts';
import { ConnectionSlot } from '../connections/connection-slot.ts';
import { describeError, isServerError, SessionLost } from '../connections/postgres-error.ts';
import type { Statement } from '../statements.ts';

/** A server that keeps scopes, and a name that a scope there could have. */
export interface WatchedServer {
  readonly group: number;
  readonly scope: string;
  /** `host:port`, for the log alone. */
  readonly name: string;
}

/**
 * Asks a server now and then whether it answers, by the way that commits take. Down is a server of which nothing was
 * heard while a question waited in vain: a server that is merely slow goes on answering something.
 */
export class ServerWatch {
  isDown = false;
  isSafe = true;
  readonly #server: WatchedServer;
  readonly #slot: ConnectionSlot;
  readonly #probe: Statement;
  readonly #tell: (change: ServerChange) => void;
  #heard = 0;

  constructor(
    server: WatchedServer,
    { open, probe, tell }: { open: () => Promise<Connection>; probe: Statement; tell: (change: ServerChange) => void },
  ) {
    this.#server = server;
    this.#slot = new ConnectionSlot(open);
    this.#probe = probe;
    this.#tell = tell;
  }

  /** @throws Unavailable at once where waiting would be in vain. */
  assertUp(): void {
    if (this.isDown) throw new Unavailable('the server that keeps the scope does not answer');
  }

  hear(): void {
    this.#heard++;
    if (this.isDown) this.#become({ isDown: false });
  }

  async ask(): Promise<void> {
    const heard = this.#heard;
    try {
      const connection = await this.#slot.connection();
      const [, answer] = await connection.together(() =>
        Promise.all([
          connection.send(connection.begin),
          connection.send<ProbeRow>(this.#probe, [this.#server.scope]),
          connection.send({ text: 'rollback' }),
        ]),
      );
      this.hear();
      this.#judge(answer.rows[0]);
    } catch (error) {
      if (!(isServerError(error) || error instanceof SessionLost || error instanceof Unavailable)) throw error;
      // Its session may hang with it.
      void this.#slot.close();
      if (this.#heard === heard && !this.isDown) this.#become({ isDown: true, why: describeError(error).message });
    }
  }

  async close(): Promise<void> {
    await this.#slot.close();
  }

  #judge(row: ProbeRow | undefined): void {
    const faults = faultsOf(row);
    const wasSafe = this.isSafe;
    this.isSafe = faults.length === 0;
    if (wasSafe && !this.isSafe) this.#tell({ server: this.#server.name, state: 'unsafe', why: faults.join(', ') });
    if (!wasSafe && this.isSafe) this.#tell({ server: this.#server.name, state: 'up' });
  }

  #become({ isDown, why }: { readonly isDown: boolean; readonly why?: string }): void {
    this.isDown = isDown;
    this.#tell({ server: this.#server.name, state: isDown ? 'down' : 'up', ...(why === undefined ? {} : { why }) });
  }
}

export type ProbeRow = readonly [synchronousCommit: string, fsync: string, fullPageWrites: string, isStandby: boolean];

/** What could lose acknowledged writes on a server that answered. */
export function faultsOf(row: ProbeRow | undefined): readonly string[] {
  if (row === undefined) return ['it answers nothing'];
  const [synchronousCommit, fsync, fullPageWrites, isStandby] = row;
  const isWaitedFor = synchronousCommit === 'on' || synchronousCommit === 'remote_apply';
  return [
    ...(isWaitedFor ? [] : [`synchronous_commit is ${synchronousCommit}`]),
    ...(fsync === 'on' ? [] : ['fsync is off']),
    ...(fullPageWrites === 'on' ? [] : ['full_page_writes is off']),
    ...(isStandby ? ['it is a standby'] : []),
  ];
}
