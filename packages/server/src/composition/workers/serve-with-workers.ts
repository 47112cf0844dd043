/**
 * A platform that serves with several threads of one process. The main thread has the lock of the folder, the writers
 * and the secrets, and what is counted once for all; it takes no requests. Each worker is a whole platform on the same
 * stores, as a node is, and listens on the same ports. A worker that fails is replaced.
 */
import { Worker } from 'node:worker_threads';
import type { BackupDesk } from '../../backup/backup-runner.ts';
import type { Config } from '../../config.ts';
import { demoTraceId } from '../../demo/call.ts';
import { engineOf } from '../../engines/registry.ts';
import type { SharedStore, Space } from '../../engines/store-engine.ts';
import type { ConnectionCounts } from '../../gateway/listener.ts';
import { claimPort } from '../../gateway/listener.ts';
import { type KeptSecrets, loadSecrets, type Secrets, type SecretsVault } from '../../identity/port.ts';
import { systemClock } from '../../lib/clock.ts';
import { SharedSlots } from '../../lib/shared-slots.ts';
import { createErrorLog } from '../../telemetry/error-log.ts';
import { createErrorNotes } from '../../telemetry/note-errors.ts';
import { openBackupDesk } from '../backups/compose-backups.ts';
import { openSpaces, openVaultOf, type Spaces } from '../open-spaces.ts';
import { createDiagnoses } from '../operations/diagnoses.ts';
import { nodeIdOf } from '../operations/nodes/node-id.ts';
import type { ServeOptions, ServingPlatform } from '../serve-platform.ts';
import type { ServedUrls } from '../served-urls.ts';
import { answerCalls } from './calls.ts';
import { Channel } from './channel.ts';
import { connectionServices, countedServices, type OthersAsked } from './shared-parts.ts';
import { WorkerStates } from './worker-states.ts';
import type { WorkerSeed } from './worker-thread.ts';

