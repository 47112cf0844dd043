/** What the operator is shown of a running node: each part is bounded, and a part that cannot be read keeps no other back. */
import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { Config } from '../../config.ts';
import { engineOf } from '../../engines/registry.ts';
import type { LeaseState } from '../../jobs/expiry-sweep.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { coalesce } from '../../lib/scheduling/coalesce.ts';
import { dataVersion } from '../../store/data-version.ts';
import type { Health as StoreHealth } from '../../store/port.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import { addWorkFacts, type WorkFact } from '../../telemetry/work-facts.ts';
import type { Spaces } from '../open-spaces.ts';
import { releaseVersion } from '../release-version.ts';
import type { SharedParts } from '../workers/shared-parts.ts';
import type { WorkerState } from '../workers/worker-states.ts';
import { readQueues } from './due-queues.ts';

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
type ShownStore = Health['stores'][number];

export interface NodeHealth {
  read(): Promise<Health>;
}

export interface NodeHealthDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly spaces: Spaces;
  readonly measurement: Measurement;
  readonly isDraining: () => boolean;
  readonly sweepLease: () => Promise<LeaseState>;
  /** Where the platform is one of several workers of a process. */
  readonly shared: SharedParts | undefined;
}

/** What each thread knows for itself. */
interface ThreadFacts {
  readonly name: string;
  readonly work: readonly WorkFact[];
  readonly lease: LeaseState | undefined;
  readonly lastFailures: ReturnType<Measurement['storeFacts']['lastFailures']>;
  readonly servers: Health['servers'];
  readonly eventLoopDelay: ReturnType<Measurement['loopDelay']>;
  readonly heapUsedBytes: number;
}

const patience = 5000;
const onlyThread = 'main';
const startedAt = timestamp(performance.timeOrigin);
const version = releaseVersion();

export function createNodeHealth(deps: NodeHealthDeps): NodeHealth {
  const own = () => threadFacts(deps);
  deps.shared?.serve('health', own);
  const read = coalesce(() => readHealth(deps, own));
  return { read: () => read('') };
}

async function readHealth(deps: NodeHealthDeps, own: () => Promise<ThreadFacts>): Promise<Health> {
  const { clock, spaces, shared, isDraining } = deps;
  const now = clock.now();
  const [threads, stores, queues] = await Promise.all([
    allThreads(shared, own),
    Promise.all(spaceNames.map((space) => storeOf(deps, space))),
    within(readQueues(spaces, now), []),
  ]);
  const workers = workersOf(shared, threads);
  const servers = threads.flatMap((thread) => thread.servers);
  const isWell = stores.every(({ state }) => state === 'ok');
  const isWhole = servers.length === 0 && workers.every(({ state }) => state === 'serving');
  return {
    at: timestamp(now),
    state: !isWell || isDraining() ? 'unavailable' : isWhole ? 'ok' : 'degraded',
    node: {
      version,
      node_version: process.versions.node,
      data_version: dataVersion,
      started_at: startedAt,
      draining: isDraining(),
      resident_bytes: process.memoryUsage.rss(),
      workers,
    },
    stores: stores.map((store) => ({ ...store, last_failure: lastFailureOf(threads, store.space) })),
    servers,
    queues: queues.map(({ jobs: _, ...queue }) => queue),
    jobs: jobsOf(threads, queues),
  };
}

const spaceNames = ['platform', 'test', 'prod'] as const;

async function threadFacts({ measurement, shared, sweepLease }: NodeHealthDeps): Promise<ThreadFacts> {
  const { workFacts, storeFacts, loopDelay } = measurement;
  return {
    name: shared?.name ?? onlyThread,
    work: workFacts.all(),
    lease: await within(sweepLease(), undefined),
    lastFailures: storeFacts.lastFailures(),
    servers: storeFacts.servers(),
    eventLoopDelay: loopDelay(),
    heapUsedBytes: process.memoryUsage().heapUsed,
  };
}

async function allThreads(
  shared: SharedParts | undefined,
  own: () => Promise<ThreadFacts>,
): Promise<readonly ThreadFacts[]> {
  const others = shared === undefined ? [] : await within(shared.askOthers('health'), []);
  return [await own(), ...(others as readonly ThreadFacts[])];
}

/** The main thread knows all workers, and each of them how it is. */
function workersOf(shared: SharedParts | undefined, threads: readonly ThreadFacts[]): Health['node']['workers'] {
  const alone: WorkerState = { name: onlyThread, state: 'serving', since: startedAt, failures: 0 };
  const states = shared === undefined ? [alone] : shared.counted.workers();
  return states.map((worker) => {
    const thread = threads.find(({ name }) => name === worker.name);
    return {
      ...worker,
      event_loop_delay: thread?.eventLoopDelay ?? null,
      heap_used_bytes: thread?.heapUsedBytes ?? null,
    };
  });
}

async function storeOf(
  { config, spaces }: NodeHealthDeps,
  space: keyof Spaces,
): Promise<Omit<ShownStore, 'last_failure'>> {
  const address = space === 'prod' ? config.storeProd : config.store;
  const engine = engineOf(address);
  const [health, sizes] = await Promise.all([
    within<StoreHealth | undefined>(spaces[space].store.health(), undefined),
    within(engine.sizes?.(address, space) ?? Promise.resolve(undefined), undefined),
  ]);
  return {
    space,
    state: health?.ok === true ? 'ok' : 'failed',
    engine: engine.name,
    synchronous: health?.synchronous ?? null,
    data_bytes: sizes?.dataBytes ?? null,
    log_bytes: sizes?.logBytes ?? null,
    servers: health?.servers ?? null,
  };
}

function lastFailureOf(threads: readonly ThreadFacts[], space: keyof Spaces): ShownStore['last_failure'] {
  const failures = threads.flatMap(({ lastFailures }) => lastFailures[space] ?? []);
  return failures.toSorted((left, right) => right.at.localeCompare(left.at))[0] ?? null;
}

function jobsOf(threads: readonly ThreadFacts[], queues: Awaited<ReturnType<typeof readQueues>>): Health['jobs'] {
  const facts = addWorkFacts(threads.map(({ work }) => work));
  const leases = threads.flatMap(({ lease }) => lease ?? []);
  const lease = leases.find(({ holder }) => holder === 'this_node') ?? leases[0];
  const shownLease = lease && {
    holder: lease.holder,
    until: lease.until === undefined ? null : timestamp(lease.until),
  };
  return facts.map((fact) => {
    const own = queues.filter(({ queue }) => queue === fact.queue);
    const due = own.reduce((sum, { jobs }) => sum + (jobs.get(fact.name) ?? 0), 0);
    return {
      ...fact,
      due: own.length === 0 ? null : due,
      lease: (fact.queue === 'expire' ? shownLease : undefined) ?? null,
    };
  });
}

/** What is known by then, and `otherwise` where it fails or takes too long. */
async function within<T>(work: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), patience);
  work.then(resolve, () => resolve(otherwise));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
