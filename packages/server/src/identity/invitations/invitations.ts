import type { invitationsApi } from '@freehold/contract/app/invitations';
import type { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { AuditContext } from '../../audit/audit-entry.ts';
import { findActiveWorkspace, findWorkspace, knownPolicy, promisePolicy } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { invalidInput, notFound, Problem } from '../../lib/problem.ts';
import { mayBeId, type WriteContext } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, type Row, removeAsRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { type Environment, orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { appEmailKey, findAppUser, memberOf } from '../app-users/app-user.ts';
import { appMail } from '../mails/app-mail.ts';
import { findOrg } from '../org-users/org-directory.ts';
import type { MailDeps } from '../people/set-password.ts';
import { appLinks } from '../settings/app-url.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import { isThere, openWorkspace, readHead } from '../workspaces/workspace-head.ts';
import { acceptInvitation, type GrantorDeps } from './accept-invitation.ts';
import {
  type Invitation,
  invitationMilliseconds,
  invitationPartition,
  invitationPut,
  invitations,
  invitationTold,
  invitedPut,
  mailInvitation,
  newCode,
  noLongerReceived,
  openMax,
  receivedBy,
} from './invitation.ts';

/** How people are asked into a workspace. What needs a permission has been allowed. */
export interface Invitations {
  /** @throws Problem `validation_failed`, `escalation_refused`, `conflict`. */
  create(context: WriteContext, asked: NewInvitation): Promise<IssuedInvitation>;
  list(context: WriteContext): Promise<readonly ShownInvitation[]>;
  /** A new code in place of the old one. @throws Problem `not_found`, `escalation_refused`, `conflict`. */
  resend(context: WriteContext, id: string): Promise<IssuedInvitation>;
  /** @throws Problem `not_found`. */
  remove(context: WriteContext, id: string): Promise<void>;
  /** What the person is invited to, once the email address is verified. The codes come by mail alone. */
  mine(claims: AppTokenClaims): Promise<readonly ReceivedInvitation[]>;
  /** @throws Problem `not_found`, `conflict`, `escalation_refused`. */
  accept(claims: AppTokenClaims, body: Acceptance, requestId: string): Promise<AcceptedInvitation>;
}

type NewInvitation = BodyOf<typeof invitationsApi.createInvitation>;
type Acceptance = BodyOf<typeof invitationsApi.acceptInvitation>;

/** Shown once: of the code the platform keeps a hash. */
type IssuedInvitation = ReplyOf<typeof invitationsApi.createInvitation>;

export type ShownInvitation = Omit<Invitation, 'code_hash'>;

export type ReceivedInvitation = ReplyOf<typeof invitationsApi.readMyInvitations>['items'][number];

export type AcceptedInvitation = ReplyOf<typeof invitationsApi.acceptInvitation>;

interface InvitationDeps extends GrantorDeps, MailDeps {}

export function createInvitations(deps: InvitationDeps): Invitations {
  return {
    create: (context, asked) => invite(deps, context, asked),
    list: ({ workspace }) => listInvitations(workspace),
    resend: (context, id) => resend(deps, context, id),
    remove: (context, id) => withdraw(deps, context, id),
    mine: (claims) => invitationsOf(deps, claims),
    accept: (claims, body, requestId) => accept(deps, { claims, requestId }, body),
  };
}

/** A sender, whose right to send has been checked. */
interface InvitingContext extends WriteContext {
  /** An admin of the org, who may grant every policy of the workspace. */
  readonly isOfOrg?: true;
}

/** By a member of the workspace, or by an org admin, who may grant any policy of it. */
async function invite(deps: InvitationDeps, context: InvitingContext, asked: NewInvitation): Promise<IssuedInvitation> {
  const { scope, tenantCode } = context.workspace;
  if ((await scope.count(invitationPartition, {}, openMax)) >= openMax)
    throw new Problem('conflict', `a workspace has at most ${openMax} open invitations`);
  const now = deps.clock.now();
  const id = deps.newId();
  const { code, code_hash } = newCode(tenantCode, id);
  const stamps = { ...senderOf(context), created_at: timestamp(now), expires_at: expiryOf(now) };
  const invitation: Invitation = { id, ...asked, ...stamps, code_hash };
  await transact(scope, async () => {
    const checks = await promised(context, invitation);
    if (checks === undefined) throw unknownPolicy(asked.acl_policy_id ?? '');
    const told = invitationTold(deps.clock, context, { invitation, done: 'created' });
    return { changes: [...checks, isThere, invitationPut(invitation, 'absent'), told] };
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
    const told = invitationTold(deps.clock, context, { invitation, done: 'resent' });
    return { invitation, changes: [...checks, invitationPut(invitation, asRead(row)), told] };
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
  const told = invitedPut(invitation, { id: tenantId, code: tenantCode });
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  await tryCommit(orgScope, [told]);
  const { id, email, expires_at } = invitation;
  const link = appLinks(config, env)?.('invitation', code);
  if (link !== undefined) {
    mailInvitation(deps, appEmailKey({ orgScope, env }, email), async () => {
      const [head, org] = await Promise.all([readHead(scope), findOrg(deps.platform, orgCode)]);
      if (head === undefined || org === undefined) return undefined;
      return appMail({ env, config }, 'invitation', { app: org.name, workspace: head.name, email, link });
    });
  }
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
    const told = invitationTold(deps.clock, context, { invitation: row.value, done: 'removed' });
    return { email: row.value.email, changes: [removeAsRead(row), told] };
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

/** How an org admin asks people into a workspace of the app. Each method throws `not_found` where there is no such workspace. */
interface WorkspaceInvitations {
  list(place: NamedWorkspace): Promise<readonly ListedInvitation[]>;
  /** @throws Problem `validation_failed`, `conflict`, `workspace_suspended`. */
  invite(
    command: WorkspaceCommand,
    asked: Omit<BodyOf<typeof workspaceInvitationsApi.inviteToWorkspace>, 'env'>,
  ): Promise<IssuedInvitation>;
  /** @throws Problem `conflict`, `workspace_suspended`. */
  resend(command: WorkspaceCommand, id: string): Promise<IssuedInvitation>;
  withdraw(command: WorkspaceCommand, id: string): Promise<void>;
}

type ListedInvitation = ReplyOf<typeof workspaceInvitationsApi.listWorkspaceInvitations>['items'][number];

export interface NamedWorkspace {
  readonly orgCode: string;
  readonly env: Environment;
  readonly tenantCode: string;
}

export interface WorkspaceCommand extends NamedWorkspace {
  readonly auditContext: AuditContext;
}

export function createWorkspaceInvitations(deps: InvitationDeps): WorkspaceInvitations {
  return {
    list: async (place) => {
      const workspace = await findWorkspace(deps.stores, place);
      return (await listInvitations(workspace)).map(({ invited_by_kind, ...invitation }) => ({
        ...invitation,
        is_by_builder: invited_by_kind === 'org_user',
      }));
    },
    invite: async (command, asked: NewInvitation) =>
      invite(deps, await contextOf(deps, command, findActiveWorkspace), asked),
    resend: async (command, id) => resend(deps, await contextOf(deps, command, findActiveWorkspace), id),
    withdraw: async (command, id) => withdraw(deps, await contextOf(deps, command, findWorkspace), id),
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
