import { Problem } from '../../lib/problem.ts';
import { type Change, Conflict, type Scope } from '../../store/port.ts';

/** Commits; false where a condition did not hold. */
export async function tryCommit(scope: Scope, changes: readonly Change[]): Promise<boolean> {
  try {
    await scope.commit(changes);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

/** Commits what is planned, if it is anything, planned anew while others change what it was planned on. @throws Problem `conflict`. */
export async function commitPlanned(scope: Scope, plan: () => Promise<readonly Change[]>): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const changes = await plan();
    if (changes.length === 0 || (await tryCommit(scope, changes))) return;
  }
  throw new Problem('conflict', 'others keep changing the same: try again');
}

const attemptsMax = 16;
