import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { invitationMail } from '../../mail/mail-texts.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, json, type Row, removeAsRead, table } from '../../store/table.ts';
import { refusedChange, transact } from '../../store/transact.ts';
import { requirePassword } from '../realm/passwords.ts';
import { findByAddress } from '../realm/realm.ts';
import { invitationMilliseconds, mailInvitation, provePassword } from '../realm/set-password.ts';
import { askFactor, type SignInStep } from '../second-factors/prove-factor.ts';
import { type IssuedSession, newSession } from '../sessions/org-sessions.ts';
import {
  joining,
  memberships,
  newAccount,
  type OrgAccountsDeps,
  type OrgRole,
  type OrgUserCommand,
  type OrgUserKey,
  orgRealm,
  orgsOf,
  passwordLengthMin,
  type StoredOrgUser,
} from './account.ts';
import type { LoggedIn, LogInSource } from './log-in.ts';
import { findOrg, type OrgCommand } from './org-directory.ts';

export interface ShownOrgInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrgRole;
  readonly status: 'invited';
  readonly expires_at: string;
}

/** `code` is shown this once. */
export interface InvitedToOrg extends ShownOrgInvitation {
  readonly code: string;
}

export interface InvitationCommand extends OrgCommand {
  /** The address of the platform's own pages that the link in the mail leads to. */
  readonly siteUrl: string;
}

export interface StoredInvitation extends Omit<ShownOrgInvitation, 'id' | 'status'> {
  readonly code_hash: string;
  /** The org admin whose invitation it is: who sent it, or chose its role last. Absent in those of earlier releases. */
  readonly invited_by?: string;
}

const invitationsMax = 200;

const partition = (orgCode: string): string => `org-invitation;${orgCode}`;

const invitations = table(
  ({ orgCode, id }: OrgUserKey) => ({ pk: partition(orgCode), sk: id }),
  json<StoredInvitation>('org invitation', { email: 'string', role: 'string', code_hash: 'string' }),
);

/** By the hash of the code. */
const codes = table(
  (codeHash: string) => ({ pk: 'org-invitation-code', sk: codeHash }),
  json<OrgUserKey>('code of an org invitation', { orgCode: 'string', id: 'string' }),
);

export type InvitedPerson = BodyOf<typeof orgUsersApi.inviteOrgUser>;

/** @throws Problem `conflict` where the person is in the org. */
export async function invite(
  deps: OrgAccountsDeps,
  { orgCode, auditContext, siteUrl }: InvitationCommand,
  { email, role }: InvitedPerson,
): Promise<InvitedToOrg> {
  const { platform, clock, newId } = deps;
  const known = await findByAddress(orgRealm(platform), email);
  if (known !== undefined && (await memberships.read(platform, [known.id, orgCode])) !== undefined) throw alreadyIn();
  if ((await platform.count(partition(orgCode), {}, invitationsMax)) >= invitationsMax)
    throw new Problem('conflict', `an org has at most ${invitationsMax} open invitations: withdraw some`);
  const code = `oi_${secretToken()}`;
  const at = clock.now() + invitationMilliseconds;
  const expires_at = timestamp(at);
  const place = { orgCode, id: newId() };
  const invited_by = auditContext.actor.id;
  const stored: StoredInvitation = { email, role, expires_at, code_hash: secretHash(code), invited_by };
  const due = { at, queue: 'expire' } as const;
  await platform.commit([
    invitations.insert(place, stored, due),
    codes.insert(stored.code_hash, place, due),
    platformAuditEntry(orgCode, auditContext, invitationAudited('org_user.invited', place.id, role)),
  ]);
  const link = `${siteUrl}/accept-invitation#code=${code}`;
  mailInvitation(deps, emailKey(email), async () => {
    const org = await findOrg(platform, orgCode);
    return org && invitationMail({ to: email, name: org.name, link });
  });
  return { id: place.id, email, role, status: 'invited', expires_at, code };
}

export async function listInvitations(platform: Scope, orgCode: string): Promise<readonly ShownOrgInvitation[]> {
  const rows = await invitations.range(platform, partition(orgCode), { limit: invitationsMax });
  return rows.map(({ sk: id, value: { email, role, expires_at } }) => {
    return { id, email, role, status: 'invited', expires_at };
  });
}

