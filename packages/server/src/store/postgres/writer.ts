import { compareBytes } from '../../lib/byte-order.ts';
import type { Member } from '../committing/apply-group.ts';
import type { MemberAnswer } from '../committing/group-committer.ts';
import { OutcomeUnknown, type ScopeName, Unavailable } from '../port.ts';
import type { Answer, Connection } from './connections/connection.ts';
import {
  describeError,
  endsSession,
  isInTheWay,
  isServerError,
  isTimeout,
  SessionLost,
} from './connections/postgres-error.ts';
import { type JudgedScope, ScopeGroup, type Session, sendWrites, type TakenScope } from './scope-group.ts';
import type { Lanes } from './servers/lanes.ts';
import { commit, rollback, type Statements, shared } from './statements.ts';

/**
 * A group that got in another's way, or whose connection was found lost before it committed, is made again so often.
 */
const triesMax = 4;

/**
 * Runs groups, as many at once as there are connections: one transaction each. Groups of several scopes lock their
 * heads in byte order, so that no two of them wait for each other.
 */
export class PostgresWriter {
  readonly #lanes: Pick<Lanes, 'commit'>;
  readonly #statements: Statements;

  constructor(lanes: Pick<Lanes, 'commit'>, statements: Statements) {
    this.#lanes = lanes;
    this.#statements = statements;
  }

  /** Rejects with `Unavailable` only where nothing of the group stands, with `OutcomeUnknown` where all of it may. */
  async run(members: readonly Member[], now: number): Promise<readonly MemberAnswer[]> {
    const groups = groupsOf(members);
    for (let tries = 1; ; tries++) {
      try {
        const judged = await this.#lanes.commit(groups[0]?.scope, (connection) =>
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

  async #take(session: Session, groups: readonly ScopeGroup[]): Promise<readonly (TakenScope | undefined)[]> {
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

/** Nothing of the group stands; `cause` says why. */
class NotCommitted extends Error {}

/** What refused a group of which nothing was stored. An error of the server can also come of opening a connection. */
function causeOf(error: unknown): unknown {
  if (error instanceof NotCommitted) return error.cause;
  if (isServerError(error) || error instanceof SessionLost) return error;
  throw error;
}

function groupsOf(members: readonly Member[]): readonly ScopeGroup[] {
  const byScope = Map.groupBy(members, ({ scope }) => scope);
  return [...byScope]
    .toSorted(([left], [right]) => compareBytes(left, right))
    .map(([scope, ofScope]) => new ScopeGroup(scope, ofScope));
}

/** A scope without a head is made in a transaction of its own: that may wait for another process that makes it. */
function answersOf(members: readonly Member[], judged: readonly JudgedScope[]): readonly MemberAnswer[] {
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
