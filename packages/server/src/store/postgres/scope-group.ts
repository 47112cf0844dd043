import {
  applyGroup,
  type Current,
  type Head,
  type Member,
  takesSeq,
  type Verdict,
  type Write,
} from '../committing/apply-group.ts';
import type { ScopeName, ScopeState } from '../port.ts';
import type { Connection, Value } from './connections/connection.ts';
import { GroupReads } from './group-reads.ts';
import { rowOfItem } from './rows.ts';
import { putSizes, type Statements } from './statements.ts';

/** How a transaction talks to the server. */
export interface Session {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly now: number;
}

/** What a transaction holds of a scope: its head as it was found and as it was taken, and what stands. */
export interface TakenScope {
  readonly found: Head;
  readonly taken: Head;
  readonly current: Current;
}

/** How the members of a scope ended, and what is left to be written. */
export interface JudgedScope {
  readonly scope: ScopeName;
  readonly verdicts: readonly Verdict[];
  readonly writes: readonly Write[];
  /** Whether anything of the scope is to stand. */
  readonly isChanged: boolean;
  /** Left out where the head already is as it has to be. */
  readonly head?: Head;
}

/** The members of one scope in a transaction: each statement of theirs names that scope alone. */
export class ScopeGroup {
  readonly scope: ScopeName;
  readonly #members: readonly Member[];
  readonly #reads: GroupReads;
  readonly #commits: number;

  constructor(scope: ScopeName, members: readonly Member[]) {
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
  async take({ connection, statements, now }: Session): Promise<TakenScope | undefined> {
    const [{ rows }, currentOf] = await Promise.all([
      connection.send<HeadRow>(statements.takeHead(), [this.scope, this.#commits]),
      this.#reads.read(connection, statements, now),
    ]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const [seq, state] = row;
    const found = { seq: seq - this.#commits, state };
    return { found, taken: { seq, state }, current: currentOf(found) };
  }

  judge({ found, taken, current }: TakenScope): JudgedScope {
    const { verdicts, writes, heads } = applyGroup(current, this.#members);
    const changed = heads.get(this.scope);
    const head = changed ?? found;
    const isTaken = head.seq === taken.seq && head.state === taken.state;
    const judged = { scope: this.scope, verdicts, writes, isChanged: changed !== undefined };
    return isTaken ? judged : { ...judged, head };
  }
}

type HeadRow = readonly [seq: number, state: ScopeState];

/** Sends everything that a scope writes. */
export function sendWrites(
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
