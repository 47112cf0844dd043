import type { invitationsApi } from '@freehold/contract/app/invitations';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { AuditContext } from '../../audit/audit-entry.ts';
import { knownPolicy, promisePolicy } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { invalidInput, notFound, Problem } from '../../lib/problem.ts';
import {
  type AppTokenClaims,
  findAppUser,
  invitationMilliseconds,
  type MailDeps,
  mailAppInvitation,
  memberOf,
} from '../../people/port.ts';
import { mayBeId, type WriteContext } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, type Row, removeAsRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import {
  type Environment,
  findActiveWorkspace,
  findWorkspace,
  isThere,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
} from '../../tenancy/port.ts';
import type { MembershipDeps } from '../founding.ts';
import { acceptInvitation, type GrantorDeps } from './accept-invitation.ts';
import {
  type Invitation,
  invitationAuditEntry,
  invitationPartition,
  invitationPut,
  invitations,
  invitedPut,
  newCode,
  noLongerReceived,
  openMax,
  receivedBy,
} from './invitation.ts';

type NewInvitation = BodyOf<typeof invitationsApi.createInvitation>;
type Acceptance = BodyOf<typeof invitationsApi.acceptInvitation>;

/** Shown once: of the code the platform keeps a hash. */
type IssuedInvitation = ReplyOf<typeof invitationsApi.createInvitation>;

export type ShownInvitation = Omit<Invitation, 'code_hash'>;

export type ReceivedInvitation = ReplyOf<typeof invitationsApi.readMyInvitations>['items'][number];

export type AcceptedInvitation = ReplyOf<typeof invitationsApi.acceptInvitation>;

interface InvitationDeps extends GrantorDeps, MailDeps {}

/** The way people are asked into a workspace. What needs a permission has been allowed. */
export function createInvitations(deps: InvitationDeps) {
  return {
    /** @throws Problem `validation_failed`, `escalation_refused`, `conflict`. */
    create: (context: WriteContext, invitation: NewInvitation) => invite(deps, context, invitation),
    list: ({ workspace }: WriteContext) => listInvitations(workspace),
    /** A new code in place of the old one. @throws Problem `not_found`, `escalation_refused`, `conflict`. */
    resend: (context: WriteContext, id: string) => resend(deps, context, id),
    /** @throws Problem `not_found`. */
    remove: (context: WriteContext, id: string) => withdraw(deps, context, id),
    /** The invitations of the person, once the email address is verified. The codes come by mail alone. */
    mine: (claims: AppTokenClaims) => invitationsOf(deps, claims),
    /** @throws Problem `not_found`, `conflict`, `escalation_refused`. */
    accept: (claims: AppTokenClaims, body: Acceptance, requestId: string) => accept(deps, { claims, requestId }, body),
  };
}

/** A sender, whose right to send has been checked. */
interface InvitingContext extends WriteContext {
  /** An admin of the org, who may grant every policy of the workspace. */
  readonly isOfOrg?: true;
}

/** By a member of the workspace, or by an org admin, who may grant any policy of it. */
async function invite(
  deps: InvitationDeps,
  context: InvitingContext,
  invited: NewInvitation,
): Promise<IssuedInvitation> {
  const { scope, tenantCode } = context.workspace;
  if ((await scope.count(invitationPartition, {}, openMax)) >= openMax)
    throw new Problem('conflict', `a workspace has at most ${openMax} open invitations`);
  const now = deps.clock.now();
  const id = deps.newId();
  const { code, code_hash } = newCode(tenantCode, id);
  const stamps = { ...senderOf(context), created_at: timestamp(now), expires_at: expiryOf(now) };
  const invitation: Invitation = { id, ...invited, ...stamps, code_hash };
  await transact(scope, async () => {
    const checks = await promised(context, invitation);
    if (checks === undefined) throw unknownPolicy(invited.acl_policy_id ?? '');
    const entry = invitationAuditEntry(deps.clock, context, { invitation, done: 'created' });
    return { changes: [...checks, isThere, invitationPut(invitation, 'absent'), entry] };
  });
  return issued(deps, context, { invitation, code });
}

async function resend(deps: InvitationDeps, context: InvitingContext, id: string): Promise<IssuedInvitation> {
  const { scope, tenantCode } = context.workspace;
  const { code, code_hash } = newCode(tenantCode, id);
  const { planned } = await transact(scope, async () => {
    const row = await requireInvitation(scope, id);
    const checks = await promised(context, row.value);
    if (checks === undefined) throw new Problem('conflict', 'the policy that the invitation grants no longer exists');
    // Its grant is the sender's from here on, who has just been held to it.
    const { invited_by: _, invited_by_kind: __, ...kept } = row.value;
    const invitation = { ...kept, ...senderOf(context), code_hash, expires_at: expiryOf(deps.clock.now()) };
    const entry = invitationAuditEntry(deps.clock, context, { invitation, done: 'resent' });
    return { invitation, changes: [...checks, invitationPut(invitation, asRead(row)), entry] };
  });
  return issued(deps, context, { invitation: planned.invitation, code });
}

function senderOf({ actor, isOfOrg }: InvitingContext): Pick<Invitation, 'invited_by' | 'invited_by_kind'> {
  return { invited_by: actor.userId, ...(isOfOrg === true ? { invited_by_kind: 'org_user' } : {}) };
}

function expiryOf(now: number): string {
  return timestamp(now + invitationMilliseconds);
}

/** A code grants its policy to the person who has it. Undefined where the policy is missing. */
async function promised(
  context: InvitingContext,
  { acl_policy_id: id }: Invitation,
): Promise<readonly Change[] | undefined> {
  if (id === undefined) return [];
  return context.isOfOrg === true ? knownPolicy(context.workspace, id, 'made') : promisePolicy(context, { id }, 'made');
}

