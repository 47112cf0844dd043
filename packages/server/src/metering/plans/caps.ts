/** The caps of a plan on an org's configuration: nothing is counted here, since the caller knows the counts. */

import type { usageApi } from '@freehold/contract/management/usage';
import type { ReplyOf } from '@freehold/contract/route';
import { Problem } from '../../lib/problem.ts';
import type { ConfigSize, CountBound, Environment } from '../../tenancy/port.ts';
import type { MeteredWorkspace } from '../call-meter.ts';
import type { Cap, Limits, Plans } from '../plans.ts';
import { flagsOf, type QuotaUsage } from './limits.ts';

export interface Caps {
  /**
   * Holds a change of an org's configuration, before it is committed, to the plan that the org has by then. What does not
   * grow is let through, also where it is more than the plan has room for. @throws Problem `plan_limit_exceeded`.
   */
  admitConfig(
    place: MeteredEnvironment,
    size: { readonly before: ConfigSize; readonly after: ConfigSize },
  ): Promise<void>;
  /** The number of policies that a workspace may have; undefined where the plan does not say. */
  policyBound(workspace: MeteredWorkspace): Promise<CountBound | undefined>;
  /** The use of each, and the limit. */
  show(orgCode: string, options: { readonly hasProd: boolean }): Promise<ShownCaps>;
}

type MeteredEnvironment = Pick<MeteredWorkspace, 'orgCode' | 'env'>;

interface CapsDeps {
  readonly plans: Pick<Plans, 'of'>;
  readonly configured: ConfiguredSizes;
  readonly quota: (orgCode: string) => Promise<QuotaUsage>;
}

/** The plan is read each time: what is configured seldom changes, and two nodes must not go by two plans. */
export function createCaps({ plans, configured, quota }: CapsDeps): Caps {
  const exceeded = async (cap: Cap, where: CappedScope, reached: CapDetail): Promise<Problem> => {
    const { limits, usage } = await quota(where.orgCode);
    return capExceeded(cap, where, { ...reached, flags: flagsOf(limits, usage) });
  };
  return {
    admitConfig: async (place, { before, after }) => {
      const grown = (['entities', 'indexes'] as const).filter((cap) => after[cap] > before[cap]);
      if (grown.length === 0) return;
      const { limits } = await plans.of(place.orgCode);
      for (const cap of grown) {
        const limit = limits[cap];
        if (limit !== undefined && after[cap] > limit)
          throw await exceeded(cap, place, { used: before[cap], wanted: after[cap], limit });
      }
    },
    policyBound: async (place) => {
      const { policies: max } = (await plans.of(place.orgCode)).limits;
      if (max === undefined) return undefined;
      return { max, exceeded: (used, wanted) => exceeded('policies', place, { used, wanted, limit: max }) };
    },
    show: async (orgCode, { hasProd }) => {
      const { limits } = await plans.of(orgCode);
      return showCaps(configured, { orgCode, hasProd, limits });
    },
  };
}

type CappedScope = MeteredEnvironment & Partial<Pick<MeteredWorkspace, 'tenantCode'>>;

interface CapDetail {
  readonly used: number;
  readonly wanted: number;
  readonly limit: number;
}

/** The shortest wait before a retry: there is room when items are removed. */
const retrySeconds = 3600;

function capExceeded(
  cap: Cap,
  { env, tenantCode }: CappedScope,
  { used, wanted, limit, flags }: CapDetail & { readonly flags: ReturnType<typeof flagsOf> },
): Problem {
  const where = tenantCode === undefined ? `in ${env}` : 'in this workspace';
  const message = `the plan has room for ${limit} ${cap} ${where}: there are ${used}, and this would make them ${wanted}`;
  return new Problem('plan_limit_exceeded', message, {
    metric: cap,
    used,
    limit,
    window: 'total',
    resets_at: null,
    flags,
    env,
    ...(tenantCode === undefined ? {} : { tenant_code: tenantCode }),
    retry_after_seconds: retrySeconds,
  });
}

/** The sizes of an org that plans cap, by the modules that keep them. */
export interface ConfiguredSizes {
  size(orgCode: string, env: Environment): Promise<ConfigSize>;
  /** Of each workspace. */
  policies(
    orgCode: string,
    env: Environment,
  ): Promise<readonly { readonly tenantCode: string; readonly policies: number }[]>;
}

export type ShownCaps = ReplyOf<typeof usageApi.showUsage>['caps'];
/** The use of a cap, in each environment. */
type ShownCap = ShownCaps['entities'];
/** Of policies it is the workspace with most that counts: those with most, the first of them. */
type WorkspacePolicies = ShownCaps['policies']['workspaces'][number];

const workspacesShown = 10;

export async function showCaps(
  configured: ConfiguredSizes,
  { orgCode, hasProd, limits }: { readonly orgCode: string; readonly hasProd: boolean; readonly limits: Limits },
): Promise<ShownCaps> {
  const environments = hasProd ? (['test', 'prod'] as const) : (['test'] as const);
  const sizes = await Promise.all(environments.map((env) => configured.size(orgCode, env)));
  const lists = await Promise.all(
    environments.map(async (env) =>
      (await configured.policies(orgCode, env)).map(
        ({ tenantCode, policies }): WorkspacePolicies => ({ env, tenant_code: tenantCode, used: policies }),
      ),
    ),
  );
  const shown = (cap: Cap, [test = 0, prod]: readonly number[]): ShownCap => ({
    limit: limits[cap] ?? null,
    test,
    prod: hasProd ? (prod ?? 0) : null,
  });
  const most = lists.map((list) => list.reduce((sum, { used }) => Math.max(sum, used), 0));
  const workspaces = lists.flat().toSorted((left, right) => right.used - left.used);
  return {
    entities: shown(
      'entities',
      sizes.map(({ entities }) => entities),
    ),
    indexes: shown(
      'indexes',
      sizes.map(({ indexes }) => indexes),
    ),
    policies: { ...shown('policies', most), workspaces: workspaces.slice(0, workspacesShown) },
  };
}
