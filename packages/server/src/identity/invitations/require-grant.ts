import { findMember, isServicePrincipal, promisePolicy } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { isOpenKey, serviceKeys } from '../keys/service-key.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import type { Invitation } from './invitation.ts';

/**
 * Holds an invitation to what its inviter may grant at this moment: rights that were taken since are not handed on. An
 * inviter who is suspended or gone, or a service key that is removed or expired, has none.
 * @returns what the commit of the acceptance has to check.
 * @throws Problem `escalation_refused`, `conflict` where the policy is no more.
 */
export async function requireGrant(
  deps: MembershipDeps,
  workspace: Workspace,
  { invited_by, acl_policy_id }: Invitation,
): Promise<readonly Change[]> {
  const inviter = await findMember(workspace, invited_by);
  if (inviter?.data.status !== 'active') throw refused();
  if (isServicePrincipal(inviter.data) && !(await isKeyOpen(deps, workspace, invited_by))) throw refused();
  const unchanged: Change = { kind: 'check', ...inviter.key, if: { version: inviter.version } };
  if (acl_policy_id === undefined) return [unchanged];
  const config = await deps.configs[workspace.env].current(workspace.orgCode);
  const context = { workspace, config, actor: { userId: invited_by, claims: {} } };
  const promised = await promisePolicy(context, { id: acl_policy_id }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'escalation_refused' ? refused() : error;
  });
  if (promised !== undefined) return [unchanged, ...promised];
  throw new Problem('conflict', 'the policy that the invitation grants no longer exists: ask for another invitation');
}

async function isKeyOpen({ stores, clock }: MembershipDeps, { env, orgCode }: Workspace, id: string): Promise<boolean> {
  const row = await serviceKeys.rows.read(stores[env].scope(orgScopeName(orgCode)), id);
  return row !== undefined && isOpenKey(row.value, clock.now());
}

/** Says nothing of what the inviter holds: that is not the caller's to know. */
function refused(): Problem {
  return new Problem(
    'escalation_refused',
    'the inviter may no longer grant what the invitation grants: ask a person who may to send it again',
  );
}
