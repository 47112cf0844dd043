/** The data of a person in the workspaces of an org: memberships, invitations, and the org's hints of both. */
import { referencesTo } from '../config/port.ts';
import { erasedMember, findMember, heldPolicies } from '../iam/port.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { Problem } from '../lib/problem.ts';
import { appUsers } from '../people/port.ts';
import { type PersonData, type PersonRun, withProblem } from '../privacy/port.ts';
import { indexPrefix } from '../schema/port.ts';
import type { Change } from '../store/port.ts';
import { type Row, removeAsRead } from '../store/table.ts';
import { overtaken, tryCommit } from '../store/transact.ts';
import { type OrgContext, openWorkspace, orgScopeName, readHead, type Workspace } from '../tenancy/port.ts';
import type { MembershipDeps } from './founding.ts';
import { commitIn, workspacesOf } from './homes.ts';
import {
  type Invitation,
  invitationAuditEntry,
  invitationPartition,
  invitationPut,
  invitations,
  invitedPut,
  noLongerReceived,
  openMax,
  receivedBy,
} from './invitations/invitation.ts';
import { forgetChange, forgetChosen, tenantsOf } from './membership-hints.ts';

export function membershipData(deps: MembershipDeps): PersonData {
  return {
    mayErase: async (place, userId, auditCaller) => {
      for (const workspace of await workspacesAt(deps, place, userId))
        await requireAdmin(deps, { workspace, userId, auditCaller });
    },
    inWorkspace: {
      erase: (run, workspace) => eraseMembership(deps, run, workspace),
      previewErase: (run, workspace) => previewMembership(deps, run, workspace),
      merge: (run, workspace) => moveInvitations(deps, run, workspace),
      previewMerge: async ({ job }, workspace) => ({
        counts: { invitations: (await invitationsTo(workspace, job)).length },
      }),
      export: exportMembership,
    },
    left: (run) => receivedInvitations(deps, run),
    leftOfAccount: async (orgScope, id) => (await tenantsOf(orgScope, id)).map(({ code }) => forgetChange(id, code)),
    withAccounts: async (_orgScope, ids) => ids.map(forgetChosen),
    gains: async (place, pair) => {
      const found = [];
      for (const workspace of await workspacesAt(deps, place, pair.from)) found.push(await gainIn(workspace, pair));
      return found.filter((one) => one !== undefined);
    },
  };
}

function workspacesAt(deps: MembershipDeps, place: OrgContext, userId: string): Promise<readonly Workspace[]> {
  const orgScope = deps.stores[place.env].scope(orgScopeName(place.orgCode));
  return workspacesOf({ deps, place, orgScope }, userId);
}

/** @throws Problem `last_admin` where a workspace with other members would have no admin who can sign in. */
async function requireAdmin(deps: MembershipDeps, change: Parameters<typeof erasedMember>[1]): Promise<void> {
  try {
    await erasedMember(deps, change, []);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'last_admin') throw error;
    const name = change.workspace.tenantCode;
    throw new Problem('last_admin', `the account is the last admin of workspace \`${name}\`, which has other members`);
  }
}

/** The member goes when nothing in the workspace refers to it any more. */
async function eraseMembership(deps: MembershipDeps, { job, config }: PersonRun, workspace: Workspace) {
  const { scope, tenantCode } = workspace;
  const open = await invitationsTo(workspace, job);
  const actor = { userId: job.caller.actor.id, claims: {}, auditCaller: job.caller };
  for (const row of open) {
    const entry = invitationAuditEntry(deps.clock, { workspace, actor }, { invitation: row.value, done: 'removed' });
    // Sent again meanwhile: it has the address still.
    if (!(await tryCommit(scope, [removeAsRead(row), entry]))) throw overtaken();
  }
  let memberships = 0;
  for (const userId of job.accounts ?? []) {
    const isMember = (await findMember(workspace, userId)) !== undefined;
    const unreferred = referencesTo(config, 'user').map(
      ({ pk }): Change => ({ kind: 'check-empty', pk, prefix: indexPrefix(userId) }),
    );
    await commitIn(workspace, () =>
      erasedMember(deps, { workspace, userId, auditCaller: job.caller }, isMember ? unreferred : []),
    );
    memberships += isMember ? 1 : 0;
  }
  const changes = [
    ...open.flatMap(({ value }) => noLongerReceived(value, tenantCode)),
    ...(job.accounts ?? []).map((userId) => forgetChange(userId, tenantCode)),
  ];
  const isFound = open.length > 0 || memberships > 0;
  return isFound ? { counts: { invitations: open.length, memberships }, changes } : { counts: {} };
}

async function previewMembership(deps: MembershipDeps, { job }: PersonRun, workspace: Workspace) {
  const invitations = (await invitationsTo(workspace, job)).length;
  let reported: Parameters<typeof withProblem>[0] = job;
  let memberships = 0;
  for (const userId of job.accounts ?? []) {
    if ((await findMember(workspace, userId)) === undefined) continue;
    memberships += 1;
    try {
      await erasedMember(deps, { workspace, userId, auditCaller: job.caller }, []);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, message } = error;
      reported = withProblem(reported, {
        tenant_code: workspace.tenantCode,
        entity: 'user',
        id: userId,
        code,
        message,
      });
    }
  }
  const counts = { invitations, memberships };
  return reported === job ? { counts } : { counts, job: reported };
}

