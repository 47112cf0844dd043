import type { Clock } from '../lib/clock.ts';
import { type HitTally, newHitTally } from '../lib/hit-tally.ts';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';
import { createErrorLog, type ErrorLog } from './errors/error-log.ts';
import { createErrorNotes, type ErrorNotes } from './errors/note-errors.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { startProcessMetrics } from './process-metrics.ts';
import { createStoreMetrics, type WatchStore } from './watch-store.ts';
import { recordHits, type WatchJobs, watchJobs } from './work-metrics.ts';

/** All that is measured of one platform. */
export interface Measurement {
  readonly metrics: Metrics;
  readonly calls: CallMetrics;
  readonly watchStore: WatchStore;
  readonly watchJobs: WatchJobs;
  readonly errors: ErrorNotes;
  readonly errorLog: ErrorLog;
  /** Of caches, for those who have them to count in. */
  readonly tallies: { readonly token: HitTally; readonly config: HitTally };
  close(): Promise<void>;
}

/** @param errorLog that of all threads; left out, this one keeps its errors alone. */
export function startMeasurement(clock: Clock, errorLog = createErrorLog(clock)): Measurement {
  const metrics = createMetrics();
  const tallies = { token: newHitTally(), config: newHitTally() };
  recordHits(metrics, tallies);
  const { close } = startProcessMetrics(metrics);
  const errors = createErrorNotes(errorLog);
  const watchStore = createStoreMetrics(metrics);
  const watched = { watchStore, watchJobs: watchJobs(metrics, errors), calls: createCallMetrics(metrics) };
  return { metrics, ...watched, errors, errorLog, tallies, close };
}
