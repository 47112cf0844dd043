/** Facts of a node for alerts that are not counted as they happen: each scrape reads them, each part within 5 s. */
import { statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { dataVersion } from '../../store/data-version.ts';
import type { Metrics, Sample } from '../../telemetry/metrics.ts';
import type { ComposedSpaces } from '../compose-spaces.ts';
import { createKeptSizes } from './cached-sizes.ts';
import { type DueQueue, readQueues } from './due-queues.ts';
import { version } from './nodes/describe-node.ts';
import { within } from './within.ts';

export interface ScrapedDeps extends Pick<ComposedSpaces, 'spaces' | 'readiness'> {
  readonly config: Pick<Config, 'store' | 'storeProd' | 'dataDir' | 'backupDir'>;
  readonly clock: Clock;
  readonly signingKeys: { list(): readonly { readonly state: string; readonly created_at: string }[] };
}

/** Each is empty where it could not be read. */
interface ScrapedFacts {
  readonly readiness: Awaited<ReturnType<ComposedSpaces['readiness']>> | undefined;
  readonly queues: readonly DueQueue[];
  readonly sizes: readonly Sample[];
  readonly connections: readonly Sample[];
  readonly connectionsMax: readonly Sample[];
  readonly free: readonly Sample[];
}

/** Shows the facts among the metrics. The function that is returned reads them. */
export function recordFacts(metrics: Metrics, deps: ScrapedDeps): () => Promise<void> {
  const { clock, signingKeys } = deps;
  const sizes = createKeptSizes(clock);
  let facts: ScrapedFacts = {
    readiness: undefined,
    queues: [],
    sizes: [],
    connections: [],
    connectionsMax: [],
    free: [],
  };
  const gauge = (name: string, help: string, ask: () => readonly Sample[]) =>
    metrics.collected({ name: `freehold_${name}`, help, type: 'gauge' }, ask);
  const labels = { version, data_version: String(dataVersion), node_version: process.versions.node };
  gauge('build_info', 'The release, the version of its data, and of Node.js.', () => [{ labels, value: 1 }]);
  gauge('ready', 'Whether the node can serve: 1 or 0, as /readyz says.', () => [
    { value: facts.readiness !== undefined && facts.readiness.notReady === undefined ? 1 : 0 },
  ]);
  gauge('store_servers', 'Servers of a cluster that keeps the data, by state.', () =>
    Object.entries(facts.readiness?.store.servers ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  );
  gauge('signals_heard', 'Whether the node hears at once what other nodes change: 1 or 0.', () => {
    const signals = facts.readiness?.store.signals;
    return signals === undefined ? [] : [{ value: signals === 'heard' ? 1 : 0 }];
  });
  gauge('queue_due', 'Pieces of background work that are due and not taken; at most 100 are counted.', () =>
    facts.queues.map(({ space, queue, due }) => ({ labels: { space, queue }, value: due })),
  );
  gauge('queue_oldest_due_age_seconds', 'Since when the oldest of them is due.', () =>
    facts.queues.map(({ space, queue, oldest_due_at: at }) => {
      const value = at === null ? 0 : Math.max(0, clock.now() - Date.parse(at)) / 1000;
      return { labels: { space, queue }, value };
    }),
  );
  gauge('store_size_bytes', 'What the data, its indexes and the log take, at most 30 s old.', () => facts.sizes);
  gauge('postgres_connections', 'Sessions of the PostgreSQL server, all users together.', () => facts.connections);
  gauge('postgres_connections_max', 'Sessions that the PostgreSQL server takes.', () => facts.connectionsMax);
  gauge('disk_free_bytes', 'Room on the disks of the data folder and of the backups.', () => facts.free);
  gauge('signing_key_age_seconds', 'Age of the key that signs tokens.', () =>
    signingKeys
      .list()
      .filter(({ state }) => state === 'signing')
      .map(({ created_at: at }) => ({ value: Math.max(0, clock.now() - Date.parse(at)) / 1000 })),
  );
  return async () => {
    const [readiness, { queues }, stores, free] = await Promise.all([
      within<ScrapedFacts['readiness']>(deps.readiness(), undefined),
      readQueues(deps.spaces, clock.now(), (name) => name),
      Promise.all(spaceNames.map((space) => within(sizesOf(deps, sizes, space), noSizes))),
      freeOf(deps.config),
    ]);
    const all = (part: keyof SizeSamples) => stores.flatMap((one) => one[part]);
    const { connections, connectionsMax } = { connections: all('connections'), connectionsMax: all('connectionsMax') };
    facts = { readiness, queues, sizes: all('sizes'), connections, connectionsMax, free };
  };
}

const spaceNames = ['platform', 'test', 'prod'] as const;

type SizeSamples = Pick<ScrapedFacts, 'sizes' | 'connections' | 'connectionsMax'>;
const noSizes: SizeSamples = { sizes: [], connections: [], connectionsMax: [] };

async function sizesOf(
  { config }: Pick<ScrapedDeps, 'config'>,
  read: ReturnType<typeof createKeptSizes>,
  space: (typeof spaceNames)[number],
): Promise<SizeSamples> {
  const found = await read(space === 'prod' ? config.storeProd : config.store, space);
  if ('whyUnknown' in found) return noSizes;
  const { dataBytes, indexBytes, logBytes, connections } = found;
  const sized = Object.entries({ data: dataBytes, index: indexBytes, log: logBytes });
  return {
    sizes: sized.flatMap(([part, value]) => (value === undefined ? [] : [{ labels: { space, part }, value }])),
    connections: connections === undefined ? [] : [{ labels: { space }, value: connections.open }],
    connectionsMax: connections === undefined ? [] : [{ labels: { space }, value: connections.max }],
  };
}

async function freeOf({ store, dataDir, backupDir }: ScrapedDeps['config']): Promise<readonly Sample[]> {
  const places = Object.entries({ data: store.folder === undefined ? undefined : dataDir, backups: backupDir });
  const found = places.map(async ([place, folder]): Promise<readonly Sample[]> => {
    if (folder === undefined) return [];
    const { bavail, bsize } = await statfs(folder);
    return [{ labels: { place }, value: bavail * bsize }];
  });
  return (await Promise.all(found.map((one) => within(one, [])))).flat();
}
