/** Metering, put together with what it counts and with what holds to its caps. */

import type { ConfigReader } from '../config/port.ts';
import { type ConfigGate, configSize } from '../config/port.ts';
import { findOrg, type MembershipDeps } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import { type Metering, type MeteringDeps, startMetering } from '../metering/metering.ts';
import type { PolicyBound } from '../records/port.ts';
import { policiesOfOrg, recordsOfOrg } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { ComposedSpaces } from './compose-spaces.ts';

export interface ComposeMeteringDeps extends Pick<MeteringDeps, 'announce' | 'planChanges'> {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export function composeMetering(
  { platform, stores, orgScopes }: ComposedSpaces,
  { configs, ...deps }: ComposeMeteringDeps,
): Metering {
  const recordsIn = async (orgCode: string, env: Environment) =>
    (await recordsOfOrg(stores[env], orgCode)).map((one) => ({ ...one, env }));
  return startMetering({
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
