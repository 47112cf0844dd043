import { performance } from 'node:perf_hooks';
import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { type Intercept, interceptOpened, type StoreCall } from '../store/intercepted-store.ts';
import { Conflict, type OpenedStore, ScopeClosed, type ServerChange } from '../store/port.ts';
import { faultOfError } from './error-log.ts';
import type { Counter, Histogram, Metrics } from './metrics.ts';
import { isTraced, watchCommitSpan } from './spans.ts';

type Space = 'platform' | 'test' | 'prod';

/** A store that is the same, whose calls are counted and timed. */
export type WatchStore = (space: Space, opened: OpenedStore) => OpenedStore;

const secondsBounds = [0.0005, 0.005, 0.025, 0.1, 0.5];
const calls = [
  'get',
  'range',
  'follow',
  'count',
  'select',
  'measure',
  'commit',
  'scan',
  'setState',
  'load',
  'setDataVersion',
] as const;

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
    const timedAndTraced: Intercept = (operation, call) => timedCall(operation, () => watchCommitSpan(operation, call));
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

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
type ShownStore = Health['stores'][number];
type ShownServer = Health['servers'][number];

/** The failures of the stores and of their servers since the start. */
export interface StoreFacts {
  noteFailure(space: ShownStore['space'], call: string, error: unknown): void;
  lastFailures(): Readonly<Partial<Record<ShownStore['space'], NonNullable<ShownStore['last_failure']>>>>;
  /** Notes what became of a server before it is reported as usual. */
  noting(onServer: ((change: ServerChange) => void) | undefined): (change: ServerChange) => void;
  servers(): readonly ShownServer[];
}

/** A cluster has fewer; a server that is well again is forgotten. */
const serversMax = 200;
const whyMax = 300;

export function createStoreFacts(clock: Clock): StoreFacts {
  const failures: Partial<Record<ShownStore['space'], NonNullable<ShownStore['last_failure']>>> = {};
  const servers = new Map<string, ShownServer>();
  const now = () => timestamp(clock.now());
  return {
    noteFailure: (space, call, error) => {
      const { name, code, message } = faultOfError(error);
      failures[space] = { at: now(), call, name, code, message };
    },
    lastFailures: () => ({ ...failures }),
    noting: (onServer) => (change) => {
      const { server, state, why } = change;
      if (state === 'up') servers.delete(server);
      else if (servers.has(server) || servers.size < serversMax)
        servers.set(server, { server, state, since: now(), why: why?.slice(0, whyMax).toWellFormed() ?? null });
      onServer?.(change);
    },
    servers: () => [...servers.values()],
  };
}
