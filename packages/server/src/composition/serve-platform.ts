/** A platform that serves on the calling thread. */
import type { Config } from '../config.ts';
import { drain } from '../gateway/drain.ts';
import { systemClock } from '../lib/clock.ts';
import type { OpenedLog } from '../telemetry/open-log.ts';
import { compose } from './compose.ts';
import { openConsole } from './console.ts';
import { openListeners } from './open-listeners.ts';

/** A platform that serves, however many threads it does so with. */
export interface ServingPlatform {
  /** Where it is reached on this machine. */
  readonly urls: ServedUrls;
  /** Whether there is no account yet. */
  isEmpty(): Promise<boolean>;
  /** Builds the console in the background, where that is needed. */
  buildConsole(): void;
  /** Answers what is under way, for so long, and closes everything. */
  drain(milliseconds: number): Promise<void>;
}

export interface ServedUrls {
  readonly app: string | undefined;
  readonly management: string | undefined;
  readonly metrics: string | undefined;
}

export interface ServeOptions {
  readonly config: Config;
  readonly opened: OpenedLog;
  readonly onFatal: (error: unknown) => void;
  /** Where the platform is one of several workers of a process, and how many these are. */
  readonly worker?: WorkerPlace | undefined;
}

export interface WorkerPlace extends Pick<NonNullable<Parameters<typeof compose>[0]>, 'openSpace'> {
  readonly shared: NonNullable<Parameters<typeof compose>[0]['shared']>;
  readonly workers: number;
  readonly demoTraceId: string;
}

/** @throws Error with a sentence for the operator. */
export async function servePlatform({ config, opened, onFatal, worker }: ServeOptions): Promise<ServingPlatform> {
  const { log } = opened;
  const managementConsole = openConsole(config, log);
  const platform = await compose({
    config,
    console: managementConsole,
    clock: systemClock,
    onFault: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request or a job failed'),
    onFatal,
    onServer: ({ state, ...said }) => {
      if (state === 'up') log.info(said, 'a server of the store answers again, with safe settings');
      else if (state === 'relayed') log.warn(said, 'a server of the store is reached only through another server');
      else log.error(said, `a server of the store ${state === 'down' ? 'does not answer' : 'may lose writes'}`);
    },
    ...(worker?.openSpace && { openSpace: worker.openSpace }),
    shared: worker?.shared,
  });
  const sharing = worker && {
    sharers: worker.workers,
    connections: worker.shared.counted.connections,
    demoTraceId: worker.demoTraceId,
  };
  const listeners = await openListeners(platform, config, opened, sharing);
  const { app, management, metrics } = listeners;
  managementConsole.openedApp(app?.url);
  worker?.shared.serve('console is built', managementConsole.readAgain);
  return {
    urls: { app: app?.url, management: management?.url, metrics: metrics?.url },
    isEmpty: platform.isEmpty,
    buildConsole: () => {
      if (management !== undefined) managementConsole.build(() => void worker?.shared.askOthers('console is built'));
    },
    drain: async (milliseconds) => {
      platform.startDraining();
      await drain(
        [app, management, metrics].filter((listener) => listener !== undefined),
        milliseconds,
      );
      await platform.close();
    },
  };
}
