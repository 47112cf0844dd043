import { performance } from 'node:perf_hooks';
import { type Intercept, interceptOpened, type StoreCall } from '../store/intercepted-store.ts';
import { Conflict, type OpenedStore, ScopeClosed } from '../store/port.ts';
import type { Counter, Histogram, Metrics } from './metrics.ts';
import { isTraced, watchCommitSpan } from './spans.ts';
import type { StoreFacts } from './store-facts.ts';

type Space = 'platform' | 'test' | 'prod';

/** A store that is the same, whose calls are counted and timed. */
export type WatchStore = (space: Space, opened: OpenedStore) => OpenedStore;

const secondsBounds = [0.0005, 0.005, 0.025, 0.1, 0.5];
const calls = ['get', 'range', 'follow', 'count', 'commit', 'scan', 'setState', 'load', 'setDataVersion'] as const;

export function createStoreMetrics(metrics: Metrics, facts: Pick<StoreFacts, 'noteFailure'>): WatchStore {
  const seconds = metrics.histogram(
    {
      name: 'freehold_store_seconds',
      help: 'Duration of store calls of any outcome; of commits until they are on disk.',
    },
    secondsBounds,
  );
  const conflicts = metrics.counter({
    name: 'freehold_store_conflicts_total',
    help: 'Commits that conflicted with another commit and were planned again.',
  });
  const failures = metrics.counter({
    name: 'freehold_store_failures_total',
    help: 'Store calls that failed for another reason.',
  });
  return (space, opened) => {
    const conflict = conflicts({ space });
    const outcomesOf = (call: StoreCall['name']): Outcomes => {
      const noteFailure = (error: unknown) => facts.noteFailure(space, call, error);
      return { seconds: seconds({ space, call }), failed: failures({ space, call }), conflict, noteFailure };
    };
    const outcomes = Object.fromEntries(calls.map((call) => [call, outcomesOf(call)])) as Readonly<
      Record<StoreCall['name'], Outcomes>
    >;
    const timedCall: Intercept = ({ name }, call) => timed(outcomes[name], call);
    const timedAndTraced: Intercept = (asked, call) => timedCall(asked, () => watchCommitSpan(asked, call));
    return interceptOpened(opened, isTraced() ? timedAndTraced : timedCall);
  };
}

interface Outcomes {
  readonly seconds: Histogram;
  readonly failed: Counter;
  readonly conflict: Counter;
  readonly noteFailure: (error: unknown) => void;
}

function timed<T>({ seconds, failed, conflict, noteFailure }: Outcomes, call: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const observe = (): void => seconds.observe((performance.now() - startedAt) / 1000);
  return call().then(
    (answer) => {
      observe();
      return answer;
    },
    (error: unknown) => {
      observe();
      (error instanceof Conflict ? conflict : failed).add();
      if (!(error instanceof Conflict || error instanceof ScopeClosed)) noteFailure(error);
      throw error;
    },
  );
}
