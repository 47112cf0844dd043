import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { invitationMail } from '../../mail/mail-texts.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, json, type Row, removeAsRead, table } from '../../store/table.ts';
import { refusedChange, tryCommit } from '../../store/transact.ts';
import {
  joining,
  memberships,
  newAccount,
  type OrgAccountsDeps,
  type OrgCommand,
  type OrgRole,
  type OrgUserCommand,
  type OrgUserKey,
  orgRealm,
  orgsOf,
  passwordLengthMin,
  type StoredOrgUser,
} from '../org-users/account.ts';
import type { LoggedIn } from '../org-users/log-in.ts';
import { findOrg } from '../org-users/org-directory.ts';
import { emailKey } from '../people/email.ts';
import { requirePassword } from '../people/passwords.ts';
import { provePassword } from '../people/prove-password.ts';
import { findByAddress } from '../people/realm.ts';
import { newSession } from '../sessions/org-sessions.ts';
import { invitationMilliseconds, mailInvitation } from './mail-invitation.ts';

export interface ShownInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrgRole;
  readonly status: 'invited';
  readonly expires_at: string;
}

/** `code` is shown this once. */
export interface Invited extends ShownInvitation {
  readonly code: string;
}

export interface InvitationCommand extends OrgCommand {
  /** Where the platform's own pages are that the link in the mail leads to. */
  readonly siteUrl: string;
}

interface StoredInvitation extends Omit<ShownInvitation, 'id' | 'status'> {
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
): Promise<Invited> {
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

export async function listInvitations(platform: Scope, orgCode: string): Promise<readonly ShownInvitation[]> {
  const rows = await invitations.range(platform, partition(orgCode), { limit: invitationsMax });
  return rows.map(({ sk: id, value: { email, role, expires_at } }) => {
    return { id, email, role, status: 'invited', expires_at };
  });
}

/** @throws Problem `not_found`. */
export async function changeInvitation(platform: Scope, command: OrgUserCommand, role: OrgRole): Promise<void> {
  const row = await findInvitation(platform, command);
  const told = invitationAudited('org_invitation.role_changed', command.id, role);
  const isChanged = await tryCommit(platform, [
    invitations.replace(row, { ...row.value, role, invited_by: command.auditContext.actor.id }),
    platformAuditEntry(command.orgCode, command.auditContext, told),
  ]);
  if (!isChanged) throw notFound();
}

/** @throws Problem `not_found`. */
export async function withdrawInvitation(platform: Scope, command: OrgUserCommand): Promise<void> {
  const row = await findInvitation(platform, command);
  const told = invitationAudited('org_invitation.withdrawn', command.id);
  const entry = platformAuditEntry(command.orgCode, command.auditContext, told);
  if (!(await tryCommit(platform, [...spending(row), entry]))) throw notFound();
}

export type Acceptance = BodyOf<typeof orgUsersApi.acceptInvitation>;

/**
 * Comes into an org by a code that is good once: as who has an account with the email and knows its password, or with
 * a new account.
 * @throws Problem `not_found` for a code that is not open, `credentials_invalid`, `rate_limited`, `conflict`,
 * `validation_failed`, `escalation_refused` where the inviter is no org admin any more.
 */
export async function acceptInvitation(
  deps: OrgAccountsDeps,
  body: Acceptance,
  { ip, requestId }: { readonly ip: string; readonly requestId: string },
): Promise<LoggedIn> {
  const { platform, clock } = deps;
  const { place, row } = await openInvitation(platform, body.code);
  const { email, role } = row.value;
  if (body.email !== undefined && emailKey(body.email) !== emailKey(email))
    throw invalidBody([{ pointer: '/email', code: 'not_allowed', message: 'the invitation is for another email' }]);
  const inviter = await requireInviter(platform, place.orgCode, row.value);
  const known = await findByAddress(orgRealm(platform), email);
  const user =
    known === undefined
      ? await makeUser(deps, { email, name: body.name, password: body.password, ip })
      : await knownUser(deps, known, { password: body.password, ip });
  const session = await newSession(deps, user, place.orgCode);
  const joined_at = timestamp(clock.now());
  const auditContext = { at: joined_at, actor: { kind: 'org_user', id: user.id }, request_id: requestId } as const;
  const told = platformAuditEntry(place.orgCode, auditContext, {
    action: 'org_user.joined',
    target: { kind: 'org_user', id: user.id },
    detail: { role },
  });
  const joined = joining(user.id, place.orgCode, { role, joined_at });
  const account = known === undefined ? newAccount(user) : [];
  const conflict = await refusedChange(platform, [
    ...spending(row),
    ...joined,
    ...account,
    ...session.changes,
    told,
    ...inviter,
  ]);
  if (conflict !== undefined && conflict < 2) throw notOpen();
  if (conflict === 2) throw alreadyIn();
  if (conflict !== undefined)
    throw new Problem('conflict', 'an account with this email, or the inviter, has just changed: try again');
  const org = await findOrg(platform, place.orgCode);
  return {
    token: session.token,
    expires_at: session.expires_at,
    user: { id: user.id, email: user.email, name: user.name },
    org: { code: place.orgCode, name: org?.name ?? '' },
    orgs: await orgsOf(platform, user.id),
  };
}

/**
 * What the commit of an acceptance has to check: that the inviter is an org admin still.
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

function invitationAudited(action: string, id: string, role?: OrgRole): Audited {
  return { action, target: { kind: 'org_invitation', id }, ...(role === undefined ? {} : { detail: { role } }) };
}

async function openInvitation(platform: Scope, code: string) {
  const place = (await codes.read(platform, secretHash(code)))?.value;
  const row = place === undefined ? undefined : await invitations.read(platform, place);
  if (place === undefined || row === undefined) throw notOpen();
  return { place, row };
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

/** Takes an invitation away with its code, once. */
function spending(row: Row<StoredInvitation>): readonly Change[] {
  return [removeAsRead(row), codes.remove(row.value.code_hash, 'present')];
}

async function findInvitation(platform: Scope, key: OrgUserKey): Promise<Row<StoredInvitation>> {
  const row = mayBeId(key.id) ? await invitations.read(platform, key) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

function notOpen(): Problem {
  return new Problem('not_found', 'the invitation is no longer open: ask for another one');
}

function alreadyIn(): Problem {
  return new Problem('conflict', 'the person is already in the org');
}
