import { Problem } from '../lib/problem.ts';
import { type Change, type CommitOptions, type Committed, Conflict, type Scope } from './port.ts';

/** Changes that were planned on what stood when they were planned. */
export interface Plan {
  /** None where nothing is to be done: then nothing is committed. */
  readonly changes: readonly Change[];
  /** Hears which of the changes was refused, before it is planned again. Throws where that is final. */
  readonly refused?: (changeIndex: number) => Promise<void> | void;
}

export interface Transacted<P extends Plan> {
  /** The plan that stands. */
  readonly planned: P;
  /** Undefined where nothing was to be done. */
  readonly committed: Committed | undefined;
}

export interface TransactOptions extends CommitOptions {
  /** How often it is planned at most; `Infinity` where each refusal means that another came to its end. */
  readonly attemptsMax?: number;
}

const attemptsMaxDefault = 16;

/**
 * Commits what is planned, planned anew while others change what it was planned on. A plan that finds this out by itself
 * says `overtaken`.
 * @throws Problem `conflict` where others keep changing it, and all that planning and the store throw.
 */
export async function transact<P extends Plan>(
  scope: Scope,
  plan: () => Promise<P | 'overtaken'>,
  { attemptsMax = attemptsMaxDefault, ...options }: TransactOptions = {},
): Promise<Transacted<P>> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const planned = await plan();
    if (planned === 'overtaken') continue;
    if (planned.changes.length === 0) return { planned, committed: undefined };
    const outcome = await attemptCommit(scope, planned.changes, options);
    if (!(outcome instanceof Conflict)) return { planned, committed: outcome };
    await planned.refused?.(outcome.changeIndex);
  }
  throw overtaken();
}

/** The answer to a request whose changes others overtook time and again. */
export function overtaken(): Problem {
  return new Problem('conflict', 'others keep changing the same: try again');
}

/** Commits; false where a condition did not hold. */
export async function tryCommit(scope: Scope, changes: readonly Change[], options?: CommitOptions): Promise<boolean> {
  return (await refusedChange(scope, changes, options)) === undefined;
}

/** Commits; the place of the change whose condition did not hold, undefined where it is done. */
export async function refusedChange(
  scope: Scope,
  changes: readonly Change[],
  options?: CommitOptions,
): Promise<number | undefined> {
  const outcome = await attemptCommit(scope, changes, options);
  return outcome instanceof Conflict ? outcome.changeIndex : undefined;
}

async function attemptCommit(
  scope: Scope,
  changes: readonly Change[],
  options: CommitOptions | undefined,
): Promise<Committed | Conflict> {
  try {
    return await scope.commit(changes, options);
  } catch (error) {
    if (error instanceof Conflict) return error;
    throw error;
  }
}

/** For `catch`: of several nodes that would do the same work one is refused, and has nothing left to do. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
