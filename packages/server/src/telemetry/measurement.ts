import type { Clock } from '../lib/clock.ts';
import { type HitTally, newHitTally } from '../lib/hit-tally.ts';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';
import { createErrorLog, type ErrorLog } from './error-log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createErrorNotes, type ErrorNotes } from './note-errors.ts';
import { type LoopDelay, startProcessMetrics } from './process-metrics.ts';
import { createStoreFacts, type StoreFacts } from './store-facts.ts';
import { createStoreMetrics, type WatchStore } from './watch-store.ts';
import { createWorkFacts, type WorkFacts } from './work-facts.ts';
import { recordHits, type WatchJobs, watchJobs } from './work-metrics.ts';

/** All that is measured of one platform. */
export interface Measurement {
  readonly metrics: Metrics;
  readonly calls: CallMetrics;
  readonly watchStore: WatchStore;
  readonly watchJobs: WatchJobs;
  readonly errors: ErrorNotes;
  readonly errorLog: ErrorLog;
  readonly workFacts: WorkFacts;
  readonly storeFacts: StoreFacts;
  readonly loopDelay: () => LoopDelay;
  /** Of caches, for those who have them to count in. */
  readonly tallies: { readonly token: HitTally; readonly config: HitTally };
  close(): Promise<void>;
}

export function startMeasurement(clock: Clock): Measurement {
  const metrics = createMetrics();
  const tallies = { token: newHitTally(), config: newHitTally() };
  recordHits(metrics, tallies);
  const { loopDelay, close } = startProcessMetrics(metrics);
  const errorLog = createErrorLog(clock);
  const errors = createErrorNotes(errorLog);
  const workFacts = createWorkFacts(clock, errors);
  const storeFacts = createStoreFacts(clock);
  const counted = watchJobs(metrics);
  const noted = workFacts.watch('work');
  return {
    ...{ metrics, errors, errorLog, workFacts, storeFacts, tallies, loopDelay, close },
    calls: createCallMetrics(metrics),
    watchStore: createStoreMetrics(metrics, storeFacts),
    watchJobs: (jobs) => noted(counted(jobs)),
  };
}
