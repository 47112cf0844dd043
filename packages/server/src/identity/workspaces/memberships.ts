import { findMember } from '../../iam/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { StoredRecord } from '../../records/port.ts';
import { orgScopeName, type Workspace, workspaceSuspended } from '../../tenancy/port.ts';
import { completeFounding, type FoundingDeps, findIntent } from './founding.ts';
import { type Tenant, tenantsOf } from './membership-hints.ts';
import { type OrgContext, openWorkspace, readHead, type WorkspaceHead } from './workspace-head.ts';

export type MembershipDeps = FoundingDeps;

/** A person's place in a workspace: the member's record is the truth of it. */
export interface Membership {
  readonly workspace: Workspace;
  readonly member: StoredRecord;
}

export interface FoundMembership extends Membership {
  readonly head: WorkspaceHead;
}

/** Undefined where the person is not in the workspace. A founding that was left half done is completed. */
export async function findMembership(
  deps: MembershipDeps,
  context: OrgContext,
  { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
): Promise<FoundMembership | undefined> {
  const workspace = openWorkspace(deps, context, tenant);
  const head = (await readHead(workspace.scope)) ?? (await completedHead(deps, context, workspace));
  if (head?.id !== tenant.id) return undefined;
  const member = await findMember(workspace, userId);
  return member === undefined ? undefined : { workspace, member, head };
}

async function completedHead(
  deps: MembershipDeps,
  context: OrgContext,
  { tenantId, tenantCode, scope }: Workspace,
): Promise<WorkspaceHead | undefined> {
  const intent = await findIntent(deps.stores[context.env].scope(orgScopeName(context.orgCode)), tenantCode);
  if (intent?.row.id !== tenantId || intent.row.state !== 'founding') return undefined;
  await completeFounding(deps, context, intent);
  return readHead(scope);
}

/** A suspended member is let in nowhere. */
export function isActive(membership: Membership): boolean {
  return membership.member.data.status === 'active';
}

/** Whether calls in it are answered, now. */
export function isOpen(membership: FoundMembership): boolean {
  return isActive(membership) && membership.head.is_suspended !== true;
}

/**
 * The person's membership in the workspace that is named.
 * @throws Problem `not_found` where no such workspace lets the person in; `workspace_suspended`.
 */
export async function requireMembership(
  deps: MembershipDeps,
  context: OrgContext,
  { userId, isNamed }: { readonly userId: string; readonly isNamed: (tenant: Tenant) => boolean },
): Promise<FoundMembership> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const tenant = (await tenantsOf(orgScope, userId)).find(isNamed);
  const found = tenant === undefined ? undefined : await findMembership(deps, context, { tenant, userId });
  if (found === undefined || !isActive(found)) throw notFound();
  if (!isOpen(found)) throw workspaceSuspended();
  return found;
}

/** The workspaces that a person is an active member of, each asked itself, the one joined last first; suspended ones too. */
export async function listMemberships(
  deps: MembershipDeps,
  context: OrgContext,
  userId: string,
): Promise<readonly FoundMembership[]> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const found: FoundMembership[] = [];
  for (const tenant of await tenantsOf(orgScope, userId)) {
    const membership = await findMembership(deps, context, { tenant, userId });
    if (membership !== undefined && isActive(membership)) found.push(membership);
  }
  return found.sort((a, b) => joinedAt(b) - joinedAt(a));
}

function joinedAt({ member }: Membership): number {
  return Date.parse(member.data.created_at);
}
