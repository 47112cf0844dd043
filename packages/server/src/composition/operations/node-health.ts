/** A node's health for the operator: each part is bounded, and a part that cannot be read keeps no other back. */
import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { Config } from '../../config.ts';
import { engineOf } from '../../engines/registry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { coalesce } from '../../lib/scheduling/single-flight.ts';
import { dataVersion } from '../../store/data-version.ts';
import type { Scope, Health as StoreHealth } from '../../store/port.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import type { WorkFact } from '../../telemetry/work-metrics.ts';
import type { LeaseState } from '../../work/expiry.ts';
import type { Spaces } from '../open-spaces.ts';
import { type CachedSizes, createKeptSizes } from './cached-sizes.ts';
import { type DueQueue, readQueues } from './due-queues.ts';
import type { ServedUrls } from './nodes/describe-node.ts';
import { describeNode, listensAt, listensNowhere, type NodeState, startedAt, version } from './nodes/describe-node.ts';
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
}

interface NodeReading extends NodeHealthDeps {
  readonly state: () => NodeState;
  readonly sizes: CachedSizes;
  /** Given where several nodes may share the store. */
  readonly registry: NodeRegistry | undefined;
}

export function createNodeHealth(deps: NodeHealthDeps): NodeHealth {
  const { config, clock, platform: scope, nodeId: id, onError, isDraining, measurement } = deps;
  let listens = listensNowhere;
  const state = (): NodeState => ({
    ...{ now: clock.now(), isDraining: isDraining(), listens, eventLoopDelay: measurement.loopDelay() },
    ...{ work: measurement.workFacts.all(), servers: measurement.storeFacts.servers() },
  });
  const describe = (): NodeRow => describeNode(state());
  const isShared = config.store.folder === undefined;
  const registry = isShared ? new NodeRegistry({ scope, id, clock, describe, onError }) : undefined;
  const reading: NodeReading = { ...deps, state, registry, sizes: createKeptSizes(clock) };
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

async function readHealth(reading: NodeReading): Promise<Health> {
  const { clock, spaces, measurement, isDraining, nodeId, registry, sweepLease } = reading;
  const now = clock.now();
  // A folder is had by this process alone, which leases outboxes by a name that outlives it.
  const holderOf = (name: string) => (registry === undefined ? nodeId : name);
  const [lease, stores, { queues, leases }, known] = await Promise.all([
    within(sweepLease(), undefined),
    Promise.all(spaceNames.map((space) => storeOf(reading, space))),
    readQueues(spaces, now, holderOf),
    registry === undefined ? { others: [], hasMore: false } : within(registry.others(now), undefined),
  ]);
  const isWell = stores.every(({ state }) => state === 'ok');
  const state = { ...reading.state(), now };
  const { work, servers, eventLoopDelay } = state;
  const row = describeNode(state);
  const main = { name: 'main', state: 'serving', since: startedAt, failures: 0 } as const;
  const heap_used_bytes = process.memoryUsage().heapUsed;
  const lastFailures = measurement.storeFacts.lastFailures();
  return {
    at: timestamp(now),
    state: !isWell || isDraining() ? 'unavailable' : servers.length === 0 ? 'ok' : 'degraded',
    node: {
      id: nodeId,
      version,
      node_version: process.versions.node,
      data_version: dataVersion,
      started_at: startedAt,
      draining: isDraining(),
      resident_bytes: row.resident_bytes,
      workers: [{ ...main, event_loop_delay: eventLoopDelay, heap_used_bytes }],
    },
    nodes: [{ ...shownNode(nodeId, row, now), this_node: true }, ...(known?.others ?? [])],
    nodes_listed: known === undefined ? 'this_node' : known.hasMore ? 'some' : 'all',
    stores: stores.map((store) => ({ ...store, last_failure: lastFailures[store.space] ?? null })),
    servers,
    queues: queues.map(({ jobs: _, ...queue }) => queue),
    jobs: jobsOf(work, lease, queues),
    leases,
  };
}

const spaceNames = ['platform', 'test', 'prod'] as const;

async function storeOf(
  { config, spaces, sizes: keptSizes }: NodeReading,
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

function jobsOf(
  facts: readonly WorkFact[],
  lease: LeaseState | undefined,
  queues: readonly DueQueue[],
): Health['jobs'] {
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
