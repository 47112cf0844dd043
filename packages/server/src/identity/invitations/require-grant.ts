import { type AccessEpochs, findMember, isServicePrincipal, knownPolicy, promisePolicy } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change, Scope } from '../../store/port.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { appUsers } from '../app-users/app-user.ts';
import { isOpenKey, serviceKeys } from '../keys/service-key.ts';
import { memberships } from '../org-users/account.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import type { Invitation } from './invitation.ts';

export interface GrantorDeps extends MembershipDeps {
  /** Where the roles of builders are. */
  readonly platform: Scope;
  /** Has this process look again at what people may do. */
  readonly epochs: AccessEpochs;
}

/**
 * Holds an invitation to what its inviter may grant at this moment: rights that were taken since are not handed on. An
 * inviter who is suspended, disabled or gone, a service key that is removed or expired, or a builder who is no org admin any
 * more, has none.
 * @returns what the commit of the acceptance has to check.
 * @throws Problem `escalation_refused`, `conflict` where the policy is no more.
 */
export async function requireGrant(
  deps: GrantorDeps,
  workspace: Workspace,
  invitation: Invitation,
): Promise<readonly Change[]> {
  const { invited_by, acl_policy_id } = invitation;
  if (invitation.invited_by_kind === 'org_user') return requireBuilderGrant(deps, workspace, invitation);
  const inviter = await findMember(workspace, invited_by);
  if (inviter?.data.status !== 'active') throw refused();
  const isOpen = isServicePrincipal(inviter.data) ? isKeyOpen : isAccountOpen;
  if (!(await isOpen(deps, workspace, invited_by))) throw refused();
  const unchanged: Change = { kind: 'check', ...inviter.key, if: { version: inviter.version } };
  if (acl_policy_id === undefined) return [unchanged];
  const config = await deps.configs[workspace.env].current(workspace.orgCode);
  const context = { workspace, config, actor: { userId: invited_by, claims: {} } };
  const promised = await promisePolicy(context, { id: acl_policy_id }, 'kept').catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'escalation_refused' ? refused() : error;
  });
  if (promised !== undefined) return [unchanged, ...promised];
  throw policyGone();
}

/** An org admin may grant any policy of the workspace, as he may to a service key. */
async function requireBuilderGrant(
  { platform }: GrantorDeps,
  workspace: Workspace,
  { invited_by, acl_policy_id }: Invitation,
): Promise<readonly Change[]> {
  const held = await memberships.read(platform, [invited_by, workspace.orgCode]);
  if (held?.value.role !== 'org_admin') throw refused();
  if (acl_policy_id === undefined) return [];
  const known = await knownPolicy(workspace, acl_policy_id, 'kept');
  if (known !== undefined) return known;
  throw policyGone();
}

function policyGone(): Problem {
  return new Problem('conflict', 'the policy that the invitation grants no longer exists: ask for another invitation');
}

async function isKeyOpen({ stores, clock }: MembershipDeps, { env, orgCode }: Workspace, id: string): Promise<boolean> {
  const row = await serviceKeys.rows.read(stores[env].scope(orgScopeName(orgCode)), id);
  return row !== undefined && isOpenKey(row.value, clock.now());
}

async function isAccountOpen({ stores }: MembershipDeps, { env, orgCode }: Workspace, id: string): Promise<boolean> {
  const account = (await appUsers.read(stores[env].scope(orgScopeName(orgCode)), id))?.value;
  return account?.disabled === undefined && account?.is_erasing !== true;
}

/** Says nothing of what the inviter holds: that is not the caller's to know. */
function refused(): Problem {
  return new Problem(
    'escalation_refused',
    'the inviter may no longer grant what the invitation grants: ask a person who may to send it again',
  );
}
