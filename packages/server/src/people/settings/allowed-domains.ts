import { controls, spaces } from '@freehold/contract/characters';
import type { settingsApi } from '@freehold/contract/management/settings';
import type { InputError } from '@freehold/contract/problem';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigSet, type SettingType, settingOf } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { wrong } from '../../lib/unknown-names.ts';
import type { Environment } from '../../tenancy/port.ts';
import { findOrg } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';

const domainsMax = 100;
const charactersMax = 300;
/** A host, with scheme and port or without. What a URL parser would leave out in silence is refused, and `null`. */
const form = /^(?:(?:capacitor|ionic|tauri):\/\/localhost|(?:https?:\/\/)?[^/?#@%*\\\s]+)$/;

/** The origins of apps in the web view of a device, as Capacitor, Ionic and Tauri have them. No page of the web has one. */
const deviceOrigins: readonly string[] = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'];

/** The origins whose pages may call the app, as browsers write them (RFC 6454, 6.2). */
export const allowedDomains: SettingType<readonly string[]> = {
  key: 'auth.allowed_domains',
  description:
    'The origins whose pages may call the app. A bare host means https; `localhost` means any of its ports, over http also at `127.0.0.1` and `[::1]`; all three count in production only from `prod_value`. `capacitor://localhost`, `ionic://localhost` and `tauri://localhost` are apps on devices.',
  byDefault: ['http://localhost'],
  schema: {
    type: 'array',
    maxItems: domainsMax,
    items: { type: 'string', maxLength: charactersMax, pattern: form.source, not: { const: 'null' } },
  },
  parse: (input) => {
    if (!Array.isArray(input) || input.length > domainsMax)
      return wrong(`must be an array of at most ${domainsMax} origins`);
    const origins = input.map(readOrigin);
    const errors = origins.flatMap((origin, index): readonly InputError[] =>
      origin === undefined ? wrong(expected, `/${index}`, 'invalid_origin').errors : [],
    );
    return errors.length > 0 ? { errors } : { value: [...new Set(origins.filter((origin) => origin !== undefined))] };
  },
  inProduction: (origins) => origins.filter((origin) => !isLocal(origin)),
  widens: (before, after) =>
    after.filter((origin) => !before.includes(origin)).map((origin) => `pages of \`${origin}\` may call the app`),
};

const expected = 'must be an origin such as `https://app.example.com`, without path, query or wildcard';

/** The one spelling of an origin that browsers send. */
function readOrigin(entry: unknown): string | undefined {
  if (typeof entry !== 'string' || entry.length > charactersMax || entry === 'null' || !form.test(entry))
    return undefined;
  if (deviceOrigins.includes(entry)) return entry;
  const bare = /^localhost(:\d+)?$/i.test(entry) ? `http://${entry}` : `https://${entry}`;
  const text = entry.includes('://') ? entry : bare;
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return hostname.endsWith('.') ? undefined : origin;
}

/**
 * Whether a page of this origin may read replies. `localhost` entries mean any port of the machine
 * that the browser runs on, whose addresses are as good as its name where there is no certificate.
 * @param origin the header as the browser sent it; `null` is never allowed.
 */
export function allowsOrigin(domains: readonly string[], origin: string): boolean {
  if (domains.includes(origin)) return true;
  const [, scheme, host] = local.exec(origin) ?? [];
  if (host !== 'localhost' && scheme !== 'http') return false;
  return domains.some((domain) => {
    const [, listedScheme, listedHost] = local.exec(domain) ?? [];
    return listedHost === 'localhost' && listedScheme === scheme;
  });
}

/** The scheme and the host of an origin of the browser's own machine, whatever its port. */
const local = /^(https?):\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Whether a browser can open the page of this origin: no link leads into an app on a device. */
function isOfWeb(origin: string): boolean {
  return !deviceOrigins.includes(origin);
}

/** Whether an origin is of the browser's own machine, by name or by address. */
function isLocal(origin: string): boolean {
  return local.test(origin);
}

export type RefusedOrigin = ReplyOf<typeof settingsApi.listRefusedOrigins>['items'][number];

const orgsMax = 1000;
const originsMax = 100;
const originCharactersMax = 300;
const environments = ['test', 'prod'] as const;

export type AppOrigins = ReturnType<typeof createAppOrigins>;

/** Which pages may call an app from a browser, and which have been refused. */
export function createAppOrigins({ platform, configs, clock }: Pick<Parts, 'platform' | 'configs' | 'clock'>) {
  const refusals = createRefusedOrigins(clock);
  const isAllowed = async (orgCode: string, origin: string, env: Environment | undefined): Promise<boolean> => {
    for (const one of env === undefined ? environments : [env])
      if (allowsOrigin(settingOf(await configs[one].current(orgCode), one, allowedDomains), origin)) return true;
    return false;
  };
  return {
    /** @param env where it is not known yet whose call it is, the origin may be of either environment. */
    isAllowed: async (orgCode: string, origin: string, env: Environment | undefined): Promise<boolean> => {
      if (origin.length > originCharactersMax || (await findOrg(platform, orgCode)) === undefined) return false;
      if (await isAllowed(orgCode, origin, env)) return true;
      refusals.note(orgCode, origin);
      return false;
    },
    /**
     * Origins that were refused since the platform started, the last one first. Of more than can be kept of an app, those
     * refused least often give way, so that calls under invented origins do not push out what is really in use.
     */
    refused: refusals.of,
  };
}

/** In memory, by app. */
function createRefusedOrigins(clock: Clock) {
  const orgs = new BoundedMap<string, Map<string, RefusedOrigin>>(orgsMax);
  return {
    note: (orgCode: string, origin: string): void => {
      const known = orgs.get(orgCode) ?? new Map<string, RefusedOrigin>();
      orgs.set(orgCode, known);
      const count = (known.get(origin)?.count ?? 0) + 1;
      known.delete(origin);
      if (known.size === originsMax) known.delete(leastRefused(known.values()));
      known.set(origin, { origin, count, last_at: timestamp(clock.now()) });
    },
    of: (orgCode: string): readonly RefusedOrigin[] => [...(orgs.get(orgCode)?.values() ?? [])].reverse(),
  };
}

/** Of several, the one whose last refusal is the longest ago: a map holds them in that order. */
function leastRefused(origins: Iterable<RefusedOrigin>): string {
  let least: RefusedOrigin | undefined;
  for (const one of origins) if (least === undefined || one.count < least.count) least = one;
  return least?.origin ?? '';
}

const urlCharactersMax = 500;
/** Of an address, for schemas. */
const urlPattern = `^https?://[^?#@\\\\${controls}${spaces}]+$`;
const urlForm = /^https?:\/\/[^?#@\\\s\p{Cc}]+$/u;

export const appUrl: SettingType<string | null> = {
  key: 'auth.app_url',
  description:
    'The address of the app’s own page that links in mails and invitations lead to; `null` takes the first of `auth.allowed_domains`. `localhost`, `127.0.0.1` and `[::1]` count in production only from `prod_value`.',
  byDefault: null,
  schema: { anyOf: [{ type: 'string', maxLength: urlCharactersMax, pattern: urlPattern }, { type: 'null' }] },
  parse: (input) => {
    if (input === null) return { value: null };
    const isUrl = typeof input === 'string' && input.length <= urlCharactersMax && urlForm.test(input);
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
