import { type ServerChange, Unavailable } from '../../port.ts';
import type { Connection } from '../connections/connection.ts';
import { ConnectionSlot } from '../connections/pools.ts';
import { describeError, isServerError, SessionLost } from '../connections/postgres-error.ts';
import type { ServerIdentity } from '../hold-data.ts';
import type { SqlStatement } from '../statements.ts';
import { identityStatement, probeStatement } from './cluster.ts';

/** A server that keeps scopes, and a name that a scope there could have. */
interface WatchedServer {
  readonly scope: string;
  /** `host:port`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Whether it is the server that the address names. */
  readonly isEntry: boolean;
}

interface ServerWatchDeps {
  readonly schema: string;
  readonly open: (place?: ServerIdentity) => Promise<Connection>;
  readonly onChange: (change: ServerChange) => void;
}

/**
 * Asks a server now and then whether it answers, by the way that commits take. Down is a server of which nothing was
 * heard while a question waited in vain: a server that is merely slow goes on answering something. Finds out, too, whether
 * the node reaches the server by the name that the cluster has for it.
 */
export class ServerWatch {
  isDown = false;
  isSafe = true;
  /** The place to connect to; undefined where the way is through the server of the address. */
  place: ServerIdentity | undefined;
  readonly #server: WatchedServer;
  readonly #slot: ConnectionSlot;
  readonly #probe: SqlStatement;
  readonly #identity: SqlStatement;
  readonly #open: ServerWatchDeps['open'];
  readonly #onChange: ServerWatchDeps['onChange'];
  #heard = 0;
  /** Why there was no direct way when it was last looked for. */
  #whyRelayed: string | undefined;

  constructor(server: WatchedServer, { schema, open, onChange }: ServerWatchDeps) {
    this.#server = server;
    this.#slot = new ConnectionSlot(() => open(this.place));
    this.#probe = probeStatement(schema);
    this.#identity = identityStatement(schema);
    this.#open = open;
    this.#onChange = onChange;
  }

  get name(): string {
    return this.#server.name;
  }

  /** Whether another server has to pass on what it is asked. */
  get isRelayed(): boolean {
    return this.place === undefined && !this.#server.isEntry;
  }

  /** @throws Unavailable at once where waiting would be in vain. */
  assertUp(): void {
    if (this.isDown) throw new Unavailable('the server that keeps the scope does not answer');
  }

  hear(): void {
    this.#heard++;
    if (this.isDown) this.#become({ isDown: false });
  }

  /** @param isSurvey whether a direct way is looked for where there was none; it is, too, of a server that comes back. */
  async ask(isSurvey: boolean): Promise<void> {
    const { isDown: wasDown } = this;
    await this.#askWhetherUp();
    if (this.isRelayed && !this.isDown && (isSurvey || wasDown)) await this.#lookForWay();
  }

  async #askWhetherUp(): Promise<void> {
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
      assertAnswered(error);
      const isUnheard = this.#heard === heard;
      // If no connection was opened here, others cannot open any either.
      if (isUnheard || error instanceof Unavailable) this.place = undefined;
      // Its session may hang with it.
      void this.#slot.close();
      if (isUnheard && !this.isDown) this.#become({ isDown: true, why: describeError(error).message });
    }
  }

  /** By the name in the lists there may be another server, or none: the way through the address says which it has to be. */
  async #lookForWay(): Promise<void> {
    const { host, port, name, scope } = this.#server;
    try {
      const { rows } = await (await this.#slot.connection()).send<readonly [string]>(this.#identity, [scope]);
      const place = { host, port, identity: rows[0]?.[0] ?? '' };
      await (await this.#open(place)).end();
      this.place = place;
      await this.#slot.close();
      if (this.#whyRelayed !== undefined) this.#onChange({ server: name, state: 'up' });
      this.#whyRelayed = undefined;
    } catch (error) {
      assertAnswered(error);
      const why = describeError(error instanceof Unavailable ? (error.cause ?? error) : error).message;
      if (this.#whyRelayed !== why) this.#onChange({ server: name, state: 'relayed', why });
      this.#whyRelayed = why;
    }
  }

  async close(): Promise<void> {
    await this.#slot.close();
  }

  #judge(row: ProbeRow | undefined): void {
    const faults = faultsOf(row);
    const wasSafe = this.isSafe;
    this.isSafe = faults.length === 0;
    if (wasSafe && !this.isSafe) this.#onChange({ server: this.#server.name, state: 'unsafe', why: faults.join(', ') });
    if (!wasSafe && this.isSafe) this.#onChange({ server: this.#server.name, state: 'up' });
  }

  #become({ isDown, why }: { readonly isDown: boolean; readonly why?: string }): void {
    this.isDown = isDown;
    this.#onChange({ server: this.#server.name, state: isDown ? 'down' : 'up', ...(why === undefined ? {} : { why }) });
  }
}

export type ProbeRow = readonly [synchronousCommit: string, fsync: string, fullPageWrites: string, isStandby: boolean];

/** The settings that could lose acknowledged writes on a server that answered. */
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

/** Anything else is a fault of the program. */
function assertAnswered(error: unknown): void {
  if (!(isServerError(error) || error instanceof SessionLost || error instanceof Unavailable)) throw error;
}
