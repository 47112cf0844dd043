/** The console that lies in `packages/console/dist`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type ConsoleFiles, type ConsoleSource, readSiteFiles } from '../gateway/site-files.ts';
import { root } from '../lib/installation.ts';
import { type BuiltSite, openBuiltSite, type SiteLog } from './built-site.ts';

export interface OpenedConsole extends ConsoleSource, BuiltSite<ConsoleFiles> {
  /** Says where the app gateway listens on this machine; undefined where it does not. */
  openedApp(url: string | undefined): void;
}

type ConsoleSettings = Pick<Config, 'mode' | 'console' | 'managementPort' | 'managementUrl' | 'publicUrl'>;

export function openConsole(
  settings: ConsoleSettings,
  log: SiteLog,
  folder = join(root, 'packages', 'console'),
): OpenedConsole {
  const { mode, managementUrl, publicUrl } = settings;
  const site = openBuiltSite({
    ...{ name: 'the console', verb: 'is', mode, log, folder },
    isServed: settings.console && settings.managementPort !== undefined,
    // The descriptions of the routes, and what the console knows of OpenAPI documents.
    sources: [join(root, 'packages', 'contract', 'src'), join(root, 'packages', 'docs', 'src', 'openapi')],
    read: readConsole,
  });
  let appUrl: string | undefined;
  return {
    ...site,
    appAddress: () => {
      if (appUrl === undefined) return undefined;
      return publicUrl === undefined ? { port: Number(new URL(appUrl).port) } : { url: publicUrl };
    },
    basePath: `${managementUrl === undefined ? '' : new URL(managementUrl).pathname.replace(/\/$/, '')}/`,
    openedApp: (url) => {
      appUrl = url;
    },
  };
}

function readConsole(dist: string): ConsoleFiles {
  const files = readSiteFiles(dist);
  const page = files.get('/index.html')?.plain ?? readFileSync(join(dist, 'index.html'));
  return {
    page: page.toString('utf8'),
    assets: new Map([...files].filter(([path]) => !path.endsWith('.html'))),
  };
}
