import type { ConfigSet } from '../../config/port.ts';
import { settingOf } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import { allowedDomains, isOfWeb } from '../settings/allowed-domains.ts';
import { appUrl } from '../settings/app-url.ts';

/** Makes the address of an app's own page for a code. */
export type AppLink = (page: 'invitation' | 'reset-password' | 'verify-email', code: string) => string;

/**
 * Undefined if the address of the app's pages is not set. The code is behind `#`, which browsers send to no server, so
 * it is in no log.
 */
export function appLinks(config: ConfigSet, env: Environment): AppLink | undefined {
  const origin = settingOf(config, env, allowedDomains).find(isOfWeb);
  const url = settingOf(config, env, appUrl) ?? (origin === undefined ? undefined : `${origin}/`);
  return url === undefined ? undefined : (page, code) => `${url}#${page}=${code}`;
}

/** @throws Problem `unavailable` where there is no page for a link to lead to. */
export function requireAppLinks(config: ConfigSet, env: Environment): AppLink {
  const links = appLinks(config, env);
  if (links !== undefined) return links;
  throw new Problem('unavailable', 'the app has no page that links can lead to: its builder must set `auth.app_url`');
}
