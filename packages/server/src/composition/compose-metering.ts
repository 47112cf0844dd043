/** Metering, put together with what it counts and with what holds to its caps. */
import type { RoutesOfModule } from '../api/route.ts';
import type { ConfigGate, ConfigReader } from '../config/port.ts';
import { configSize } from '../entities/entity-rows.ts';
import type { Clock } from '../lib/clock.ts';
import { type Metering, type MeteringDeps, startMetering } from '../metering/metering.ts';
import { type MeteringRouteDeps, meteringRoutes } from '../metering/metering-routes.ts';
import { findOrg } from '../people/port.ts';
import { type PolicyBound, policiesOfOrg, recordsOfOrg } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { MembershipDeps } from '../workspaces/founding.ts';
import type { ComposedSpaces } from './compose-spaces.ts';

export interface ComposeMeteringDeps
  extends Pick<MeteringDeps, 'announce' | 'planChanges'>,
    Omit<MeteringRouteDeps, 'metering'> {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export function composeMetering(
  { platform, stores, orgScopes }: ComposedSpaces,
  { configs, ...deps }: ComposeMeteringDeps,
): Metering & { readonly routes: RoutesOfModule } {
  const recordsIn = async (orgCode: string, env: Environment) =>
    (await recordsOfOrg(stores[env], orgCode)).map((one) => ({ ...one, env }));
  const metering = startMetering({
    ...deps,
    platform,
    orgScopes,
    hasOrg: async (orgCode) => (await findOrg(platform, orgCode)) !== undefined,
    recordsOf: async (orgCode) => [...(await recordsIn(orgCode, 'test')), ...(await recordsIn(orgCode, 'prod'))],
    configured: {
      size: async (orgCode, env) => configSize(await configs[env].current(orgCode)),
      policies: (orgCode, env) => policiesOfOrg(stores[env], orgCode),
    },
  });
  return { ...metering, routes: meteringRoutes({ ...deps, metering }) };
}

export interface CapGates {
  /** For changes of configuration. */
  readonly gates: Readonly<Record<Environment, ConfigGate>>;
  /** For writes in workspaces. */
  readonly policyBound: PolicyBound;
  /** For workspaces that are founded. */
  readonly foundingGate: NonNullable<MembershipDeps['foundingGate']>;
}

export function capGates({ admitConfig, policyBound }: Metering['caps']): CapGates {
  const gateOf =
    (env: Environment): ConfigGate =>
    (orgCode, size) =>
      admitConfig({ orgCode, env }, size);
  return {
    gates: { test: gateOf('test'), prod: gateOf('prod') },
    policyBound,
    foundingGate: async (place, tenantCode, policies) => {
      const bound = await policyBound({ ...place, tenantCode });
      if (bound !== undefined && policies > bound.max) throw await bound.exceeded(0, policies);
    },
  };
}
