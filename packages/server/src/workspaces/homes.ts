/** The answers of the workspaces about the users of an app. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditCaller } from '../audit/audit-entry.ts';
import {
  auditCallerOf,
  type FoundingMember,
  findMember,
  mergedMember,
  policyIdByName,
  removalChanges,
  replacedMember,
  statusChanges,
} from '../iam/port.ts';
import { Problem } from '../lib/problem.ts';
import { type AppUser, changeAppUser, findAppUser, type Homes, memberOf } from '../people/port.ts';
import type { Change, Scope } from '../store/port.ts';
import { transact, tryCommit } from '../store/transact.ts';
import {
  defaultWorkspaceCode,
  isThere,
  type OrgContext,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
} from '../tenancy/port.ts';
import { asFirstAdmin, type FirstAdminDeps } from './first-admin.ts';
import { findIntent, type MembershipDeps } from './founding.ts';
import { chooseChange, chosenTenant, forgetChange, hintChange, type Tenant, tenantsOf } from './membership-hints.ts';
import { isActive, isSuspendedAtHome, requireMembership, resolveWorkspace, whyOutside } from './memberships.ts';

export function createHomes(deps: FirstAdminDeps): Homes {
  const at = (place: OrgContext) => ({
    deps,
    place,
    orgScope: deps.stores[place.env].scope(orgScopeName(place.orgCode)),
  });
  return {
    settle: (place, user, auditCaller) => settleAccounts(deps, place, user, auditCaller),
    arrive: async (place, user, tenantCode) => {
      const membership =
        tenantCode === undefined
          ? await resolveWorkspace(deps, place, user)
          : await requireMembership(deps, place, { userId: user.id, isNamed: ({ code }) => code === tenantCode });
      if (membership === undefined) return undefined;
      if (!isActive(membership)) throw new Problem('token_invalid', 'the membership is suspended');
      return asFirstAdmin(deps, place, { person: user, membership });
    },
    whyOutside: (place, user) => whyOutside(deps, place, user),
    isSuspendedAtHome: (place, userId) => isSuspendedAtHome(deps, place, userId),
    membershipsOf: async (place, userId) => {
      const memberships = [];
      for (const workspace of await workspacesOf(at(place), userId)) {
        const member = await findMember(workspace, userId);
        // Reads need not wait for anything, and others want to be served too.
        await nextTurn();
        if (member === undefined) continue;
        const { role, status, created_at } = member.data;
        memberships.push({
          tenant_id: workspace.tenantId,
          tenant_code: workspace.tenantCode,
          name: (await readHead(workspace.scope))?.name ?? '',
          role: String(role ?? ''),
          status: String(status ?? ''),
          joined_at: created_at,
        });
      }
      return memberships;
    },
    endMemberships: async (place, userId, auditCaller) => {
      const { orgScope } = at(place);
      const workspaces = await workspacesOf(at(place), userId);
      // If one of them would be left without an admin, the account keeps all of them.
      for (const workspace of workspaces) await removalChanges(deps, { workspace, userId, auditCaller });
      for (const workspace of workspaces) {
        await commitIn(workspace, () => removalChanges(deps, { workspace, userId, auditCaller }));
        await tryCommit(orgScope, [forgetChange(userId, workspace.tenantCode)]);
      }
    },
  };
}

/**
 * Tells the workspaces what the org has decided of two accounts. The org's scope comes first and says what is left to do,
 * so that the next sign-in completes what was cut off; it may run any number of times at once.
 */
async function settleAccounts(
  deps: MembershipDeps,
  context: OrgContext,
  user: AppUser,
  auditCaller: AuditCaller = auditCallerOf(user.id, context.requestId),
): Promise<void> {
  const { unsettled } = user;
  if (unsettled === undefined) return;
  const settling = {
    deps,
    place: context,
    auditCaller,
    orgScope: deps.stores[context.env].scope(orgScopeName(context.orgCode)),
  };
  if (unsettled.kind === 'suspension') await suspendMemberships(settling, user, unsettled.user_id);
  else await mergeMemberships(settling, memberOf(user), unsettled.user_id);
  await changeAppUser(settling.orgScope, user.id, ({ unsettled: left, ...rest }) =>
    left === undefined || (left.kind === unsettled.kind && left.user_id === unsettled.user_id)
      ? rest
      : { ...rest, unsettled: left },
  );
}

