import { type HitTally, newHitTally } from '../lib/hit-tally.ts';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { startProcessMetrics } from './process-metrics.ts';
import { createStoreMetrics, type WatchStore } from './watch-store.ts';
import { recordHits } from './work-metrics.ts';

/** All that is measured of one platform. */
export interface Measurement {
  readonly metrics: Metrics;
  readonly calls: CallMetrics;
  readonly watchStore: WatchStore;
  /** Of caches, for those who have them to count in. */
  readonly tallies: { readonly token: HitTally; readonly config: HitTally };
  close(): Promise<void>;
}

export function startMeasurement(): Measurement {
  const metrics = createMetrics();
  const tallies = { token: newHitTally(), config: newHitTally() };
  recordHits(metrics, tallies);
  const { close } = startProcessMetrics(metrics);
  return { metrics, calls: createCallMetrics(metrics), watchStore: createStoreMetrics(metrics), tallies, close };
}
