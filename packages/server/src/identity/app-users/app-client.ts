import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/problem.ts';
import type { Scope, Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { findOrg, type Org, requireEnvironment } from '../org-users/org-directory.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';

/** The app in one environment: for a call without a token, the one that its client id says. */
export interface AppClient {
  readonly org: Org;
  readonly env: Environment;
  readonly orgScope: Scope;
  readonly config: ConfigSet;
}

export interface AppClientDeps {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** @throws Problem `not_found`, `client_unknown`. */
export async function openAppClient(deps: AppClientDeps, orgCode: string, clientId: string): Promise<AppClient> {
  const org = await requireOrg(deps.platform, orgCode);
  return openApp(deps, org, requireEnvironment(org, clientId, deps.clock.now()));
}

/** @throws Problem `not_found`. */
export async function appOf(deps: AppClientDeps, claims: Pick<AppTokenClaims, 'org' | 'env'>): Promise<AppClient> {
  return openApp(deps, await requireOrg(deps.platform, claims.org), claims.env);
}

async function openApp({ stores, configs }: AppClientDeps, org: Org, env: Environment): Promise<AppClient> {
  return {
    org,
    env,
    orgScope: stores[env].scope(orgScopeName(org.code)),
    config: await configs[env].current(org.code),
  };
}

/** @throws Problem `not_found`. */
export async function requireOrg(platform: Scope, orgCode: string): Promise<Org> {
  const org = await findOrg(platform, orgCode);
  if (org === undefined) throw notFound();
  return org;
}
