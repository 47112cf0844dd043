/** What the operator is shown of a running node: each part is bounded, and a part that cannot be read keeps no other back. */
import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { Config } from '../../config.ts';
import { engineOf } from '../../engines/registry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { coalesce } from '../../lib/scheduling/coalesce.ts';
import { dataVersion } from '../../store/data-version.ts';
import type { Scope, Health as StoreHealth } from '../../store/port.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import { addWorkFacts } from '../../telemetry/work-facts.ts';
import type { LeaseState } from '../../work/expiry.ts';
import type { Spaces } from '../open-spaces.ts';
import type { ServedUrls } from '../served-urls.ts';
import type { SharedParts } from '../workers/shared-parts.ts';
import type { WorkerState } from '../workers/worker-states.ts';
import { type DueQueue, readQueues } from './due-queues.ts';
import { createKeptSizes, type KeptSizes } from './kept-sizes.ts';
import {
  describeNode,
  listensAt,
  listensNowhere,
  startedAt,
  type ThreadMeasures,
  version,
} from './nodes/describe-node.ts';
import { NodeRegistry } from './nodes/node-registry.ts';
import { type NodeRow, shownNode } from './nodes/node-rows.ts';
import { within } from './within.ts';

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
type ShownStore = Health['stores'][number];

export interface NodeHealth {
  read(): Promise<Health>;
  /** The node serves from now on: other nodes hear of it until it is closed. */
  listening(urls: ServedUrls): Promise<void>;
  close(): Promise<void>;
}

export interface NodeHealthDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly spaces: Spaces;
  /** The scope of the platform itself. */
  readonly platform: Scope;
  readonly nodeId: string;
  readonly onError: (error: unknown) => void;
  readonly measurement: Measurement;
  readonly isDraining: () => boolean;
  readonly sweepLease: () => Promise<LeaseState>;
  /** Where the platform is one of several workers of a process. */
  readonly shared: SharedParts | undefined;
}

/** What each thread knows for itself. */
interface ThreadFacts extends ThreadMeasures {
  readonly name: string;
  readonly lease: LeaseState | undefined;
  readonly lastFailures: ReturnType<Measurement['storeFacts']['lastFailures']>;
  readonly heapUsedBytes: number;
}

const onlyThread = 'main';

interface Reading extends NodeHealthDeps {
  readonly own: () => Promise<ThreadFacts>;
  readonly listens: () => NodeRow['listens'];
  readonly sizes: KeptSizes;
  /** Where several nodes may share the store. */
  readonly registry: NodeRegistry | undefined;
}

export function createNodeHealth(deps: NodeHealthDeps): NodeHealth {
  const { config, clock, platform: scope, nodeId: id, onError, isDraining } = deps;
  let listens = listensNowhere;
  const own = () => threadFacts(deps);
  const describe = (): NodeRow => {
    const workers = [{ state: 'serving' } as const];
    return describeNode({ now: clock.now(), isDraining: isDraining(), listens, threads: [measures(deps)], workers });
  };
  const isShared = config.store.folder === undefined;
  const registry = isShared ? new NodeRegistry({ scope, id, clock, describe, onError }) : undefined;
  deps.shared?.serve('health', own);
  const reading: Reading = { ...deps, own, registry, listens: () => listens, sizes: createKeptSizes(clock) };
  const read = coalesce(() => readHealth(reading));
  return {
    read: () => read(''),
    listening: async (urls) => {
      listens = listensAt(config, urls);
      await registry?.begin();
    },
    close: async () => registry?.close(),
  };
}

async function readHealth(reading: Reading): Promise<Health> {
  const { clock, spaces, shared, isDraining, nodeId, registry, own } = reading;
  const now = clock.now();
  // A folder is had by this process alone, whose workers lease outboxes by names that outlive it.
  const holderOf = (name: string) => (registry === undefined ? nodeId : name);
  const [threads, stores, { queues, leases }, known] = await Promise.all([
    allThreads(shared, own),
    Promise.all(spaceNames.map((space) => storeOf(reading, space))),
    readQueues(spaces, now, holderOf),
    registry === undefined ? { others: [], hasMore: false } : within(registry.others(now), undefined),
  ]);
  const workers = workersOf(shared, threads);
  const servers = threads.flatMap((thread) => thread.servers);
  const isWell = stores.every(({ state }) => state === 'ok');
  const isWhole = servers.length === 0 && workers.every(({ state }) => state === 'serving');
  const row = describeNode({ now, isDraining: isDraining(), listens: reading.listens(), threads, workers });
  return {
    at: timestamp(now),
    state: !isWell || isDraining() ? 'unavailable' : isWhole ? 'ok' : 'degraded',
    node: {
      id: nodeId,
      version,
      node_version: process.versions.node,
      data_version: dataVersion,
      started_at: startedAt,
      draining: isDraining(),
      resident_bytes: row.resident_bytes,
      workers,
    },
    nodes: [{ ...shownNode(nodeId, row, now), this_node: true }, ...(known?.others ?? [])],
    nodes_listed: known === undefined ? 'this_node' : known.hasMore ? 'some' : 'all',
    stores: stores.map((store) => ({ ...store, last_failure: lastFailureOf(threads, store.space) })),
    servers,
    queues: queues.map(({ jobs: _, ...queue }) => queue),
    jobs: jobsOf(threads, queues),
    leases,
  };
}

const spaceNames = ['platform', 'test', 'prod'] as const;

function measures({ measurement: { workFacts, storeFacts, loopDelay } }: NodeHealthDeps): ThreadMeasures {
  return { work: workFacts.all(), servers: storeFacts.servers(), eventLoopDelay: loopDelay() };
}

async function threadFacts(deps: NodeHealthDeps): Promise<ThreadFacts> {
  return {
    name: deps.shared?.name ?? onlyThread,
    ...measures(deps),
    lease: await within(deps.sweepLease(), undefined),
    lastFailures: deps.measurement.storeFacts.lastFailures(),
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
  { config, spaces, sizes: keptSizes }: Reading,
  space: keyof Spaces,
): Promise<Omit<ShownStore, 'last_failure'>> {
  const address = space === 'prod' ? config.storeProd : config.store;
  const [health, sizes] = await Promise.all([
    within<StoreHealth | undefined>(spaces[space].store.health(), undefined),
    within(keptSizes(address, space), { whyUnknown: 'they were not read in time' }),
  ]);
  const known = 'whyUnknown' in sizes ? undefined : sizes;
  return {
    space,
    state: health?.ok === true ? 'ok' : 'failed',
    engine: engineOf(address).name,
    synchronous: health?.synchronous ?? null,
    data_bytes: known?.dataBytes ?? null,
    index_bytes: known?.indexBytes ?? null,
    log_bytes: known?.logBytes ?? null,
    sizes_unknown: 'whyUnknown' in sizes ? sizes.whyUnknown : null,
    servers: health?.servers ?? null,
  };
}

function lastFailureOf(threads: readonly ThreadFacts[], space: keyof Spaces): ShownStore['last_failure'] {
  const failures = threads.flatMap(({ lastFailures }) => lastFailures[space] ?? []);
  return failures.toSorted((left, right) => right.at.localeCompare(left.at))[0] ?? null;
}

function jobsOf(threads: readonly ThreadFacts[], queues: readonly DueQueue[]): Health['jobs'] {
  const facts = addWorkFacts(threads.map(({ work }) => work));
  const leases = threads.flatMap(({ lease }) => lease ?? []);
  const lease = leases.find(({ holder }) => holder === 'this_node') ?? leases[0];
  const shownLease = lease && {
    holder: lease.holder,
    node: lease.node ?? null,
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
