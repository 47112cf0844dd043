/**
 * Work that outlives a request is an item in the queue `work`, written in the commit that makes it necessary. The
 * runner takes each by moving its time forward under a version condition, so that one process works on it at a time
 * and another takes over when that one dies. Every job can be repeated from its beginning.
 */
import type { Clock } from '../lib/clock.ts';
import { Conflict, type DueItem, type Maintenance, type Store } from '../store/port.ts';

export interface JobSpace {
  readonly store: Store;
  readonly maintenance: Maintenance;
}

/** Does the work to its end. `stillMine` renews the lease and throws where another process has taken over. */
export type JobHandler = (space: JobSpace, work: unknown, stillMine: () => Promise<void>) => Promise<void>;

export interface JobRunnerOptions {
  readonly spaces: readonly JobSpace[];
  /** By the `job` member of the work item's value. */
  readonly handlers: ReadonlyMap<string, JobHandler>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export interface JobRunner {
  /** Looks for work now instead of at the next turn. */
  poke(): void;
  /** Ends when the job at hand has ended. */
  close(): Promise<void>;
}

const leaseMilliseconds = 30_000;
const turnMilliseconds = 1000;

export function startJobRunner(options: JobRunnerOptions): JobRunner {
  let isClosed = false;
  let isPoked = false;
  let running: Promise<void> | undefined;

  const turn = async (): Promise<void> => {
    do {
      isPoked = false;
      for (const space of options.spaces) await workOff(options, space, () => isClosed);
    } while (isPoked && !isClosed);
  };
  const start = (): void => {
    isPoked = true;
    if (running !== undefined || isClosed) return;
    running = turn()
      .catch(options.onError)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(start, turnMilliseconds);
  timer.unref();
  return {
    poke: start,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function workOff(options: JobRunnerOptions, space: JobSpace, isClosed: () => boolean): Promise<void> {
  for (;;) {
    const due = await space.maintenance.due('work', options.clock.now(), 10);
    for (const entry of due) {
      if (isClosed()) return;
      await runOne(options, space, entry).catch(options.onError);
    }
    if (due.length < 10) return;
  }
}

async function runOne(options: JobRunnerOptions, space: JobSpace, entry: DueItem): Promise<void> {
  const scope = space.store.scope(entry.scope);
  const { pk, sk, value } = entry.item;
  let version = entry.item.version;
  const lease = async (): Promise<void> => {
    const due = { at: options.clock.now() + leaseMilliseconds, queue: 'work' } as const;
    const put = { kind: 'put', pk, sk, value, if: { version }, due } as const;
    version = (await scope.commit([put], { priority: 'background' })).seq;
  };
  try {
    await lease();
    const work = JSON.parse(value) as { readonly job: string };
    const handler = options.handlers.get(work.job);
    if (handler === undefined) throw new Error(`there is no handler for the job ${work.job}`);
    await handler(space, work, lease);
    await scope.commit([{ kind: 'remove', pk, sk, if: { version } }], { priority: 'background' });
  } catch (error) {
    // A conflict means that another process holds the lease now: its work, not ours.
    if (!(error instanceof Conflict)) throw error;
  }
}
