import type { InputError } from '@freehold/contract/problem';
import type { SettingType } from '../../entities/setting.ts';
import type { Environment } from '../../entities/workspace.ts';
import { wrong } from './setting-errors.ts';

/** The origins whose pages may call the app, as origins (RFC 6454) in one spelling. */
export const allowedDomains: SettingType<readonly string[]> = {
  key: 'auth.allowed_domains',
  byDefault: ['http://localhost'],
  parse: (input) => {
    if (!Array.isArray(input) || input.length > domainsMax)
      return wrong(`must be an array of at most ${domainsMax} origins`);
    const errors: InputError[] = [];
    const origins: string[] = [];
    for (const [index, entry] of input.entries()) {
      const origin = readOrigin(entry);
      if (origin === undefined) errors.push(...wrong(expected, `/${index}`, 'invalid_origin').errors);
      else if (!origins.includes(origin)) origins.push(origin);
    }
    return errors.length > 0 ? { errors } : { value: origins };
  },
};

const domainsMax = 100;
const expected = 'must be an origin such as `https://app.example.com`, without path, query or wildcard';

/** A bare host means https. What a URL parser would change in silence (a path, a user, an upper-case scheme) is refused. */
function readOrigin(entry: unknown): string | undefined {
  if (typeof entry !== 'string' || entry.length > 300) return undefined;
  const text = entry.includes('://') ? entry : `${isLocalhost(entry) ? 'http' : 'https'}://${entry}`;
  if (!/^https?:\/\/[^/?#@\\\s*]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return hostname === '' || hostname.endsWith('.') ? undefined : origin;
}

/** `localhost`, with a port or without. */
function isLocalhost(text: string): boolean {
  return /^localhost(:\d+)?$/i.test(text);
}

/**
 * Whether a page of this origin may read replies. `localhost` entries mean any port of localhost.
 * @param origin the header as the browser sent it; `null` is never allowed.
 */
export function allowsOrigin(domains: readonly string[], origin: string): boolean {
  if (domains.includes(origin)) return true;
  const local = /^(https?:\/\/localhost)(?::\d{1,5})?$/.exec(origin);
  return local !== null && domains.some((domain) => domain === local[1] || domain.startsWith(`${local[1]}:`));
}

/** In production a page of localhost may call only where that was said for production itself. */
export function domainsOf(
  stored: { readonly value: readonly string[]; readonly prod_value?: readonly string[] | undefined },
  env: Environment,
): readonly string[] {
  if (env === 'test') return stored.value;
  if (stored.prod_value !== undefined) return stored.prod_value;
  return stored.value.filter((domain) => !/^https?:\/\/localhost(?::|$)/.test(domain));
}
