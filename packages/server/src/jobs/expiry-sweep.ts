import type { Clock } from '../lib/clock.ts';
import { Conflict } from '../store/port.ts';
import type { JobSpace } from './job-runner.ts';

export interface ExpirySweep {
  close(): Promise<void>;
}

export interface ExpirySweepOptions {
  readonly spaces: readonly JobSpace[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const turnMilliseconds = 60_000;
const itemsPerStep = 200;

/** Removes what has expired. Nothing depends on when: an expired item reads as absent from its time on. */
export function startExpirySweep(options: ExpirySweepOptions): ExpirySweep {
  let running: Promise<void> | undefined;
  const turn = async (): Promise<void> => {
    for (const space of options.spaces) while (await sweepStep(space, options.clock.now()));
  };
  const timer = setInterval(() => {
    running ??= turn()
      .catch(options.onError)
      .finally(() => {
        running = undefined;
      });
  }, turnMilliseconds);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

async function sweepStep({ store, maintenance }: JobSpace, now: number): Promise<boolean> {
  const due = await maintenance.due('expire', now, itemsPerStep);
  for (const { scope, item } of due) {
    // Expired items read as absent, so a condition on their version cannot hold: whoever wrote anew is spared by `due`.
    const remove = { kind: 'remove', pk: item.pk, sk: item.sk, if: 'absent' } as const;
    await store.scope(scope).commit([remove], { priority: 'background' }).catch(ignoreConflict);
  }
  return due.length === itemsPerStep;
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
