import { settingOf } from '../../config/port.ts';
import { findMember } from '../../iam/port.ts';
import { defaultWorkspaceCode, orgScopeName } from '../../tenancy/port.ts';
import { tenancyType } from '../settings/plain-settings.ts';
import { findIntent } from './founding.ts';
import { type Tenant, tenantsOf } from './membership-hints.ts';
import type { MembershipDeps } from './memberships.ts';
import { type OrgContext, openWorkspace, readHead } from './workspace-head.ts';

/**
 * Whether a sign-in finds the person suspended in the default workspace and active in none, for which it is refused.
 * Reads, and completes nothing that was left half done.
 */
export async function isSuspendedAtHome(
  deps: Pick<MembershipDeps, 'stores' | 'configs'>,
  context: OrgContext,
  userId: string,
): Promise<boolean> {
  const { env, orgCode } = context;
  const config = await deps.configs[env].current(orgCode);
  if (settingOf(config, env, tenancyType) !== 'single') return false;
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const statusIn = async (tenant: Tenant): Promise<unknown> => {
    const workspace = openWorkspace(deps, context, tenant);
    if ((await readHead(workspace.scope))?.id !== tenant.id) return undefined;
    return (await findMember(workspace, userId))?.data.status;
  };
  const home = await findIntent(orgScope, defaultWorkspaceCode);
  const atHome = home === undefined ? undefined : await statusIn(home.row);
  if (atHome === undefined || atHome === 'active') return false;
  for (const tenant of await tenantsOf(orgScope, userId)) if ((await statusIn(tenant)) === 'active') return false;
  return true;
}
