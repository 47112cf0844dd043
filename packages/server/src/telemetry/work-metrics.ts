import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { HitTally } from '../lib/bounded-map.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { Conflict, ScopeClosed } from '../store/port.ts';
import { faultOfError } from './error-log.ts';
import type { Metrics, Sample } from './metrics.ts';
import type { ErrorNotes } from './note-errors.ts';

/** The number of times that caches had what they were asked for. */
export function recordHits(metrics: Metrics, tallies: Readonly<Record<string, HitTally>>): void {
  const each = (count: keyof HitTally) => (): readonly Sample[] =>
    Object.entries(tallies).map(([cache, tally]) => ({ labels: { cache }, value: tally[count] }));
  const type = 'counter';
  metrics.collected(
    { name: 'freehold_cache_hits_total', help: 'Lookups that the cache answered.', type },
    each('hits'),
  );
  metrics.collected(
    { name: 'freehold_cache_misses_total', help: 'Lookups that went to the store.', type },
    each('misses'),
  );
}

/** Counts what is denied; what is allowed is answered by its route. */
export function countDenials<D extends { readonly env: string }, L extends { add(org: string, decision: D): string }>(
  metrics: Metrics,
  decisions: L,
): L {
  const denials = metrics.counter({ name: 'freehold_denials_total', help: 'Calls of app users that policies denied.' });
  return {
    ...decisions,
    add: (org: string, decision: D) => {
      denials({ env: decision.env }).add();
      return decisions.add(org, decision);
    },
  };
}

/** Counts the failures of recording decisions: none of them fails a call. */
export function countRecordingFailures(metrics: Metrics, onError: (error: unknown) => void): (error: unknown) => void {
  const failures = metrics.counter({
    name: 'freehold_decision_recording_failures_total',
    help: 'Failed attempts to record decisions about calls.',
  })({});
  return (error) => {
    failures.add();
    onError(error);
  };
}

/** Counts mails that are lost: each is reported once. */
export function countLostMails(metrics: Metrics, onFault: (error: unknown) => void): (error: unknown) => void {
  const lost = metrics.counter({ name: 'freehold_mails_lost_total', help: 'Mails that were not delivered.' })({});
  return (error) => {
    lost.add();
    onFault(error);
  };
}

type Notify<Place, Failed> = (place: Place, failed: Failed, count: number) => Promise<void>;

/** Counts deliveries of events that are given up. */
export function countDead<Place, Failed extends { readonly kind: string }>(
  metrics: Metrics,
  notify: Notify<Place, Failed>,
): Notify<Place, Failed> {
  const dead = metrics.counter({
    name: 'freehold_deliveries_dead_total',
    help: 'Deliveries of events that were given up.',
  })({});
  const counted: Readonly<Record<string, { readonly add: () => void }>> = { event: dead };
  return (place, failed, count) => {
    for (let left = count; left > 0; left -= 1) counted[failed.kind]?.add();
    return notify(place, failed, count);
  };
}

/** Records the age of the last good scheduled backup, and the number of failed backups and restore tests. */
export function recordBackups(metrics: Metrics, backups: BackupState, clock: Clock): void {
  metrics.collected(
    {
      name: 'freehold_backup_age_seconds',
      help: 'Since the last scheduled backup was begun whose restore test passed; absent without one.',
      type: 'gauge',
    },
    () => {
      const { passedAt } = backups.backupState();
      return passedAt === undefined ? [] : [{ value: Math.max(0, clock.now() - passedAt) / 1000 }];
    },
  );
  metrics.collected(
    { name: 'freehold_backup_failures_total', help: 'Backups and restore tests that failed.', type: 'counter' },
    () => Object.entries(backups.backupState().failures).map(([kind, value]) => ({ labels: { kind }, value })),
  );
}

interface BackupState {
  backupState(): { readonly passedAt: number | undefined; readonly failures: Readonly<Record<string, number>> };
}

/** Something that is done again and again in the background. */
interface WatchedJob {
  readonly name: string;
  readonly run: (...args: never[]) => Promise<unknown>;
}

export type WatchJobs = <J extends WatchedJob>(jobs: readonly J[]) => readonly J[];

/** The same jobs, each run of which another function does. */
function watching<J extends WatchedJob>(
  jobs: readonly J[],
  watch: (name: string, run: () => Promise<unknown>) => Promise<unknown>,
): readonly J[] {
  return jobs.map((job) => {
    const run = (...args: never[]) => watch(job.name, () => job.run(...args));
    return { ...job, run } as J;
  });
}

/** Counts each run of a job, and those that did not come to an end. */
export function watchJobs(metrics: Metrics): WatchJobs {
  const runs = metrics.counter({
    name: 'freehold_job_runs_total',
    help: 'Runs of background jobs; a run that is `cut_off` continues later.',
  });
  return (jobs) => {
    for (const { name: job } of jobs) for (const outcome of ['done', 'cut_off']) runs({ job, outcome });
    return watching(jobs, async (job, run) => {
      let outcome = 'cut_off';
      try {
        const result = await run();
        outcome = 'done';
        return result;
      } finally {
        runs({ job, outcome }).add();
      }
    });
  };
}

type ShownWorkJob = ReplyOf<typeof platformHealthApi.readPlatformHealth>['jobs'][number];

/** The work done of one kind since the start. */
export type WorkFact = Omit<ShownWorkJob, 'due' | 'lease'>;

/** Notes when each kind of work in the background was done, and how it failed. */
export interface WorkFacts {
  watch(queue: ShownWorkJob['queue']): WatchJobs;
  all(): readonly WorkFact[];
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** @param errors receives the work that an error comes from. */
export function createWorkFacts(clock: Clock, errors: Pick<ErrorNotes, 'failedIn'>): WorkFacts {
  const facts = new Map<string, Writable<WorkFact>>();
  const factOf = (name: string, queue: ShownWorkJob['queue']): Writable<WorkFact> => {
    const none = { running: 0, runs: 0, failures: 0, last_run_at: null, last_failure: null };
    const fact = facts.get(name) ?? { name, queue, ...none };
    facts.set(name, fact);
    return fact;
  };
  return {
    watch: (queue) => (jobs) => {
      for (const { name } of jobs) factOf(name, queue);
      return watching(jobs, (name, run) => noted(factOf(name, queue), run, { clock, errors }));
    },
    all: () => [...facts.values()].map((fact) => ({ ...fact })),
  };
}

async function noted(
  fact: Writable<WorkFact>,
  run: () => Promise<unknown>,
  { clock, errors }: { readonly clock: Clock; readonly errors: Pick<ErrorNotes, 'failedIn'> },
): Promise<unknown> {
  fact.running += 1;
  try {
    return await run();
  } catch (error) {
    errors.failedIn(fact.name, error);
    // Another node was faster, or the scope is being removed: neither is a failure.
    if (!(error instanceof Conflict || error instanceof ScopeClosed)) {
      const { name, code, message } = faultOfError(error);
      fact.failures += 1;
      fact.last_failure = { at: timestamp(clock.now()), name, code, message };
    }
    throw error;
  } finally {
    fact.running -= 1;
    fact.runs += 1;
    fact.last_run_at = timestamp(clock.now());
  }
}