/** An open invitation goes on to the address of the account that stays; to a member it would be good for nothing. */
async function moveInvitations(deps: MembershipDeps, { job, orgScope }: PersonRun, workspace: Workspace) {
  const open = await invitationsTo(workspace, job);
  const into = job.into === undefined || open.length === 0 ? undefined : await appUsers.read(orgScope, job.into);
  if (into === undefined) return { counts: {} };
  const { scope, tenantId, tenantCode } = workspace;
  const isMember = (await findMember(workspace, into.value.id)) !== undefined;
  const context = {
    workspace,
    actor: { userId: job.caller.actor.id, claims: {}, auditCaller: job.caller },
  };
  const changes = [];
  for (const row of open) {
    const { email, id } = row.value;
    const moved = { ...row.value, email: into.value.email };
    const done = isMember ? 'removed' : 'readdressed';
    const write = isMember ? removeAsRead(row) : invitationPut(moved, { version: row.version });
    const entry = invitationAuditEntry(deps.clock, context, { invitation: moved, done });
    // Sent again or accepted meanwhile.
    if (!(await tryCommit(scope, [write, entry]))) throw overtaken();
    changes.push(...noLongerReceived({ email, id }, tenantCode));
    if (!isMember) changes.push(invitedPut(moved, { id: tenantId, code: tenantCode }));
  }
  return { counts: { invitations: open.length }, changes };
}

async function exportMembership({ job }: PersonRun, workspace: Workspace) {
  const { tenantCode: tenant_code } = workspace;
  const lines: string[] = [];
  const open = await invitationsTo(workspace, job);
  for (const { value } of open) {
    const { code_hash: _, ...invitation } = value;
    lines.push(JSON.stringify({ kind: 'invitation', tenant_code, ...invitation }));
  }
  let memberships = 0;
  for (const userId of job.accounts ?? []) {
    const member = await findMember(workspace, userId);
    if (member === undefined) continue;
    memberships += 1;
    const held = await heldPolicies(workspace, userId);
    const policies = held.map(({ policyName, via }) =>
      via.kind === 'group' ? { policy: policyName, group: via.groupName } : { policy: policyName },
    );
    lines.push(JSON.stringify({ kind: 'membership', tenant_code, user: member.data, policies }));
  }
  return { counts: { invitations: open.length, memberships }, lines };
}

const policiesShownMax = 20;

async function gainIn(workspace: Workspace, { from, into }: { readonly from: string; readonly into: string }) {
  const member = await findMember(workspace, from);
  if (member === undefined) return undefined;
  const other = await findMember(workspace, into);
  const held = new Set((await heldPolicies(workspace, into)).map(({ policyId }) => policyId));
  const gained = (await heldPolicies(workspace, from)).filter(({ policyId }) => !held.has(policyId));
  const names = [...new Set(gained.map(({ policyName }) => policyName))].sort();
  const gain = {
    tenant_code: workspace.tenantCode,
    joins: other === undefined,
    role: other === undefined ? String(member.data.role ?? '') : String(other.data.role ?? ''),
    suspended: [member, other].some((one) => one !== undefined && one.data.status !== 'active'),
    policies: names.slice(0, policiesShownMax),
    policies_total: names.length,
  };
  return { gain, names, statements: gained.map(({ policyId, statements }) => [policyId, statements]) };
}

const receivedMax = 500;

/**
 * The open invitations in a workspace to the addresses of a person. An invitation to the same address from after the
 * beginning of the job is for another account.
 */
async function invitationsTo(
  { scope }: Workspace,
  { emails = [], created_at }: PersonRun['job'],
): Promise<readonly Row<Invitation>[]> {
  const keys = new Set(emails.map(emailKey));
  const rows = await invitations.range(scope, invitationPartition, { limit: openMax });
  return rows.filter(({ value }) => keys.has(emailKey(value.email)) && value.created_at <= created_at);
}

/** Takes away what the org remembers of invitations that are no more, the first of very many. */
async function receivedInvitations(
  deps: MembershipDeps,
  { job, orgScope, work }: PersonRun,
): Promise<readonly Change[]> {
  const { emails = [], created_at } = job;
  const changes: Change[] = [];
  for (const email of emails) {
    if (changes.length >= receivedMax) break;
    const rows = await receivedBy(orgScope, email, receivedMax);
    for (const { pk, sk, value } of rows) {
      const { scope } = openWorkspace(deps, work, value.tenant);
      const invitation = await invitations.read(scope, value.id);
      const isOpen = invitation !== undefined && (await readHead(scope))?.id === value.tenant.id;
      if (!isOpen || invitation.value.created_at <= created_at) changes.push({ kind: 'remove', pk, sk, if: 'any' });
    }
  }
  return changes;
}
