import { applyGroup, type Current, type Head, type Member, type Verdict, type Write } from '../apply-group.ts';
import { OutcomeUnknown, type ScopeName, type ScopeState, Unavailable } from '../port.ts';
import type { CommitConnections } from './commit-connections.ts';
import type { Answer, Connection, Value } from './connection.ts';
import { GroupReads } from './group-reads.ts';
import { describeError, endsSession, isInTheWay, isServerError } from './postgres-error.ts';
import { rowOfItem } from './rows.ts';
import { begin, commit, putSizes, rollback, type Statements } from './statements.ts';

/** A group that got in another's way, or whose connection was found lost before it committed, is made anew so often. */
const triesMax = 4;

/** Runs groups of one scope each, as many at once as there are connections. */
export class PostgresWriter {
  readonly #connections: CommitConnections;
  readonly #statements: Statements;

  constructor(connections: CommitConnections, statements: Statements) {
    this.#connections = connections;
    this.#statements = statements;
  }

  /** Rejects with `Unavailable` only where nothing of the group stands, with `OutcomeUnknown` where all of it may. */
  async run(members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connections.use((connection) => this.#runOn(connection, members, now));
      } catch (error) {
        if (!(error instanceof NotCommitted)) throw error;
        if (tries < triesMax && (isInTheWay(error.cause) || endsSession(error.cause))) continue;
        throw new Unavailable('the commit could not be stored', { cause: describeError(error.cause) });
      }
    }
  }

  async #runOn(connection: Connection, members: readonly Member[], now: number): Promise<readonly Verdict[]> {
    const scope = scopeOf(members);
    const current = await this.#lockAndRead(connection, { scope, reads: new GroupReads(scope, members), now });
    const { verdicts, writes, heads } = applyGroup(current, members);
    const head = heads.get(scope);
    if (head === undefined) await rollBack(connection);
    else await this.#store(connection, [...writes], { scope, head });
    return verdicts;
  }

  async #lockAndRead(connection: Connection, { scope, reads, now }: LockedRead): Promise<Current> {
    const lockAndRead = () =>
      Promise.all([this.#lock(connection, scope), reads.read(connection, this.#statements, now)]);
    try {
      const [, [head, currentOf]] = await connection.together(() =>
        Promise.all([connection.send(begin), lockAndRead()]),
      );
      if (head !== undefined) return currentOf(head);
      // Nothing was locked: what was read may have been overtaken.
      const making = connection.send(this.#statements.makeHead(), [scope]);
      const [, [made, currentOfMade]] = await Promise.all([making, lockAndRead()]);
      return currentOfMade(made);
    } catch (cause) {
      await rollBack(connection);
      throw new NotCommitted('the group was not begun', { cause });
    }
  }

  async #lock(connection: Connection, scope: ScopeName): Promise<Head | undefined> {
    const { rows } = await connection.send<readonly [seq: number, state: ScopeState]>(this.#statements.lockHead(), [
      scope,
    ]);
    const [row] = rows;
    return row === undefined ? undefined : { seq: row[0], state: row[1] };
  }

  /**
   * The commit is sent behind the writes without waiting for them: if one of them fails, the server answers the commit
   * with `ROLLBACK`.
   */
  async #store(connection: Connection, writes: readonly Write[], { scope, head }: HeadWrite): Promise<void> {
    const [written, done] = connection.together(() => [
      Promise.allSettled([
        ...this.#sendWrites(connection, scope, writes),
        connection.send(this.#statements.writeHead(), [scope, head.seq, head.state]),
      ]),
      Promise.allSettled([connection.send(commit)]),
    ]);
    judge((await done)[0], await written);
  }

  #sendWrites(connection: Connection, scope: ScopeName, writes: readonly Write[]): readonly Promise<unknown>[] {
    const rows = writes.flatMap(({ item }) => (item === undefined ? [] : [rowOfItem(item)]));
    const puts: Promise<unknown>[] = [];
    for (let start = 0; start < rows.length; ) {
      const size = putSizes.find((rowsOfOne) => rowsOfOne <= rows.length - start) ?? 1;
      const values: Value[] = [scope, ...rows.slice(start, start + size).flat()];
      puts.push(connection.send(this.#statements.put(size), values));
      start += size;
    }
    const removed = Map.groupBy(
      writes.filter(({ item }) => item === undefined),
      ({ pk }) => pk,
    );
    const removes = [...removed].map(([pk, gone]) =>
      connection.send(this.#statements.remove(), [scope, pk, gone.map(({ sk }) => sk)]),
    );
    return [...puts, ...removes];
  }
}

interface LockedRead {
  readonly scope: ScopeName;
  readonly reads: GroupReads;
  readonly now: number;
}

interface HeadWrite {
  readonly scope: ScopeName;
  readonly head: Head;
}

/** Nothing of the group stands; `cause` says why. */
class NotCommitted extends Error {}

function scopeOf(members: readonly Member[]): ScopeName {
  const [first] = members;
  if (first === undefined || members.some(({ scope }) => scope !== first.scope))
    throw new Error('a group is of one scope');
  return first.scope;
}

/** A lost connection ends its transaction too. */
async function rollBack(connection: Connection): Promise<void> {
  await connection.send(rollback).catch(() => {});
}

/** The outcome is known where the server said it, or where it refused a write: then it cannot have committed. */
function judge(
  done: PromiseSettledResult<Answer<readonly unknown[]>>,
  written: readonly PromiseSettledResult<unknown>[],
): void {
  if (done.status === 'fulfilled' && done.value.command === 'COMMIT') return;
  const [refusal] = written.flatMap((one) =>
    one.status === 'rejected' && isServerError(one.reason) ? [one.reason] : [],
  );
  const cause: unknown = refusal ?? (done.status === 'rejected' ? done.reason : undefined);
  if (refusal !== undefined || done.status === 'fulfilled' || isInTheWay(cause))
    throw new NotCommitted('the group was rolled back', { cause });
  throw new OutcomeUnknown('the connection was lost while a commit was stored', { cause: describeError(cause) });
}
