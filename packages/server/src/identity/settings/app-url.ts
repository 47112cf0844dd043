import { controls, spaces } from '@freehold/contract/characters';
import { type ConfigSet, type SettingType, settingOf, wrong } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import { allowedDomains, isLocal, isOfWeb } from './allowed-domains.ts';

const charactersMax = 500;
/** The same for schemas. */
const pattern = `^https?://[^?#@\\\\${controls}${spaces}]+$`;
const form = /^https?:\/\/[^?#@\\\s\p{Cc}]+$/u;

export const appUrl: SettingType<string | null> = {
  key: 'auth.app_url',
  description:
    'The address of the app’s own page that links in mails and invitations lead to; `null` takes the first of `auth.allowed_domains`. `localhost`, `127.0.0.1` and `[::1]` count in production only from `prod_value`.',
  byDefault: null,
  schema: { anyOf: [{ type: 'string', maxLength: charactersMax, pattern }, { type: 'null' }] },
  parse: (input) => {
    if (input === null) return { value: null };
    const isUrl = typeof input === 'string' && input.length <= charactersMax && form.test(input);
    const url = isUrl ? URL.parse(input) : null;
    if (url === null)
      return wrong('must be an address such as `https://app.example.com/start`, without query or fragment, or `null`');
    return { value: url.href };
  },
  inProduction: (url) => (url !== null && isLocal(new URL(url).origin) ? null : url),
  widens: (_before, after) => {
    const page = after === null ? 'the first of `auth.allowed_domains`' : `\`${after}\``;
    return [`links in mails, with the codes that they carry, lead to ${page}`];
  },
};

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
