import { compareBytes } from '../../lib/byte-order.ts';
import {
  applyGroup,
  type CommittedState,
  type CommitVerdict,
  type GroupMember,
  type Head,
  takesSeq,
  type Write,
} from '../committing/apply-group.ts';
import type { MemberAnswer } from '../committing/group-committer.ts';
import { OutcomeUnknown, type ScopeName, type ScopeState, Unavailable } from '../port.ts';
import type { Connection, QueryResult, Value } from './connections/connection.ts';
import {
  describeError,
  endsSession,
  isInTheWay,
  isServerError,
  isTimeout,
  SessionLost,
} from './connections/postgres-error.ts';
import { GroupReads } from './group-reads.ts';
import { rowOfItem } from './rows.ts';
import type { ServerPools } from './servers/server-pools.ts';
import { commit, putSizes, rollback, type SqlStatements, shared } from './statements.ts';

/**
 * A group that got in another's way, or whose connection was found lost before it committed, is made again so often.
 */
const triesMax = 4;

/**
 * Runs groups, as many at once as there are connections: one transaction each. Groups of several scopes lock their
 * heads in byte order, so that no two of them wait for each other.
 */
export class PostgresWriter {
  readonly #pools: Pick<ServerPools, 'commit'>;
  readonly #statements: SqlStatements;

  constructor(pools: Pick<ServerPools, 'commit'>, statements: SqlStatements) {
    this.#pools = pools;
    this.#statements = statements;
  }

  /** Rejects with `Unavailable` if nothing of the group was stored, with `OutcomeUnknown` if all may have been. */
  async run(members: readonly GroupMember[], now: number): Promise<readonly MemberAnswer[]> {
    const groups = groupsOf(members);
    for (let tries = 1; ; tries++) {
      try {
        const judged = await this.#pools.commit(groups[0]?.scope, (connection) =>
          this.#runOn({ connection, statements: this.#statements, now }, groups),
        );
        return answersOf(members, judged);
      } catch (error) {
        const cause = causeOf(error);
        // The server does not say for whose sake it refused: the scopes must not fail for each other.
        if (groups.length > 1 && isServerError(cause) && !endsSession(cause)) return members.map(() => 'retryAlone');
        if (tries < triesMax && (isInTheWay(cause) || endsSession(cause))) continue;
        throw new Unavailable('the commit could not be stored', { cause: describeError(cause) });
      }
    }
  }

  async #runOn(session: Session, groups: readonly ScopeGroup[]): Promise<readonly JudgedScope[]> {
    const taken = await this.#take(session, groups);
    const judged = groups.flatMap((group, index) => {
      const scope = taken[index];
      return scope === undefined ? [] : [group.judge(scope)];
    });
    if (judged.some(({ isChanged }) => isChanged)) await this.#store(session, judged);
    else await rollBack(session.connection);
    return judged;
  }

  async #take(session: Session, groups: readonly ScopeGroup[]): Promise<readonly (LockedScope | undefined)[]> {
    const { connection } = session;
    const [only, ...others] = groups;
    const isShared = others.length > 0;
    const takeAll = () => Promise.all(groups.map((group) => group.take(session)));
    try {
      const [, taken] = await connection.together(() =>
        Promise.all([connection.send(isShared ? shared(connection.begin) : connection.begin), takeAll()]),
      );
      if (only === undefined || isShared || taken[0] !== undefined) return taken;
      const made = connection.send(this.#statements.makeHead(), [only.scope]);
      return (await Promise.all([made, takeAll()]))[1];
    } catch (cause) {
      // A server whose time was over may hang: its session ends, and takes the transaction with it.
      if (isTimeout(cause)) void connection.end();
      else await rollBack(connection);
      throw new NotCommitted('the group was not begun', { cause });
    }
  }

  /**
   * The commit is sent behind the writes without waiting for them: if one of them fails, the server answers the commit
   * with `ROLLBACK`.
   */
  async #store(session: Session, judged: readonly JudgedScope[]): Promise<void> {
    const { connection } = session;
    const [written, done] = connection.together(() => [
      Promise.allSettled(judged.flatMap((scope) => sendWrites(session, scope))),
      Promise.allSettled([connection.send(commit)]),
    ]);
    judgeEnd((await done)[0], await written);
  }
}

/** Nothing of the group was stored; `cause` says why. */
class NotCommitted extends Error {}

/** The cause of refusing a group as a whole. An error of the server can also come of opening a connection. */
function causeOf(error: unknown): unknown {
  if (error instanceof NotCommitted) return error.cause;
  if (isServerError(error) || error instanceof SessionLost) return error;
  throw error;
}