interface Settling {
  readonly deps: MembershipDeps;
  readonly place: OrgContext;
  readonly auditCaller: AuditCaller;
  readonly orgScope: Scope;
}

async function suspendMemberships(settling: Settling, holder: AppUser, userId: string): Promise<void> {
  await makeRoom(settling, holder.id, userId);
  await showStatus(settling, userId, true);
  // Both may have become one meanwhile, by a run that was ahead of this one.
  const user = await findAppUser(settling.orgScope, userId);
  if (user?.suspended_for !== holder.id) await showStatus(settling, userId, false);
}

/** If both are members already, only one of them stays, unless the suspended one was granted more. */
async function makeRoom(settling: Settling, holderId: string, userId: string): Promise<void> {
  const { deps, auditCaller } = settling;
  for (const workspace of await workspacesOf(settling, holderId)) {
    if ((await findMember(workspace, holderId)) === undefined) continue;
    const head = await readHead(workspace.scope);
    const policyId = await policyIdByName(workspace.scope, head?.default_member_access ?? '');
    const defaults = policyId === undefined ? [] : [policyId];
    await commitIn(
      workspace,
      async () => (await replacedMember(deps, { workspace, userId, auditCaller }, defaults)) ?? [],
    );
  }
}

async function showStatus(settling: Settling, userId: string, isSuspended: boolean): Promise<void> {
  const { deps, auditCaller } = settling;
  for (const workspace of await workspacesOf(settling, userId))
    await commitIn(workspace, () => statusChanges(deps, { workspace, userId, auditCaller }, isSuspended));
}

async function mergeMemberships(settling: Settling, into: FoundingMember, from: string): Promise<void> {
  const { deps, auditCaller, orgScope } = settling;
  for (const workspace of await workspacesOf(settling, from)) {
    const tenant = { id: workspace.tenantId, code: workspace.tenantCode };
    // Remembered before it is so, since a membership that is not remembered is not found.
    if ((await findMember(workspace, from)) !== undefined) await tryCommit(orgScope, [hintChange(into.id, tenant)]);
    await commitIn(workspace, () => mergedMember(deps, { workspace, userId: from, auditCaller }, into));
    await tryCommit(orgScope, [forgetChange(from, tenant.code)]);
  }
  await showStatus(settling, into.id, false);
  const [chosen, other] = [await chosenTenant(orgScope, into.id), await chosenTenant(orgScope, from)];
  if (chosen === undefined && other !== undefined) await tryCommit(orgScope, [chooseChange(into.id, other)]);
}

/** The workspaces of an account by the org's hints, and the default workspace. */
export async function workspacesOf(
  { deps, place, orgScope }: Pick<Settling, 'deps' | 'place' | 'orgScope'>,
  userId: string,
): Promise<readonly Workspace[]> {
  const tenants = new Map<string, Tenant>((await tenantsOf(orgScope, userId)).map((tenant) => [tenant.code, tenant]));
  const main = (await findIntent(orgScope, defaultWorkspaceCode))?.row;
  if (main?.state === 'ready') tenants.set(main.code, main);
  const workspaces: Workspace[] = [];
  for (const tenant of tenants.values()) {
    const workspace = openWorkspace(deps, place, tenant);
    if ((await readHead(workspace.scope))?.id === tenant.id) workspaces.push(workspace);
  }
  return workspaces;
}

/** Changes a workspace that is still there, where there is anything to change. */
export async function commitIn(workspace: Workspace, plan: () => Promise<readonly Change[]>): Promise<void> {
  const { scope, tenantId } = workspace;
  await transact(scope, async () => {
    const changes = await plan();
    const isIdle = changes.length === 0 || (await readHead(scope))?.id !== tenantId;
    return { changes: isIdle ? [] : [isThere, ...changes] };
  });
}
