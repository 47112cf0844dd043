import type { Clock } from '../lib/clock.ts';
import type { HitTally } from '../lib/hit-tally.ts';
import type { Metrics, Sample } from './metrics.ts';

/** How often caches had what they were asked for. */
export function recordHits(metrics: Metrics, tallies: Readonly<Record<string, HitTally>>): void {
  const each = (count: keyof HitTally) => (): readonly Sample[] =>
    Object.entries(tallies).map(([cache, tally]) => ({ labels: { cache }, value: tally[count] }));
  const type = 'counter';
  metrics.asked({ name: 'freehold_cache_hits_total', help: 'Lookups that the cache answered.', type }, each('hits'));
  metrics.asked({ name: 'freehold_cache_misses_total', help: 'Lookups that went to the store.', type }, each('misses'));
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

type Tell<Place, Failed> = (place: Place, failed: Failed, count: number) => Promise<void>;

/** Counts deliveries of events that are given up. */
export function countDead<Place, Failed extends { readonly kind: string }, P extends { tell: Tell<Place, Failed> }>(
  metrics: Metrics,
  parts: P & { readonly tell: Tell<Place, Failed> },
): P {
  const dead = metrics.counter({
    name: 'freehold_deliveries_dead_total',
    help: 'Deliveries of events that were given up.',
  })({});
  const counted: Readonly<Record<string, { readonly add: () => void }>> = { event: dead };
  const tell: Tell<Place, Failed> = (place, failed, count) => {
    for (let left = count; left > 0; left -= 1) counted[failed.kind]?.add();
    return parts.tell(place, failed, count);
  };
  return { ...parts, tell };
}

/** How old the last good backup of the schedule is, and how many backups and restore tests have failed. */
export function recordBackups(metrics: Metrics, backups: BackupStanding, clock: Clock): void {
  metrics.asked(
    {
      name: 'freehold_backup_age_seconds',
      help: 'Since the last scheduled backup was begun whose restore test passed; absent without one.',
      type: 'gauge',
    },
    () => {
      const { passedAt } = backups.standing();
      return passedAt === undefined ? [] : [{ value: Math.max(0, clock.now() - passedAt) / 1000 }];
    },
  );
  metrics.asked(
    { name: 'freehold_backup_failures_total', help: 'Backups and restore tests that failed.', type: 'counter' },
    () => Object.entries(backups.standing().failures).map(([kind, value]) => ({ labels: { kind }, value })),
  );
}

interface BackupStanding {
  standing(): { readonly passedAt: number | undefined; readonly failures: Readonly<Record<string, number>> };
}

/** Something that is done again and again in the background. */
export interface WatchedJob {
  readonly name: string;
  readonly run: (...asked: never[]) => Promise<unknown>;
}

export type WatchJobs = <J extends WatchedJob>(jobs: readonly J[]) => readonly J[];

/** The same jobs, each run of which another function does. */
export function watching<J extends WatchedJob>(
  jobs: readonly J[],
  watch: (name: string, run: () => Promise<unknown>) => Promise<unknown>,
): readonly J[] {
  return jobs.map((job) => {
    const run = (...asked: never[]) => watch(job.name, () => job.run(...asked));
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
