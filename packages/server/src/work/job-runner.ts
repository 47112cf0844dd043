/** The runner takes each piece of work by moving its time forward, so that one process works on it at a time. */
import type { Clock } from '../lib/clock.ts';
import { paceBackground } from '../lib/scheduling/event-loop.ts';
import { type Condition, type DueItem, type Item, type Put, type Scope, ScopeClosed } from '../store/port.ts';
import { ignoreConflict } from '../store/transact.ts';
import { type Job, type JobSpace, type RenewLease, works } from './job.ts';
import { Lease, type Leased, type LeaseTerms } from './lease.ts';

export interface JobRunnerOptions<Space extends JobSpace> {
  readonly spaces: readonly Space[];
  /** Names the process in what it leases. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Does what is due together at once: for work that waits for others most of its time. */
  readonly isParallel?: boolean;
}

export interface JobRunner<Space extends JobSpace = JobSpace> {
  /** Nothing is looked for before. */
  begin(jobs: readonly Job<Space>[]): void;
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** Ends when the job at hand has ended, or has come to the end of a step: the next start goes on with it. */
  close(): Promise<void>;
}

const leaseMilliseconds = 30_000;
const renewAfterMilliseconds = 10_000;
const turnMilliseconds = 1000;

export function startJobRunner<Space extends JobSpace>(options: JobRunnerOptions<Space>): JobRunner<Space> {
  let jobs: readonly Job<Space>[] | undefined;
  let isClosed = false;
  let isPoked = false;
  let running: Promise<void> | undefined;

  const turn = async (jobs: readonly Job<Space>[]): Promise<void> => {
    while (isPoked && !isClosed) {
      isPoked = false;
      for (const space of options.spaces) await workOff({ ...options, jobs }, space, () => isClosed);
    }
  };
  const start = (): void => {
    isPoked = true;
    if (running !== undefined || isClosed || jobs === undefined) return;
    running = turn(jobs)
      .catch(options.onError)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(start, turnMilliseconds);
  timer.unref();
  return {
    begin: (given) => {
      jobs = given;
    },
    wake: start,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

interface Working<Space extends JobSpace> extends JobRunnerOptions<Space> {
  readonly jobs: readonly Job<Space>[];
}

const entriesPerRead = 10;

async function workOff<Space extends JobSpace>(
  options: Working<Space>,
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
  { clock, jobs, nodeId }: Working<Space>,
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
    const job = jobs.find(({ name }) => name === work.job);
    if (job === undefined) throw new Error(`there is no job ${work.job}`);
    const at = await job.run(space, work, job.isUrgent === true ? renewLease : paced(renewLease));
    const { condition } = lease;
    await lease.end(at === undefined ? { kind: 'remove', pk, sk, if: condition } : dueAt(at, condition));
  } catch (error) {
    // A conflict means that another process holds the lease now: its work, not ours.
    if (error instanceof Stopped) await lease.end(dueAt(clock.now(), lease.condition)).catch(ignoreConflict);
    else ignoreConflict(error);
  }
}

function paced(renewLease: RenewLease): RenewLease {
  const pace = paceBackground();
  return async () => {
    await pace();
    await renewLease();
  };
}

/** What cannot be read stays as it is: the job reports the damage. */
function leasedText(scope: Scope, item: Item, leased: Leased): string {
  try {
    return JSON.stringify({ ...works.row(scope, item).value, leased });
  } catch {
    return item.value;
  }
}
