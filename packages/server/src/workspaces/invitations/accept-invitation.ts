import {
  type AccessEpochs,
  type AccountChange,
  auditCallerOf,
  type FoundingMember,
  findMember,
  isServicePrincipal,
  joinedChanges,
  joiningChanges,
  knownPolicy,
  policyGrant,
  policyIdByName,
  promisePolicy,
  removedMemberKey,
} from '../../iam/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { Problem } from '../../lib/problem.ts';
import { appUsers, hasOpenKey, memberships } from '../../people/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import {
  isThere,
  type OrgContext,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
  type WorkspaceHead,
  workspaceScopeName,
  workspaceSuspended,
} from '../../tenancy/port.ts';
import type { MembershipDeps } from '../founding.ts';
import { chooseChange, hintChange, membershipsMax, tenantsOf } from '../membership-hints.ts';
import { roomFor } from '../memberships.ts';
import { type Invitation, invitationAuditEntry, invitations, noLongerReceived, readCode } from './invitation.ts';

/**
 * Makes the person a member by the commit that takes the invitation away, so that a code is valid once. The org's row
 * is written before it, since a membership without it could not be found again, and no repeat would find the
 * invitation.
 * @throws Problem `not_found`, `conflict`, `workspace_suspended`, `escalation_refused` where the inviter might not send it now.
 */
export async function acceptInvitation(
  deps: GrantorDeps,
  context: OrgContext,
  {
    code,
    person,
    suspends,
  }: { readonly code: string; readonly person: FoundingMember; readonly suspends?: string | undefined },
): Promise<WorkspaceHead> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const read = readCode(code);
  if (read === undefined) throw noInvitation();
  const head = await readHead(deps.stores[context.env].scope(workspaceScopeName(context.orgCode, read.tenantCode)));
  if (head === undefined) throw noInvitation();
  const workspace = openWorkspace(deps, context, head);
  if ((await tenantsOf(orgScope, person.id)).length >= membershipsMax)
    throw new Problem('conflict', `a person may be in at most ${membershipsMax} workspaces`);
  const { planned } = await transact(workspace.scope, async () => {
    const row = await invitations.read(workspace.scope, read.id);
    const changes = await acceptance(deps, workspace, {
      row,
      code_hash: read.code_hash,
      person,
      suspends,
      requestId: context.requestId,
      isSuspended: head.is_suspended === true,
    });
    await tryCommit(orgScope, [hintChange(person.id, head), chooseChange(person.id, head)]);
    return { row, changes };
  });
  deps.epochs.bump(workspace.scope.name);
  if (planned.row !== undefined) await tryCommit(orgScope, noLongerReceived(planned.row.value, head.code));
  return head;
}

interface Accepting {
  readonly row: Row<Invitation> | undefined;
  readonly code_hash: string;
  readonly person: FoundingMember;
  readonly suspends: string | undefined;
  readonly requestId: string | undefined;
  readonly isSuspended: boolean;
}

async function acceptance(
  deps: GrantorDeps,
  workspace: Workspace,
  { row, code_hash, person, suspends, requestId, isSuspended }: Accepting,
): Promise<readonly Change[]> {
  if (row?.value.code_hash !== code_hash) throw noInvitation();
  const invitation = row.value;
  if (emailKey(invitation.email) !== emailKey(person.email)) throw noInvitation();
  if (isSuspended) throw workspaceSuspended();
  const actor = { userId: person.id, claims: {}, auditCaller: auditCallerOf(person.id, requestId) };
  const { auditCaller } = actor;
  const entry = invitationAuditEntry(deps.clock, { workspace, actor }, { invitation, done: 'accepted' });
  if ((await findMember(workspace, person.id)) !== undefined) {
    const granted = await grantToMember(deps, { workspace, userId: person.id, auditCaller }, invitation);
    return joinedChanges([removeAsRead(row), isThere, entry], granted);
  }
  const inviter = await requireGrant(deps, workspace, invitation);
  const policyIds = await grantedPolicies(workspace, invitation);
  const room = await roomFor(deps, { workspace, userId: suspends, auditCaller }, await grantedPolicies(workspace, {}));
  if (room === undefined)
    throw new Problem('conflict', 'a member with the email address of the caller has to be merged or removed first');
  const joining = { member: person, policyIds, role: invitation.role, auditCaller };
  return joinedChanges(
    inviter,
    [removeAsRead(row), isThere, { kind: 'remove', ...removedMemberKey(person.id), if: 'any' }],
    await joiningChanges(deps, workspace, joining),
    [entry],
    room,
  );
}

/**
 * An admin of the org is no member who could grant by a link, so an invitation of his gives its policy to a member too.
 * @throws Problem `conflict` for any other invitation, and where the member has the policy.
 */
async function grantToMember(
  deps: GrantorDeps,
  member: AccountChange,
  invitation: Invitation,
): Promise<readonly Change[]> {
  const { invited_by_kind, acl_policy_id } = invitation;
  const isGrant = invited_by_kind === 'org_user' && acl_policy_id !== undefined;
  const inviter = isGrant ? await requireGrant(deps, member.workspace, invitation) : [];
  const granted = isGrant ? await policyGrant(deps, member, acl_policy_id) : undefined;
  if (granted === undefined) throw new Problem('conflict', 'the caller is already in the workspace');
  return [...inviter, ...granted];
}

/** The policies of new members where the invitation names none, which the workspace promises and not the inviter. */
async function grantedPolicies(
  workspace: Workspace,
  { acl_policy_id }: Pick<Invitation, 'acl_policy_id'>,
): Promise<readonly string[]> {
  if (acl_policy_id !== undefined) return [acl_policy_id];
  const head = await readHead(workspace.scope);
  const policyId = head === undefined ? undefined : await policyIdByName(workspace.scope, head.default_member_access);
  return policyId === undefined ? [] : [policyId];
}

/** The same for a code that never was, a used one, and another person's. */
function noInvitation(): Problem {
  return new Problem('not_found', 'there is no open invitation with this code for the email address of the caller');
}

export interface GrantorDeps extends MembershipDeps {
  /** The scope with the roles of builders. */
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
async function requireGrant(
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
  return hasOpenKey(stores[env].scope(orgScopeName(orgCode)), id, clock.now());
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
