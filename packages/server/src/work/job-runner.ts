/**
 * Work that outlives a request is an item in the queue `work`, written in the commit that makes it necessary. The
 * runner takes each by moving its time forward under a version condition, so that one process works on it at a time
 * and another takes over when that one dies. Every job can be repeated from its beginning.
 */
import type { Clock } from '../lib/clock.ts';
import {
  type Condition,
  type DueItem,
  type Item,
  type Maintenance,
  type Put,
  type Scope,
  ScopeClosed,
  type Store,
} from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { ignoreConflict } from '../store/transact.ts';
import { Lease, type Leased, type LeaseTerms } from './lease.ts';

/** A data space whose work is done. The composition may pass more of it to the handlers. */
export interface JobSpace {
  readonly store: Store;
  readonly maintenance: Maintenance;
}

/**
 * Does the work to its end. `renewLease` is to be called between any two steps: it keeps the lease, and throws where
 * another process has taken over or this one is ending.
 */
export type JobHandler<Space extends JobSpace = JobSpace> = (
  space: Space,
  work: unknown,
  renewLease: () => Promise<void>,
) => Promise<void>;

export interface JobRunnerOptions<Space extends JobSpace> {
  readonly spaces: readonly Space[];
  /** By the `job` member of the work item's value. */
  readonly handlers: ReadonlyMap<string, JobHandler<Space>>;
  /** Names the process in what it leases. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Does what is due together at once: for work that waits for others most of its time. */
  readonly isParallel?: boolean;
}

export interface JobRunner {
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** Ends when the job at hand has ended, or has come to the end of a step: the next start goes on with it. */
  close(): Promise<void>;
}

interface Work {
  readonly job: string;
  /** Holds only while `until` is when the item is due: a release that does not know of it moves that time alone. */
  readonly leased?: Leased;
}

/** Of a scope, by name. */
export const works = table(
  (name: string) => ({ pk: 'work', sk: name }),
  json<Work>('piece of work', { job: 'string' }),
);

const leaseMilliseconds = 30_000;
const renewAfterMilliseconds = 10_000;
const turnMilliseconds = 1000;

export function startJobRunner<Space extends JobSpace>(options: JobRunnerOptions<Space>): JobRunner {
  let isClosed = false;
  let isPoked = false;
  let running: Promise<void> | undefined;

  const turn = async (): Promise<void> => {
    while (isPoked && !isClosed) {
      isPoked = false;
      for (const space of options.spaces) await workOff(options, space, () => isClosed);
    }
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
    wake: start,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

const entriesPerRead = 10;

async function workOff<Space extends JobSpace>(
  options: JobRunnerOptions<Space>,
  space: Space,
  isClosed: () => boolean,
): Promise<void> {
  for (let limit = entriesPerRead; ; ) {
    const due = await space.maintenance.due('work', options.clock.now(), limit);
    let failures = 0;
    let waiting = 0;
    const run = async (entry: DueItem): Promise<void> => {
      if (isClosed()) return;
      await runOne(options, { space, entry, isClosed }).catch((error: unknown) => {
        // It goes with its scope, and stays due until then: what is behind it is looked for.
        if (error instanceof ScopeClosed) waiting += 1;
        else {
          failures += 1;
          options.onError(error);
        }
      });
    };
    if (options.isParallel === true) await Promise.all(due.map(run));
    else for (const entry of due) await run(entry);
    // What failed before it was leased is still due: it waits for the next turn, like everything behind it.
    if (due.length < limit || failures > 0 || isClosed()) return;
    limit = entriesPerRead + waiting;
  }
}

interface Run<Space> {
  readonly space: Space;
  readonly entry: DueItem;
  readonly isClosed: () => boolean;
}

/** Thrown to a job that is to end before its end. */
class Stopped extends Error {}

async function runOne<Space extends JobSpace>(
  { clock, handlers, nodeId }: JobRunnerOptions<Space>,
  { space, entry, isClosed }: Run<Space>,
): Promise<void> {
  const scope = space.store.scope(entry.scope);
  const { item } = entry;
  const { pk, sk } = item;
  const dueAt = (at: number, condition: Condition, value = item.value): Put => {
    return { kind: 'put', pk, sk, value, if: condition, due: { at, queue: 'work' } };
  };
  const terms: LeaseTerms = {
    ...{ scope, clock, node: nodeId, key: { pk, sk }, options: { priority: 'background' } },
    ...{ milliseconds: leaseMilliseconds, renewAfter: renewAfterMilliseconds },
    put: (leased, condition) => [dueAt(leased.until, condition, leasedText(scope, item, leased))],
  };
  const lease = await Lease.take(terms, item);
  if (lease === undefined) return;
  const renewLease = async (): Promise<void> => {
    if (isClosed()) throw new Stopped();
    await lease.renew();
  };
  try {
    const { leased: _, ...work } = works.row(scope, item).value;
    const handler = handlers.get(work.job);
    if (handler === undefined) throw new Error(`there is no handler for the job ${work.job}`);
    await handler(space, work, renewLease);
    await lease.end({ kind: 'remove', pk, sk, if: lease.condition });
  } catch (error) {
    // A conflict means that another process holds the lease now: its work, not ours.
    if (error instanceof Stopped) await lease.end(dueAt(clock.now(), lease.condition)).catch(ignoreConflict);
    else ignoreConflict(error);
  }
}

/** What cannot be read stays as it is: the job reports the damage. */
function leasedText(scope: Scope, item: Item, leased: Leased): string {
  try {
    return JSON.stringify({ ...works.row(scope, item).value, leased });
  } catch {
    return item.value;
  }
}
