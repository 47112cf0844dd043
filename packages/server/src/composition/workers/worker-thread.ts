/** One of several threads that take requests: a whole platform on stores that the main thread has the writers of. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../config.ts';
import { engineOf } from '../../engines/registry.ts';
import type { AttachedStore, Space, StoreAttachment } from '../../engines/store-engine.ts';
import { createSecretsFile, type SecretsVault } from '../../identity/port.ts';
import { systemClock } from '../../lib/clock.ts';
import { SharedSlots, sharedEpochs } from '../../lib/shared-slots.ts';
import { openLog } from '../../telemetry/open-log.ts';
import type { Diagnosis } from '../operations/diagnoses.ts';
import { servePlatform } from '../serve-platform.ts';
import { type CallLine, Calls } from './calls.ts';
import { Channel } from './channel.ts';
import { countedParts, type OthersAsked, type SharedParts } from './shared-parts.ts';

/** What the main thread begins a worker with. */
export interface WorkerSeed {
  readonly name: string;
  readonly nodeId: string;
  readonly workers: number;
  readonly demoTraceId: string;
  readonly config: Config;
  readonly attachments: Readonly<Record<Space, StoreAttachment>>;
  readonly epochs: SharedArrayBuffer;
  readonly calls: CallLine;
}

async function work({ name, nodeId, config, attachments, epochs, calls, ...seed }: WorkerSeed): Promise<void> {
  if (parentPort === null) throw new Error('a worker runs in a thread of its own only');
  const channel = new Channel(parentPort);
  const opened = openLog(config.logLevel, config.logFormat);
  process.on('exit', opened.flush);
  const stores = attach(config, attachments);
  const slots = new SharedSlots(epochs);
  const shared: SharedParts = {
    name,
    nodeId,
    epochs: {
      access: sharedEpochs(slots, 'access'),
      revocations: sharedEpochs(slots, 'revocations'),
      plans: sharedEpochs(slots, 'plans'),
    },
    changesOf: { test: stores.test.changesOf, prod: stores.prod.changesOf },
    vault: vaultOf(config, channel),
    counted: countedParts(new Calls(calls), config.rateLimits),
    diagnoses: { read: async () => (await channel.ask('diagnosis')) as Diagnosis },
    askOthers: async (topic, payload) =>
      (await channel.ask('ask others', { topic, payload } satisfies OthersAsked)) as readonly unknown[],
    serve: (topic, handler) => channel.serve(topic, handler),
  };
  const { workers, demoTraceId } = seed;
  const worker = { shared, workers, demoTraceId, openSpace: async (space: Space) => stores[space] };
  // An error that nothing catches ends the thread, and the main thread replaces it.
  const platform = await servePlatform({ config, opened, worker, onFatal: throwAtOnce });
  channel.serve('is empty', platform.isEmpty);
  channel.serve('console state', platform.consoleState);
  channel.serve('build sites', platform.buildSites);
  channel.serve('drain', async (milliseconds) => {
    await platform.drain(milliseconds as number);
    opened.flush();
  });
  channel.serve('urls', () => platform.urls);
}

function attach(config: Config, attachments: WorkerSeed['attachments']): Readonly<Record<Space, AttachedStore>> {
  const { storeCacheMegabytes: cacheMegabytes, recordCacheMegabytes: itemCacheMegabytes } = config;
  const one = (space: Space): AttachedStore => {
    const engine = engineOf(space === 'prod' ? config.storeProd : config.store);
    const attached = engine.attach?.(attachments[space], { clock: systemClock, cacheMegabytes, itemCacheMegabytes });
    if (attached === undefined) throw new Error(`no threads share a store on ${engine.name}`);
    return attached;
  };
  return { platform: one('platform'), test: one('test'), prod: one('prod') };
}

/** Read by each thread; written by the main thread, which has the other workers read it again before it answers. */
function vaultOf({ store }: Config, channel: Channel): SecretsVault {
  if (store.folder === undefined) throw new Error('the secrets of several workers lie in a folder');
  const { read } = createSecretsFile(store.folder);
  return { read, write: async (secrets, seen) => (await channel.ask('write secrets', { secrets, seen })) === true };
}

function throwAtOnce(error: unknown): never {
  throw error;
}

await work(workerData as WorkerSeed);
