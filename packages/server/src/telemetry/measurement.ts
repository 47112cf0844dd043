import { newHitTally } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { createErrorLog } from './error-log.ts';
import { createMetrics } from './metrics.ts';
import { createErrorNotes } from './note-errors.ts';
import { startProcessMetrics } from './process-metrics.ts';
import { createCallMetrics } from './watch-calls.ts';
import { createStoreFacts, createStoreMetrics } from './watch-store.ts';
import { createWorkFacts, recordHits, type WatchJobs, watchJobs } from './work-metrics.ts';

export type Measurement = ReturnType<typeof startMeasurement>;

/** All that is measured of one platform. `tallies` are of caches, for those who have them to count in. */
export function startMeasurement(clock: Clock) {
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
    watchJobs: ((jobs) => noted(counted(jobs))) satisfies WatchJobs,
  };
}