function groupsOf(members: readonly GroupMember[]): readonly ScopeGroup[] {
  const byScope = Map.groupBy(members, ({ scope }) => scope);
  return [...byScope]
    .toSorted(([left], [right]) => compareBytes(left, right))
    .map(([scope, ofScope]) => new ScopeGroup(scope, ofScope));
}

/** A scope without a head is made in a transaction of its own: that may wait for another process that makes it. */
function answersOf(members: readonly GroupMember[], judged: readonly JudgedScope[]): readonly MemberAnswer[] {
  const left = new Map(
    judged.map(({ scope, verdicts }): [ScopeName, Iterator<MemberAnswer>] => [scope, verdicts.values()]),
  );
  return members.map(({ scope }) => left.get(scope)?.next().value ?? 'retryAlone');
}

/** A lost connection ends its transaction too. */
async function rollBack(connection: Connection): Promise<void> {
  await connection.send(rollback).catch(() => {});
}

/** The outcome is known where the server said it, or where it refused a write: then it cannot have committed. */
function judgeEnd(
  done: PromiseSettledResult<QueryResult<readonly unknown[]>>,
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

/** The protocol of a transaction with the server. */
interface Session {
  readonly connection: Connection;
  readonly statements: SqlStatements;
  readonly now: number;
}

/** The state of a scope in a transaction: its head as it was found and as it was taken, and its current items. */
interface LockedScope {
  readonly found: Head;
  readonly taken: Head;
  readonly current: CommittedState;
}

/** The way the members of a scope ended, and what is left to be written. */
interface JudgedScope {
  readonly scope: ScopeName;
  readonly verdicts: readonly CommitVerdict[];
  readonly writes: readonly Write[];
  /** Whether anything of the scope is to stand. */
  readonly isChanged: boolean;
  /** Left out where the head already is as it has to be. */
  readonly head?: Head;
}

/** The members of one scope in a transaction: each statement of theirs names that scope alone. */
class ScopeGroup {
  readonly scope: ScopeName;
  readonly #members: readonly GroupMember[];
  readonly #reads: GroupReads;
  readonly #commits: number;

  constructor(scope: ScopeName, members: readonly GroupMember[]) {
    this.scope = scope;
    this.#members = members;
    this.#reads = new GroupReads(scope, members);
    this.#commits = members.filter(takesSeq).length;
  }

  /**
   * Locks the head and, in statements behind that, reads what the conditions need. The lock is the head's new state if
   * every commit holds, as nearly all do: only where one does not is the head written again. `undefined` where the
   * scope has no head: then nothing is locked, and what was read may be overtaken.
   */
  async take({ connection, statements, now }: Session): Promise<LockedScope | undefined> {
    const [{ rows }, currentOf] = await Promise.all([
      connection.send<LockedHeadRow>(statements.takeHead(), [this.scope, this.#commits]),
      this.#reads.read(connection, statements, now),
    ]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const [seq, state] = row;
    const found = { seq: seq - this.#commits, state };
    return { found, taken: { seq, state }, current: currentOf(found) };
  }

  judge({ found, taken, current }: LockedScope): JudgedScope {
    const { verdicts, writes, heads } = applyGroup(current, this.#members);
    const changed = heads.get(this.scope);
    const head = changed ?? found;
    const isTaken = head.seq === taken.seq && head.state === taken.state;
    const judged = { scope: this.scope, verdicts, writes, isChanged: changed !== undefined };
    return isTaken ? judged : { ...judged, head };
  }
}

type LockedHeadRow = readonly [seq: number, state: ScopeState];

/** Sends everything that a scope writes. */
function sendWrites(
  { connection, statements }: Session,
  { scope, writes, head }: JudgedScope,
): readonly Promise<unknown>[] {
  const rows = writes.flatMap(({ item }) => (item === undefined ? [] : [rowOfItem(item)]));
  const sent: Promise<unknown>[] = [];
  for (let start = 0; start < rows.length; ) {
    const size = putSizes.find((rowsOfOne) => rowsOfOne <= rows.length - start) ?? 1;
    const values: Value[] = [scope, ...rows.slice(start, start + size).flat()];
    sent.push(connection.send(statements.put(size), values));
    start += size;
  }
  const removed = Map.groupBy(
    writes.filter(({ item }) => item === undefined),
    ({ pk }) => pk,
  );
  for (const [pk, gone] of removed) {
    const keys = gone.map(({ sk }) => sk);
    sent.push(connection.send(statements.remove(), [scope, pk, keys]));
  }
  if (head !== undefined) sent.push(connection.send(statements.writeHead(), [scope, head.seq, head.state]));
  return sent;
}
