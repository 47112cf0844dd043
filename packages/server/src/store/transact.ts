import { Problem } from '../lib/problem.ts';
import {
  type Change,
  type CommitOptions,
  type Committed,
  Conflict,
  NoConnectionLeft,
  OutcomeUnknown,
  type Scope,
  ScopeClosed,
  TooLarge,
  Unavailable,
} from './port.ts';

/** Changes that were planned on what stood when they were planned. */
export interface CommitPlan {
  /** None where nothing is to be done: then nothing is committed. */
  readonly changes: readonly Change[];
  /** Hears which of the changes was refused, before it is planned again. Throws where that is final. */
  readonly refused?: (changeIndex: number) => Promise<void> | void;
}

interface Transacted<P extends CommitPlan> {
  /** The plan that was carried out. */
  readonly planned: P;
  /** Undefined where nothing was to be done. */
  readonly committed: Committed | undefined;
}

interface TransactOptions extends CommitOptions {
  /** The most times that it is planned; `Infinity` where each refusal means that another finished. */
  readonly attemptsMax?: number;
}

const attemptsMaxDefault = 16;

/**
 * Commits what is planned, planned again while others change what it was planned on. A plan that finds this out by
 * itself says `overtaken`.
 * @throws Problem `conflict` where others keep changing it, and all that planning and the store throw.
 */
export async function transact<P extends CommitPlan>(
  scope: Scope,
  plan: () => Promise<P | 'overtaken'>,
  { attemptsMax = attemptsMaxDefault, ...options }: TransactOptions = {},
): Promise<Transacted<P>> {
  for (let attempts = 0; attempts < attemptsMax; attempts++) {
    const planned = await plan();
    if (planned === 'overtaken') continue;
    if (planned.changes.length === 0) return { planned, committed: undefined };
    const attempt = await attemptCommit(scope, planned.changes, options);
    if ('committed' in attempt) return { planned, ...attempt };
    await planned.refused?.(attempt.refusedAt);
  }
  throw overtaken();
}

/** The answer to a request whose changes others overtook. */
export function overtaken(cause?: unknown): Problem {
  return new Problem('conflict', 'concurrent changes kept interfering: try again', {}, cause);
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
  const attempt = await attemptCommit(scope, changes, options);
  return 'refusedAt' in attempt ? attempt.refusedAt : undefined;
}

/** Commits; what came of it, or the place of the change whose condition did not hold. */
export async function attemptCommit(
  scope: Scope,
  changes: readonly Change[],
  options?: CommitOptions,
): Promise<{ readonly committed: Committed } | { readonly refusedAt: number }> {
  try {
    return { committed: await scope.commit(changes, options) };
  } catch (error) {
    if (error instanceof Conflict) return { refusedAt: error.changeIndex };
    throw error;
  }
}

/** For `catch`: of several nodes that would do the same work one is refused, and has nothing left to do. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

/** For `catch`: a workspace that takes no commits any more is removed as a whole, with whatever is left undone in it. */
export function ignoreClosed(error: unknown): void {
  if (!(error instanceof ScopeClosed)) throw error;
}

/** The facts that a caller may has about a store's failure; undefined for what is not one. */
export function explainStoreFailure(error: unknown): Problem | undefined {
  if (error instanceof TooLarge)
    return new Problem('body_too_large', 'the request would write more than one commit takes: split it', {}, error);
  if (error instanceof Conflict || error instanceof ScopeClosed) return overtaken(error);
  if (error instanceof NoConnectionLeft)
    return new Problem('unavailable', 'the server that keeps the data takes no more connections', {}, error);
  if (error instanceof Unavailable) return new Problem('unavailable', 'the store cannot serve this now', {}, error);
  if (error instanceof OutcomeUnknown)
    return new Problem(
      'outcome_unknown',
      'the store failed while writing: the write may or may not be stored',
      {},
      error,
    );
  return undefined;
}
