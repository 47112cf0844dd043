import { Problem } from '../../../lib/problem.ts';
import { Conflict, type Store } from '../../../store/port.ts';
import type { RecordBench } from '../../../testing/record-bench.ts';
import { doOnce } from '../../../work/testing/do-once.ts';
import type { Steps } from '../../testing/stepped-store.ts';
import { maintainEntity } from '../maintain-entity.ts';

interface Runner {
  readonly bench: RecordBench;
  readonly turns: Steps;
  /** That of the bench, or one for those who take turns. */
  readonly store: Store;
  /** What happens where nothing is due, and others are busy. */
  readonly whileIdle?: () => void;
}

class Killed extends Error {}

/**
 * A runner of jobs that may be killed at any step, and that does not mind another one at the same work. It ends where
 * nothing is due and all others are done.
 * @param kills whether it is killed, step by step; no more where they are used up.
 */
export async function workOff(
  { bench, turns, store, whileIdle }: Runner,
  kills: boolean[],
  isBusy: () => boolean,
): Promise<void> {
  const parts = { store, configs: bench.node(store).configs, clock: bench.clock, recordsPerStep: 2 };
  const isTakingTurns = store !== bench.opened.store;
  const renewLease = async (): Promise<void> => {
    if (kills.shift() === true) throw new Killed();
  };
  for (;;) {
    if (isTakingTurns) await turns.take();
    const [due] = await turns.during(() => bench.opened.maintenance.due('work', bench.clock.now(), 1));
    if (due === undefined && !isBusy()) return;
    if (due === undefined) {
      whileIdle?.();
      continue;
    }
    try {
      await doOnce([maintainEntity], parts, due, renewLease);
    } catch (error) {
      const isFair = error instanceof Killed || error instanceof Conflict;
      if (!isFair && !(error instanceof Problem && error.code === 'conflict')) throw error;
    }
  }
}
