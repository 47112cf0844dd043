/**
 * Work that outlives a request is an item in the queue `work`, written in the commit that makes it necessary. Every job can be
 * ended between two steps, and repeated.
 */
import type { Clock } from '../lib/clock.ts';
import { paceBackground } from '../lib/scheduling/event-loop.ts';
import type { Condition, DueItem, Item, Put, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { ignoreConflict } from '../store/transact.ts';
import { Lease, type Leased } from './lease.ts';
import type { JobSpace, Take } from './work-queue.ts';

/** Is called between any two steps: keeps the lease, and throws where another process has taken over or this one is ending. */
export type RenewLease = () => Promise<void>;

export interface Job<Space = JobSpace> {
  /** The `job` member of the items that it does. */
  readonly name: string;
  /** Gives no way to calls between its steps. */
  readonly isUrgent?: true;
  /** @returns when it goes on, in milliseconds since the epoch; undefined where it is done. */
  readonly run: (space: Space, work: unknown, renewLease: RenewLease) => Promise<number | undefined>;
}

/** A job without progress: what ends it early has it begin again. */
export function plainJob<Space, JobWork>(
  name: string,
  run: (space: Space, work: JobWork, renewLease: RenewLease) => Promise<void>,
): Job<Space> {
  return {
    name,
    run: async (space, work, renewLease) => {
      await run(space, work as JobWork, renewLease);
      return undefined;
    },
  };
}

/** The job in spaces that lack a part of what it works with, or have another. */
export function withParts<Parts extends object, Space>(job: Job<Space>, parts: Parts): Job<Omit<Space, keyof Parts>> {
  return { ...job, run: (space, ...args) => job.run({ ...space, ...parts } as Space, ...args) };
}

/** A run of a job whose progress is a stored row. */
export interface JobSteps<Row> {
  /** The progress of the job; undefined where nothing is left to do. */
  readonly row: () => Promise<Row | undefined>;
  /**
   * Does a bounded part, held to the row, since two processes may be at it. `wait`: others are in the way; `over`: nothing is
   * left to do.
   */
  readonly step: (row: Row, turn: Turn) => Promise<'more' | 'wait' | 'over'>;
}

export interface Turn {
  readonly renewLease: RenewLease;
  /** Whether it is the turn of other work. */
  readonly isLate: () => boolean;
}

const sliceMilliseconds = 10_000;
const waitMilliseconds = 1000;

/** A job that goes on step by step, until it is over or its turn is: then it comes back. */
export function defineJob<Space extends { readonly clock: Clock }, JobWork, Row>({
  begin,
  ...job
}: Pick<Job, 'name' | 'isUrgent'> & { readonly begin: (space: Space, work: JobWork) => JobSteps<Row> }): Job<Space> {
  return {
    ...job,
    run: async (space, work, renewLease) => {
      const { clock } = space;
      const startedAt = clock.now();
      const isLate = () => clock.now() - startedAt >= sliceMilliseconds;
      const { row: read, step } = begin(space, work as JobWork);
      for (;;) {
        await renewLease();
        const row = await read();
        const outcome = row === undefined ? 'over' : await step(row, { renewLease, isLate });
        if (outcome === 'over') return undefined;
        if (outcome === 'wait') return clock.now() + waitMilliseconds;
        if (isLate()) return clock.now();
      }
    },
  };
}

interface JobWork {
  readonly job: string;
  /** Holds only while `until` is when the item is due: a release that does not know of it moves that time alone. */
  readonly leased?: Leased;
}

/** Of a scope, by name. */
export const works = table(
  (name: string) => ({ pk: 'work', sk: name }),
  json<JobWork>('piece of work', { job: 'string' }),
);

/** Has a job do a piece of work from `at` on, in the place of what waits under the same name. */
export function workItem(name: string, work: JobWork & Readonly<Record<string, unknown>>, at: number): Put {
  return works.put(name, work, { if: 'any', due: { at, queue: 'work' } });
}

const leaseMilliseconds = 30_000;
const renewAfterMilliseconds = 10_000;

/** Thrown to a job that is to end before its end. */
class Stopped extends Error {}

/** Has jobs do what is due: each piece is taken by moving its time forward, so that one process works on it at a time. */
export function working<Space extends JobSpace>(
  jobs: readonly Job<Space>[],
  { nodeId: node, clock }: { readonly nodeId: string; readonly clock: Clock },
): Take<Space> {
  const runOne = async (space: Space, { scope: name, item }: DueItem, isClosed: () => boolean): Promise<void> => {
    const scope = space.store.scope(name);
    const { pk, sk } = item;
    const dueAt = (at: number, condition: Condition, value = item.value): Put => {
      return { kind: 'put', pk, sk, value, if: condition, due: { at, queue: 'work' } };
    };
    const lease = await Lease.take(
      {
        ...{ scope, clock, node, key: { pk, sk }, options: { priority: 'background' } },
        ...{ milliseconds: leaseMilliseconds, renewAfter: renewAfterMilliseconds },
        put: (leased, condition) => [dueAt(leased.until, condition, leasedText(scope, item, leased))],
      },
      item,
    );
    if (lease === undefined) return;
    const renewLease = async (): Promise<void> => {
      if (isClosed()) throw new Stopped();
      await lease.renew();
    };
    try {
      const { leased: _, ...work } = works.row(scope, item).value;
      const job = jobs.find(({ name: own }) => own === work.job);
      if (job === undefined) throw new Error(`there is no job ${work.job}`);
      const at = await job.run(space, work, job.isUrgent === true ? renewLease : paced(renewLease));
      const { condition } = lease;
      await lease.end(at === undefined ? { kind: 'remove', pk, sk, if: condition } : dueAt(at, condition));
    } catch (error) {
      // A conflict means that another process holds the lease now: its work, not ours.
      if (error instanceof Stopped) await lease.end(dueAt(clock.now(), lease.condition)).catch(ignoreConflict);
      else ignoreConflict(error);
    }
  };
  return (space, entry, isClosed) => ({ run: () => runOne(space, entry, isClosed) });
}

function paced(renewLease: RenewLease): RenewLease {
  const pace = paceBackground();
  return async () => {
    await pace();
    await renewLease();
  };
}

/** An unreadable item stays as it is: the job reports the damage. */
function leasedText(scope: Scope, item: Item, leased: Leased): string {
  try {
    return JSON.stringify({ ...works.row(scope, item).value, leased });
  } catch {
    return item.value;
  }
}

/** Pieces of work that wait or are under way in a scope. */
export interface WaitingWork {
  readonly waiting: number;
  readonly by_kind: Readonly<Record<string, number>>;
}

/** Of very many the first are counted. */
const countedMax = 100;

export async function waitingWork(scope: Scope): Promise<WaitingWork> {
  const rows = await works.range(scope, works.key('').pk, { limit: countedMax });
  const counts = new Map<string, number>();
  for (const { value } of rows) counts.set(value.job, (counts.get(value.job) ?? 0) + 1);
  return { waiting: rows.length, by_kind: Object.fromEntries(counts) };
}