/** @throws Error with a sentence for the operator. */
export async function serveWithWorkers(options: ServeOptions): Promise<ServingPlatform> {
  const { spaces, shared } = await openSharedSpaces(options);
  const vault = await openVaultOf(spaces, options.config);
  const secrets = await loadSecrets(vault, systemClock);
  const { config } = options;
  const onFault = (error: unknown) => options.opened.log.error({ err: error }, 'a backup failed');
  const backups = await openBackupDesk({ config, clock: systemClock, onFault, secrets, platform: spaces.platform });
  for (const { host, port } of portsOf(config)) await claimPort(host, port);
  const pool = new WorkerPool(options, { stores: shared, vault, backups: backups?.desk });
  const close = async (milliseconds: number) => {
    await pool.drain(milliseconds);
    await backups?.close();
    await closeAll(spaces);
  };
  try {
    const urls = await pool.start();
    return {
      urls,
      isEmpty: async () => (await pool.askFirst('is empty')) === true,
      consoleState: async () =>
        (await pool.askFirst('console state')) as Awaited<ReturnType<ServingPlatform['consoleState']>>,
      buildSites: () => void pool.askFirst('build sites').catch(() => undefined),
      drain: close,
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

async function closeAll({ platform, test, prod }: Spaces): Promise<void> {
  for (const { store } of [platform, test, prod]) await store.close();
}

type SharedSpaces = Record<Space, SharedStore>;

async function openSharedSpaces({ config, onFatal }: ServeOptions) {
  const shared: Partial<SharedSpaces> = {};
  const cacheMegabytes = config.storeCacheMegabytes;
  const openSpace = async (space: Space): Promise<SharedStore> => {
    const address = space === 'prod' ? config.storeProd : config.store;
    const engine = engineOf(address);
    const opened = await engine.openShared?.(space, address, { clock: systemClock, onFatal, cacheMegabytes });
    if (opened === undefined) throw new Error(`FREEHOLD_WORKERS must be 1 on ${engine.name}`);
    shared[space] = opened;
    return opened;
  };
  const spaces = await openSpaces(config, { clock: systemClock, onFatal, openSpace });
  return { spaces, shared: shared as SharedSpaces };
}

function portsOf({ host, appPort, managementPort, metricsListen }: Config) {
  const own = [appPort, managementPort].map((port) => ({ host, port }));
  return [...own, ...(metricsListen === undefined ? [] : [metricsListen])].flatMap(({ host: at, port = 0 }) =>
    port === 0 ? [] : [{ host: at, port }],
  );
}

interface RunningWorker {
  readonly thread: Worker;
  readonly channel: Channel;
  isServing: boolean;
}

/** A worker that fails again and again is begun after pauses that grow from the first of these to the last. */
const pauseMilliseconds = { least: 100, most: 30_000 };
/** After so long without a failure the pauses begin at the least again. */
const calmMilliseconds = 60_000;
/** A worker that answers nothing for so long serves no caller either, and is ended. */
const answerMilliseconds = 30_000;

/** What the main thread has for all workers. */
interface PoolParts {
  readonly stores: SharedSpaces;
  readonly vault: SecretsVault;
  readonly backups: BackupDesk | undefined;
}

class WorkerPool {
  readonly #options: ServeOptions;
  readonly #stores: SharedSpaces;
  readonly #vault: SecretsVault;
  readonly #nodeId = nodeIdOf(undefined);
  readonly #epochs = SharedSlots.allocate();
  readonly #errors = createErrorLog(systemClock);
  readonly #states = new WorkerStates(systemClock);
  readonly #diagnoses = createDiagnoses(systemClock);
  readonly #services: ReturnType<typeof countedServices>;
  readonly #connections = new Map<string, ConnectionCounts>();
  readonly #running = new Map<string, RunningWorker>();
  #config: Config;
  #isReady = false;
  #isEnding = false;
  #pause = pauseMilliseconds.least;
  #failedAt = 0;

  constructor(options: ServeOptions, { stores, vault, backups }: PoolParts) {
    this.#options = options;
    this.#config = options.config;
    this.#stores = stores;
    this.#vault = vault;
    const { rateLimits } = options.config;
    this.#services = countedServices(rateLimits, systemClock, { errorLog: this.#errors, backups });
  }

  /** The first alone: it makes what a new folder lacks, and finds the ports that the others share. */
  async start(): Promise<ServedUrls> {
    const { workers } = this.#config;
    const urls = await this.#begin('worker 1');
    this.#config = withPorts(this.#config, urls);
    await Promise.all(Array.from({ length: workers - 1 }, (_, index) => this.#begin(`worker ${index + 2}`)));
    this.#isReady = true;
    return urls;
  }

  askFirst(topic: string): Promise<unknown> {
    const [first] = this.#running.values();
    return first === undefined ? Promise.reject(new Error('no worker runs')) : first.channel.ask(topic);
  }

  async drain(milliseconds: number): Promise<void> {
    this.#isEnding = true;
    const drained = this.#running.values().map(async (worker) => {
      await askInTime(worker, 'drain', milliseconds).catch(() => undefined);
      await worker.thread.terminate();
    });
    await Promise.all(drained);
  }

  /** Resolves when the worker serves. Rejects where it ends before that. */
  async #begin(name: string): Promise<ServedUrls> {
    const { seed, releaseConnections } = this.#seedFor(name);
    const ports = [seed.calls.port, ...Object.values(seed.attachments).map(({ commits }) => commits)];
    const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      name,
      workerData: seed,
      transferList: ports,
    });
    const channel = new Channel(thread);
    const worker: RunningWorker = { thread, channel, isServing: false };
    this.#running.set(name, worker);
    this.#states.set(name, 'starting');
    let fault: unknown;
    thread.on('error', (error) => {
      fault = error;
    });
    thread.once('exit', (code) => {
      const error = fault instanceof Error ? fault : new Error(`the thread ended with code ${code}`);
      if (this.#running.get(name) === worker) this.#running.delete(name);
      this.#states.set(name, 'ended');
      releaseConnections();
      // It may have changed rights, and ended before it said so.
      new SharedSlots(this.#epochs).addToAll();
      channel.end(error);
      if ((worker.isServing || this.#isReady) && !this.#isEnding) this.#replace(name, error);
    });
    channel.serve('diagnosis', () => this.#diagnoses.read());
    channel.serve('ask others', (asked) => this.#askOthers(name, asked as OthersAsked));
    channel.serve('write secrets', (change) => this.#writeSecrets(name, change as SecretsChange));
    const urls = (await channel.ask('urls')) as ServedUrls;
    worker.isServing = true;
    this.#states.set(name, 'serving');
    return urls;
  }

  #seedFor(name: string): { readonly seed: WorkerSeed; readonly releaseConnections: () => void } {
    const connections = connectionServices(this.#connections);
    const { platform, test, prod } = this.#stores;
    return {
      releaseConnections: connections.releaseAll,
      seed: {
        name,
        nodeId: this.#nodeId,
        workers: this.#config.workers,
        demoTraceId,
        config: this.#config,
        attachments: { platform: platform.attachment(), test: test.attachment(), prod: prod.attachment() },
        epochs: this.#epochs,
        calls: answerCalls({ ...this.#services, ...connections.services, workers: { all: () => this.#states.all() } }),
      },
    };
  }

  #replace(name: string, error: Error): void {
    const now = performance.now();
    if (now - this.#failedAt > calmMilliseconds) this.#pause = pauseMilliseconds.least;
    this.#failedAt = now;
    const { log } = this.#options.opened;
    createErrorNotes(this.#errors).noting(() =>
      log.error({ err: error, worker: name, pause_milliseconds: this.#pause }, 'a worker has failed and is replaced'),
    )(error);
    setTimeout(() => {
      if (this.#isEnding) return;
      // Where it fails again, its end says so.
      this.#begin(name).then(
        () => log.info({ worker: name }, 'a worker was replaced'),
        () => undefined,
      );
    }, this.#pause);
    this.#pause = Math.min(2 * this.#pause, pauseMilliseconds.most);
  }

  /**
   * What every other worker answers; a worker that ends meanwhile knows nothing any more. A worker that starts answers no
   * caller yet, and may take long: it hears the question, and is waited for by `learn keys` alone, as it may have read the old
   * keys.
   * @throws Error where one fails to answer and serves on.
   */
  async #askOthers(asking: string, { topic, payload }: OthersAsked): Promise<readonly unknown[]> {
    const all = [...this.#running].filter(([name]) => name !== asking);
    const others = all.filter(([, { isServing }]) => isServing || topic === 'learn keys');
    for (const [, { channel, isServing }] of all)
      if (!isServing && topic !== 'learn keys') void channel.ask(topic, payload).catch(() => undefined);
    const answers = others.map(async ([name, worker]): Promise<readonly unknown[]> => {
      try {
        return [await askInTime(worker, topic, payload)];
      } catch (error) {
        if (this.#running.get(name) === worker) throw error;
        return [];
      }
    });
    return (await Promise.all(answers)).flat();
  }

  /** Answered when every worker goes by the new secrets. */
  async #writeSecrets(asking: string, { secrets, seen }: SecretsChange): Promise<boolean> {
    const isWritten = await this.#vault.write(secrets, seen);
    if (isWritten) await this.#askOthers(asking, { topic: 'learn keys' });
    return isWritten;
  }
}

/** Rejects where the worker ends, also because it did not answer in time: then the worker is replaced like any that failed. */
async function askInTime({ thread, channel }: RunningWorker, topic: string, payload?: unknown): Promise<unknown> {
  const timer = setTimeout(() => void thread.terminate(), answerMilliseconds);
  try {
    return await channel.ask(topic, payload);
  } finally {
    clearTimeout(timer);
  }
}

interface SecretsChange {
  readonly secrets: Partial<Secrets>;
  readonly seen: KeptSecrets;
}

/** Port 0 is any free one for the first listener, and that one for the others. */
function withPorts(config: Config, { app, management, metrics }: ServedUrls): Config {
  const portOf = (url: string | undefined): number | undefined =>
    url === undefined ? undefined : Number(new URL(url).port);
  const { metricsListen } = config;
  return {
    ...config,
    appPort: portOf(app),
    managementPort: portOf(management),
    metricsListen: metricsListen && { ...metricsListen, port: portOf(metrics) ?? metricsListen.port },
  };
}