/** @throws Problem `not_found`. */
export async function changeInvitation(platform: Scope, command: OrgUserCommand, role: OrgRole): Promise<void> {
  const entry = invitationAudited('org_invitation.role_changed', command.id, role);
  await transact(platform, async () => {
    const row = await findInvitation(platform, command);
    const changed = { ...row.value, role, invited_by: command.auditContext.actor.id };
    return {
      changes: [invitations.replace(row, changed), platformAuditEntry(command.orgCode, command.auditContext, entry)],
    };
  });
}

/** @throws Problem `not_found`. */
export async function withdrawInvitation(platform: Scope, command: OrgUserCommand): Promise<void> {
  const entry = invitationAudited('org_invitation.withdrawn', command.id);
  await transact(platform, async () => {
    const row = await findInvitation(platform, command);
    return { changes: [...spending(row), platformAuditEntry(command.orgCode, command.auditContext, entry)] };
  });
}

function invitationAudited(action: string, id: string, role?: OrgRole): Audited {
  return { action, target: { kind: 'org_invitation', id }, ...(role === undefined ? {} : { detail: { role } }) };
}

async function findInvitation(platform: Scope, key: OrgUserKey): Promise<Row<StoredInvitation>> {
  const row = mayBeId(key.id) ? await invitations.read(platform, key) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

/** An invitation whose code was found. */
export interface OpenInvitation {
  readonly place: OrgUserKey;
  readonly row: Row<StoredInvitation>;
}

/** @throws Problem `not_found`. */
async function openInvitation(platform: Scope, codeHash: string): Promise<OpenInvitation> {
  const place = (await codes.read(platform, codeHash))?.value;
  const row = place === undefined ? undefined : await invitations.read(platform, place);
  if (place === undefined || row === undefined) throw notOpen();
  return { place, row };
}

/** Takes an invitation away with its code, once. */
function spending(row: Row<StoredInvitation>): readonly Change[] {
  return [removeAsRead(row), codes.remove(row.value.code_hash, 'present')];
}

function notOpen(): Problem {
  return new Problem('not_found', 'the invitation is no longer open: ask for another one');
}

function alreadyIn(): Problem {
  return new Problem('conflict', 'the person is already in the org');
}

export type OrgAcceptance = BodyOf<typeof orgUsersApi.acceptInvitation>;

export interface AcceptanceSource extends LogInSource {
  readonly requestId: string;
}

/**
 * Comes into an org by a code that is good once: as who has an account with the email and knows its password, or with
 * a new account. An account with a second factor comes in when that is proved.
 * @throws Problem `not_found` for a code that is not open, `credentials_invalid`, `rate_limited`, `conflict`,
 * `validation_failed`, `escalation_refused` where the inviter is no org admin any more.
 */
export async function acceptInvitation(
  deps: OrgAccountsDeps,
  body: OrgAcceptance,
  { ip, site, requestId }: AcceptanceSource,
): Promise<LoggedIn | SignInStep> {
  const { platform } = deps;
  const codeHash = secretHash(body.code);
  const opened = await openInvitation(platform, codeHash);
  const { email } = opened.row.value;
  if (body.email !== undefined && emailKey(body.email) !== emailKey(email))
    throw invalidBody([{ pointer: '/email', code: 'not_allowed', message: 'the invitation is for another email' }]);
  const inviter = await requireInviter(platform, opened.place.orgCode, opened.row.value);
  const known = await findByAddress(orgRealm(platform), email);
  const user =
    known === undefined
      ? await makeUser(deps, { email, name: body.name, password: body.password, ip })
      : await knownUser(deps, known, { password: body.password, ip });
  const step = known === undefined ? undefined : await askFactor(deps, known, { invitation: codeHash, site });
  if (step !== undefined) return step;
  const { session, changes } = await acceptanceOf(deps, opened, { user, requestId });
  const made = known === undefined ? newAccount(user) : undefined;
  const account = made === undefined ? [] : [made.account, ...made.email];
  const conflict = await refusedChange(platform, [...changes, ...account, ...inviter]);
  if (conflict !== undefined && conflict < 2) throw notOpen();
  if (conflict === 2) throw alreadyIn();
  if (conflict !== undefined)
    throw new Problem('conflict', 'an account with this email, or the inviter, has just changed: try again');
  return loggedInBy(session, { user, org: await orgNameOf(platform, opened), orgs: await orgsOf(platform, user.id) });
}

/**
 * The same for an account that has proved its second factor: what is to be committed.
 * @throws Problem `not_found`, `conflict`, `escalation_refused`.
 */
export async function planAcceptance(
  deps: OrgAccountsDeps,
  {
    codeHash,
    account,
    requestId,
  }: { readonly codeHash: string; readonly account: StoredOrgUser; readonly requestId: string },
): Promise<{ readonly loggedIn: LoggedIn; readonly changes: readonly Change[] }> {
  const { platform } = deps;
  const opened = await openInvitation(platform, codeHash);
  const { email, role } = opened.row.value;
  if (emailKey(email) !== emailKey(account.email)) throw notOpen();
  const inviter = await requireInviter(platform, opened.place.orgCode, opened.row.value);
  const orgs = await orgsOf(platform, account.id);
  const org = await orgNameOf(platform, opened);
  if (orgs.some(({ code }) => code === org.code)) throw alreadyIn();
  const { session, changes } = await acceptanceOf(deps, opened, { user: account, requestId });
  return {
    loggedIn: loggedInBy(session, { user: account, org, orgs: [...orgs, { ...org, role }] }),
    changes: [...changes, ...inviter],
  };
}

/** The session of a person who comes in, and the changes; of these the first two take the invitation, and the third makes the membership. */
async function acceptanceOf(
  deps: OrgAccountsDeps,
  { place, row }: OpenInvitation,
  { user, requestId }: { readonly user: StoredOrgUser; readonly requestId: string },
): Promise<{ readonly session: IssuedSession; readonly changes: readonly Change[] }> {
  const { role } = row.value;
  const session = await newSession(deps, user, place.orgCode);
  const joined_at = timestamp(deps.clock.now());
  const auditContext = { at: joined_at, actor: { kind: 'org_user', id: user.id }, request_id: requestId } as const;
  const audited = platformAuditEntry(place.orgCode, auditContext, {
    action: 'org_user.joined',
    target: { kind: 'org_user', id: user.id },
    detail: { role },
  });
  const joined = joining(user.id, place.orgCode, { role, joined_at });
  return { session, changes: [...spending(row), ...joined, ...session.changes, audited] };
}

async function orgNameOf(platform: Scope, { place: { orgCode } }: OpenInvitation): Promise<LoggedIn['org']> {
  return { code: orgCode, name: (await findOrg(platform, orgCode))?.name ?? '' };
}

function loggedInBy(
  { token, expires_at }: IssuedSession,
  { user: { id, email, name }, org, orgs }: Pick<LoggedIn, 'user' | 'org' | 'orgs'>,
): LoggedIn {
  return { token, expires_at, user: { id, email, name }, org, orgs };
}

/**
 * The check in the commit of an acceptance: that the inviter is an org admin still.
 * @throws Problem `escalation_refused`.
 */
async function requireInviter(
  platform: Scope,
  orgCode: string,
  { invited_by }: StoredInvitation,
): Promise<readonly Change[]> {
  if (invited_by === undefined) return [];
  const held = await memberships.read(platform, [invited_by, orgCode]);
  if (held?.value.role !== 'org_admin')
    throw new Problem(
      'escalation_refused',
      'the inviter is no longer an org admin: ask an org admin for another invitation',
    );
  return [{ kind: 'check', ...memberships.key([invited_by, orgCode]), if: asRead(held) }];
}

interface NewUser {
  readonly email: string;
  readonly name: string | undefined;
  readonly password: string;
  readonly ip: string;
}

async function makeUser(
  { clock, newId, hasher }: OrgAccountsDeps,
  { email, name, password, ip }: NewUser,
): Promise<StoredOrgUser> {
  requirePassword(password, { minLength: passwordLengthMin });
  if (name === undefined)
    throw invalidBody([{ pointer: '/name', code: 'required', message: '`name` is required for a new account' }]);
  const password_hash = await hasher.hash(password, { ip });
  return { id: newId(), email, name, password_hash, created_at: timestamp(clock.now()) };
}

async function knownUser(
  deps: OrgAccountsDeps,
  known: StoredOrgUser,
  { password, ip }: { readonly password: string; readonly ip: string },
): Promise<StoredOrgUser> {
  requirePassword(password);
  const attempt = orgRealm(deps.platform).attemptOf(known.email, ip);
  const refusal = 'an account with this email exists, and the password is not correct';
  await provePassword(deps, { attempt, password, hash: known.password_hash, refusal });
  return known;
}
