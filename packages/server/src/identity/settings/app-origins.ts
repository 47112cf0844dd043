import type { settingsApi } from '@freehold/contract/management/settings';
import type { ReplyOf } from '@freehold/contract/route';
import type { ConfigReader } from '../../config/port.ts';
import { settingOf } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { findOrg } from '../org-users/org-directory.ts';
import { allowedDomains, allowsOrigin } from './allowed-domains.ts';

/** Which pages may call an app from a browser, and which have been refused. */
export interface AppOrigins {
  /** @param env where it is not known yet whose call it is, the origin may be of either environment. */
  isAllowed(orgCode: string, origin: string, env: Environment | undefined): Promise<boolean>;
  /**
   * Origins that were refused since the platform started, the last one first. Of more than can be kept of an app, those
   * refused least often give way, so that calls under invented origins do not push out what is really in use.
   */
  refused(orgCode: string): readonly RefusedOrigin[];
}

export type RefusedOrigin = ReplyOf<typeof settingsApi.listRefusedOrigins>['items'][number];

export interface AppOriginsDeps {
  readonly platform: Scope;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
}

const orgsMax = 1000;
const originsMax = 100;
const originCharactersMax = 300;
const environments = ['test', 'prod'] as const;

export function createAppOrigins({ platform, configs, clock }: AppOriginsDeps): AppOrigins {
  const refusals = createRefusedOrigins(clock);
  const isAllowed = async (orgCode: string, origin: string, env: Environment | undefined): Promise<boolean> => {
    for (const one of env === undefined ? environments : [env])
      if (allowsOrigin(settingOf(await configs[one].current(orgCode), one, allowedDomains), origin)) return true;
    return false;
  };
  return {
    isAllowed: async (orgCode, origin, env) => {
      if (origin.length > originCharactersMax || (await findOrg(platform, orgCode)) === undefined) return false;
      if (await isAllowed(orgCode, origin, env)) return true;
      refusals.note(orgCode, origin);
      return false;
    },
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