function unknownPolicy(id: string): Problem {
  const message = `there is no \`aclpolicy\` with the id \`${id.slice(0, 64)}\` in this workspace`;
  return invalidInput('validation_failed', [{ pointer: '/acl_policy_id', code: 'unknown_reference', message }]);
}

/** Tells the org of the invitation, and the invited person where mail is set up. */
async function issued(
  deps: InvitationDeps,
  { workspace, config }: WriteContext,
  { invitation, code }: { readonly invitation: Invitation; readonly code: string },
): Promise<IssuedInvitation> {
  const { env, orgCode, tenantId, tenantCode, scope } = workspace;
  const invitedRow = invitedPut(invitation, { id: tenantId, code: tenantCode });
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  await tryCommit(orgScope, [invitedRow]);
  const { id, email, expires_at } = invitation;
  const workspaceName = async () => (await readHead(scope))?.name;
  const link = mailAppInvitation(deps, { orgScope, orgCode, env, config }, { email, code, workspaceName });
  return { id, code, url: link ?? `/#invitation=${code}`, expires_at };
}

async function listInvitations({ scope }: Workspace): Promise<readonly ShownInvitation[]> {
  const rows = await invitations.range(scope, invitationPartition, { limit: openMax, reverse: true });
  return rows.map(({ value: { code_hash: _hidden, ...shown } }) => shown);
}

async function withdraw(deps: MembershipDeps, context: WriteContext, id: string): Promise<void> {
  const { env, orgCode, tenantCode, scope } = context.workspace;
  const plan = async () => {
    const row = await requireInvitation(scope, id);
    const entry = invitationAuditEntry(deps.clock, context, { invitation: row.value, done: 'removed' });
    return { email: row.value.email, changes: [removeAsRead(row), entry] };
  };
  const { planned } = await transact(scope, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  const received = noLongerReceived({ email: planned.email, id }, tenantCode);
  await tryCommit(deps.stores[env].scope(orgScopeName(orgCode)), received);
}

async function requireInvitation(scope: Scope, id: string): Promise<Row<Invitation>> {
  const row = mayBeId(id) ? await invitations.read(scope, id) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

const receivedMax = 100;

async function invitationsOf(
  deps: MembershipDeps,
  { env, org: orgCode, sub }: AppTokenClaims,
): Promise<readonly ReceivedInvitation[]> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const user = await findAppUser(orgScope, sub);
  // To sign up under an address is no proof that it is one's own, and workspaces are not shown on a claim.
  if (user?.email_verified !== true) return [];
  const { email } = user;
  const received: ReceivedInvitation[] = [];
  const rows = await receivedBy(orgScope, email, receivedMax);
  for (const { value } of rows) {
    const { tenant, id } = value;
    const { scope } = openWorkspace(deps, { env, orgCode }, tenant);
    const head = await readHead(scope);
    const invitation = (await invitations.read(scope, id))?.value;
    if (head?.id !== tenant.id || invitation === undefined) continue;
    const { role, expires_at, email: invited } = invitation;
    if (emailKey(invited) !== emailKey(email)) continue;
    received.push({ id, tenant_id: head.id, tenant_code: head.code, name: head.name, role, expires_at });
  }
  return received;
}

async function accept(
  deps: InvitationDeps,
  { claims, requestId }: { readonly claims: AppTokenClaims; readonly requestId: string },
  { code }: Acceptance,
): Promise<AcceptedInvitation> {
  const place = { env: claims.env, orgCode: claims.org, requestId };
  const user = await findAppUser(deps.stores[claims.env].scope(orgScopeName(claims.org)), claims.sub);
  if (user === undefined) throw notFound();
  const head = await acceptInvitation(deps, place, { code, person: memberOf(user), suspends: user.suspends });
  return { tenant_id: head.id, tenant_code: head.code, name: head.name, current: true };
}

interface NamedWorkspace {
  readonly orgCode: string;
  readonly env: Environment;
  readonly tenantCode: string;
}

interface WorkspaceCommand extends NamedWorkspace {
  readonly auditContext: AuditContext;
}

/** An org admin's invitations into a workspace of the app. Each method throws `not_found` if there is none. */
export function createWorkspaceInvitations(deps: InvitationDeps) {
  return {
    list: async (place: NamedWorkspace) => {
      const workspace = await findWorkspace(deps.stores, place);
      return (await listInvitations(workspace)).map(({ invited_by_kind, ...invitation }) => ({
        ...invitation,
        is_by_builder: invited_by_kind === 'org_user',
      }));
    },
    /** @throws Problem `validation_failed`, `conflict`, `workspace_suspended`. */
    invite: async (command: WorkspaceCommand, invitation: NewInvitation) =>
      invite(deps, await contextOf(deps, command, findActiveWorkspace), invitation),
    /** @throws Problem `conflict`, `workspace_suspended`. */
    resend: async (command: WorkspaceCommand, id: string) =>
      resend(deps, await contextOf(deps, command, findActiveWorkspace), id),
    withdraw: async (command: WorkspaceCommand, id: string) =>
      withdraw(deps, await contextOf(deps, command, findWorkspace), id),
  };
}

/** The builder as one who writes in the workspace. */
async function contextOf(
  deps: InvitationDeps,
  { auditContext, ...place }: WorkspaceCommand,
  find: typeof findWorkspace,
): Promise<InvitingContext> {
  const workspace = await find(deps.stores, place);
  const config = await deps.configs[place.env].current(place.orgCode);
  const actor = { userId: auditContext.actor.id, claims: {}, auditCaller: auditContext };
  return { workspace, config, actor, isOfOrg: true };
}
