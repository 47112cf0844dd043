import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { Conflict, ScopeClosed } from '../store/port.ts';
import { faultOfError } from './errors/fault-of-error.ts';
import type { ErrorNotes } from './note-errors.ts';
import { type WatchJobs, watching } from './work-metrics.ts';

type ShownJob = ReplyOf<typeof platformHealthApi.readPlatformHealth>['jobs'][number];

/** What was done of a kind of work since the start. */
export type WorkFact = Omit<ShownJob, 'due' | 'lease'>;

/** Notes when each kind of work in the background was done, and how it failed. */
export interface WorkFacts {
  watch(queue: ShownJob['queue']): WatchJobs;
  all(): readonly WorkFact[];
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** @param errors told which work an error comes from. */
export function createWorkFacts(clock: Clock, errors: Pick<ErrorNotes, 'failedIn'>): WorkFacts {
  const facts = new Map<string, Writable<WorkFact>>();
  const factOf = (name: string, queue: ShownJob['queue']): Writable<WorkFact> => {
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
