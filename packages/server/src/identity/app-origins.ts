import type { ConfigReader } from '../entities/config-reader.ts';
import { settingOf } from '../entities/setting.ts';
import type { Environment } from '../entities/workspace.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Scope } from '../store/port.ts';
import { findOrg } from './org-directory.ts';
import { allowedDomains, allowsOrigin } from './settings/allowed-domains.ts';

/** Which pages may call an app from a browser, and which have been refused. */
export interface AppOrigins {
  /** @param env where it is not known yet whose call it is, the origin may be of either environment. */
  isAllowed(orgCode: string, origin: string, env: Environment | undefined): Promise<boolean>;
  /** The origins that were refused since the platform started, the last ones of each app. */
  refused(orgCode: string): readonly RefusedOrigin[];
}

export interface RefusedOrigin {
  readonly origin: string;
  readonly count: number;
  readonly last_at: string;
}

export interface AppOriginsParts {
  readonly platform: Scope;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
}

const orgsMax = 1000;
const originsMax = 100;
const originCharactersMax = 300;
const environments = ['test', 'prod'] as const;

export function createAppOrigins({ platform, configs, clock }: AppOriginsParts): AppOrigins {
  const refusals = new BoundedMap<string, BoundedMap<string, RefusedOrigin>>(orgsMax);

  const isAllowed = async (orgCode: string, origin: string, env: Environment | undefined): Promise<boolean> => {
    for (const one of env === undefined ? environments : [env])
      if (allowsOrigin(settingOf(await configs[one].current(orgCode), one, allowedDomains), origin)) return true;
    return false;
  };
  const note = (orgCode: string, origin: string): void => {
    const known = refusals.get(orgCode) ?? new BoundedMap<string, RefusedOrigin>(originsMax);
    refusals.set(orgCode, known);
    const count = (known.get(origin)?.count ?? 0) + 1;
    known.set(origin, { origin, count, last_at: timestamp(clock.now()) });
  };
  return {
    isAllowed: async (orgCode, origin, env) => {
      if (origin.length > originCharactersMax || (await findOrg(platform, orgCode)) === undefined) return false;
      if (await isAllowed(orgCode, origin, env)) return true;
      note(orgCode, origin);
      return false;
    },
    refused: (orgCode) => [...(refusals.get(orgCode)?.values() ?? [])].reverse(),
  };
}
