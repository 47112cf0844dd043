import type { usageApi } from '@freehold/contract/management/usage';
import type { ReplyOf } from '@freehold/contract/route';
import type { ConfigSize, Environment } from '../../tenancy/port.ts';
import type { Cap, Limits } from './plan.ts';

/** What an org has of what plans cap, by those who keep it. */
export interface Configured {
  size(orgCode: string, env: Environment): Promise<ConfigSize>;
  /** Of each workspace. */
  policies(
    orgCode: string,
    env: Environment,
  ): Promise<readonly { readonly tenantCode: string; readonly policies: number }[]>;
}

export type ShownCaps = ReplyOf<typeof usageApi.showUsage>['caps'];
/** What is used of a cap, in each environment. */
type ShownCap = ShownCaps['entities'];
/** Of policies it is the workspace with most that counts: those with most, the first of them. */
type WorkspacePolicies = ShownCaps['policies']['workspaces'][number];

const workspacesShown = 10;

export async function showCaps(
  configured: Configured,
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
