import type { Clock } from '../lib/clock.ts';
import { type Repeated, repeat } from '../lib/scheduling/repeat.ts';
import { type Scope, ScopeClosed, type ScopeName } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import type { JobSpace } from './job-runner.ts';

export interface ExpirySweepOptions {
  readonly spaces: readonly JobSpace[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const turnMilliseconds = 60_000;
const itemsPerStep = 200;

/** Removes what has expired. Nothing depends on when: an expired item reads as absent from its time on. */
export function startExpirySweep({ spaces, clock, onError }: ExpirySweepOptions): Repeated {
  const turn = async (): Promise<void> => {
    for (const space of spaces) await sweep(space, clock.now());
  };
  return repeat(turn, { milliseconds: turnMilliseconds, onError });
}

/** What lies in a closed scope cannot be removed and stays due, so a step looks past as much of it as the last one met. */
async function sweep({ store, maintenance }: JobSpace, now: number): Promise<void> {
  const closed = new Set<ScopeName>();
  for (let limit = itemsPerStep; ; ) {
    const due = await maintenance.due('expire', now, limit);
    for (const { scope, item } of due)
      if (!closed.has(scope) && !(await removeExpired(store.scope(scope), item))) closed.add(scope);
    if (due.length < limit) return;
    limit = itemsPerStep + due.filter(({ scope }) => closed.has(scope)).length;
  }
}

/** False where the scope takes no commits any more. */
async function removeExpired(scope: Scope, { pk, sk }: { readonly pk: string; readonly sk: string }): Promise<boolean> {
  try {
    // Expired items read as absent, so a condition on their version cannot hold: an item that was written again is
    // spared by `due`.
    await tryCommit(scope, [{ kind: 'remove', pk, sk, if: 'absent' }], { priority: 'background' });
    return true;
  } catch (error) {
    if (error instanceof ScopeClosed) return false;
    throw error;
  }
}
