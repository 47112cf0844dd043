/** What a plan caps, put together with what holds to it. */

import type { ConfigReader } from './config/port.ts';
import { type ConfigGate, configSize } from './config/port.ts';
import type { MembershipParts } from './identity/port.ts';
import type { Metering, MeteringParts } from './metering/metering.ts';
import type { Spaces } from './open-spaces.ts';
import type { PolicyBound } from './records/port.ts';
import { policiesOfOrg } from './records/port.ts';
import type { Environment } from './tenancy/port.ts';

/** What there is of it, for who looks at the usage of an org. */
export function configuredIn(
  spaces: Pick<Spaces, Environment>,
  configs: Readonly<Record<Environment, ConfigReader>>,
): MeteringParts['configured'] {
  return {
    size: async (orgCode, env) => configSize(await configs[env].current(orgCode)),
    policies: (orgCode, env) => policiesOfOrg(spaces[env].store, orgCode),
  };
}

export interface CapGates {
  /** For changes of configuration. */
  readonly gates: Readonly<Record<Environment, ConfigGate>>;
  /** For writes in workspaces. */
  readonly policyBound: PolicyBound;
  /** For workspaces that are founded. */
  readonly foundingGate: NonNullable<MembershipParts['foundingGate']>;
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
