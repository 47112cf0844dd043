/** A platform that serves. */
import type { Config } from '../config.ts';
import { drain } from '../gateway/listener.ts';
import type { SiteState } from '../gateway/site-files.ts';
import { systemClock } from '../lib/clock.ts';
import type { OpenedLog } from '../telemetry/open-log.ts';
import { compose } from './compose.ts';
import { openConsole } from './console.ts';
import { openDocs } from './docs.ts';
import { openListeners } from './open-listeners.ts';
import type { ServedUrls } from './operations/nodes/describe-node.ts';

export interface ServingPlatform {
  readonly urls: ServedUrls;
  /** Whether there is no account yet. */
  isEmpty(): Promise<boolean>;
  /** Whether there is a console to sign in to. */
  consoleState(): SiteState<unknown>['is'];
  /** Builds the console and the documentation in the background, where that is needed. */
  buildSites(): void;
  /** Answers what is under way, for so long, and closes everything. */
  drain(milliseconds: number): Promise<void>;
}

export interface ServeOptions {
  readonly config: Config;
  readonly opened: OpenedLog;
  readonly onFatal: (error: unknown) => void;
}

/** @throws Error with a sentence for the operator. */
export async function servePlatform({ config, opened, onFatal }: ServeOptions): Promise<ServingPlatform> {
  const { log } = opened;
  const managementConsole = openConsole(config, log);
  const docs = openDocs(config, log);
  const platform = await compose({
    config,
    console: managementConsole,
    docs,
    clock: systemClock,
    onFault: (error, requestId) => log.error({ err: error, request_id: requestId }, 'a request or a job failed'),
    onFatal,
    onServer: ({ state, ...expected }) => {
      if (state === 'up') log.info(expected, 'a server of the store answers again, with safe settings');
      else if (state === 'relayed') log.warn(expected, 'a server of the store is reached only through another server');
      else log.error(expected, `a server of the store ${state === 'down' ? 'does not answer' : 'may lose writes'}`);
    },
  });
  const { app, management, metrics } = await openListeners(platform, config, opened);
  managementConsole.openedApp(app?.url);
  const urls = { app: app?.url, management: management?.url, metrics: metrics?.url };
  await platform.listening(urls);
  return {
    urls,
    isEmpty: platform.isEmpty,
    consoleState: () => managementConsole.current().is,
    buildSites: () => {
      // One after the other: a machine may have a single core.
      managementConsole.build(() => docs.build());
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
