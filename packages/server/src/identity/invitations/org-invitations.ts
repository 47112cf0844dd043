import { hash } from 'node:crypto';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { invitationMail } from '../../mail/mail-texts.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import {
  type Asked,
  type AskedPlace,
  findByEmail,
  isId,
  joining,
  membershipKey,
  nameError,
  newAccount,
  type OrgAccountsParts,
  type OrgMembership,
  type OrgRole,
  type OrgUserPlace,
  orgsOf,
  passwordLengthMin,
  readRole,
  type StoredOrgUser,
  tryCommit,
} from '../org-users/account.ts';
import type { LoggedIn } from '../org-users/log-in.ts';
import { findOrg } from '../org-users/org-directory.ts';
import { emailKey, parseEmail } from '../people/email.ts';
import { checkPassword } from '../people/passwords.ts';
import { provePassword } from '../people/prove-password.ts';
import { readBody } from '../people/read-body.ts';
import { newSession } from '../sessions/org-sessions.ts';

export interface ShownInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrgRole;
  readonly status: 'invited';
  readonly expires_at: string;
}

/** `code` is told this once. */
export interface Invited extends ShownInvitation {
  readonly code: string;
}

export interface AskedInvitation extends Asked {
  /** Where the platform's own pages are that the link in the mail leads to. */
  readonly siteUrl: string;
}

interface StoredInvitation extends Omit<ShownInvitation, 'id' | 'status'> {
  readonly code_hash: string;
  /** The org admin whose invitation it is: who sent it, or chose its role last. Absent in those of earlier releases. */
  readonly invited_by?: string;
}

const invitationMilliseconds = 7 * 24 * 60 * 60 * 1000;
const invitationsMax = 200;

const partition = (orgCode: string): string => `org-invitation;${orgCode}`;

/** @throws Problem `validation_failed`, `unknown_field`, `conflict` where the person is in the org. */
export async function invite(
  parts: OrgAccountsParts,
  { orgCode, occasion, siteUrl }: AskedInvitation,
  input: unknown,
): Promise<Invited> {
  const { platform, clock, newId } = parts;
  const body = readBody(input, { email: 'required', role: 'required' } as const);
  const email = parseEmail(body.email);
  if ('error' in email) throw invalidBody([email.error]);
  const role = readRole(body.role);
  const known = await findByEmail(platform, email.email);
  const [membership] = known === undefined ? [] : await platform.get([membershipKey(known.id, orgCode)]);
  if (membership !== undefined) throw alreadyIn();
  if ((await platform.count(partition(orgCode), {}, invitationsMax)) >= invitationsMax)
    throw new Problem('conflict', `an org has at most ${invitationsMax} open invitations: withdraw some`);
  const code = `oi_${secretToken()}`;
  const at = clock.now() + invitationMilliseconds;
  const expires_at = timestamp(at);
  const place = { orgCode, id: newId() };
  const invited_by = occasion.actor.id;
  const stored: StoredInvitation = { email: email.email, role, expires_at, code_hash: codeKey(code).sk, invited_by };
  const due = { at, queue: 'expire' } as const;
  await platform.commit([
    { kind: 'put', ...invitationKey(place), value: JSON.stringify(stored), if: 'absent', due },
    { kind: 'put', ...codeKey(code), value: JSON.stringify(place), if: 'absent', due },
    platformAuditEntry(orgCode, occasion, invitationAudited('org_user.invited', place.id, role)),
  ]);
  mailInvitation(parts, orgCode, { to: email.email, link: `${siteUrl}/accept-invitation#code=${code}` });
  return { id: place.id, email: email.email, role, status: 'invited', expires_at, code };
}

/** Not more often to one address than it can bear: the sender has the link too. */
function mailInvitation(
  { mailer, mailThrottle, platform }: OrgAccountsParts,
  orgCode: string,
  { to, link }: { readonly to: string; readonly link: string },
): void {
  if (mailer === undefined || !mailThrottle.tryTake({ purpose: 'invitation', emailKey: emailKey(to) })) return;
  mailer.send(async () => {
    const org = await findOrg(platform, orgCode);
    return org === undefined ? undefined : invitationMail({ to, name: org.name, link });
  });
}

export async function listInvitations(platform: Scope, orgCode: string): Promise<readonly ShownInvitation[]> {
  const items = await platform.range(partition(orgCode), { limit: invitationsMax });
  return items.map((item) => {
    const { email, role, expires_at } = JSON.parse(item.value) as StoredInvitation;
    return { id: item.sk, email, role, status: 'invited', expires_at };
  });
}

/** @throws Problem `not_found`. */
export async function changeInvitation(platform: Scope, place: AskedPlace, role: OrgRole): Promise<void> {
  const item = await findInvitation(platform, place);
  const invited_by = place.occasion.actor.id;
  const value = JSON.stringify({ ...(JSON.parse(item.value) as StoredInvitation), role, invited_by });
  const { pk, sk, due, version } = item;
  const changes: Change[] = [
    { kind: 'put', pk, sk, value, if: { version }, ...(due === undefined ? {} : { due }) },
    platformAuditEntry(place.orgCode, place.occasion, invitationAudited('org_invitation.role_changed', place.id, role)),
  ];
  if ((await tryCommit(platform, changes)) !== undefined) throw notFound();
}

/** @throws Problem `not_found`. */
export async function withdrawInvitation(platform: Scope, place: AskedPlace): Promise<void> {
  const item = await findInvitation(platform, place);
  const told = platformAuditEntry(
    place.orgCode,
    place.occasion,
    invitationAudited('org_invitation.withdrawn', place.id),
  );
  if ((await tryCommit(platform, [...spending(item), told])) !== undefined) throw notFound();
}

/**
 * Comes into an org by a code that is good once: as who has an account with the email and knows its password, or with
 * a new account.
 * @throws Problem `not_found` for a code that is not open, `credentials_invalid`, `rate_limited`, `conflict`,
 * `validation_failed`, `unknown_field`, `escalation_refused` where the inviter is no org admin any more.
 */
export async function acceptInvitation(
  parts: OrgAccountsParts,
  input: unknown,
  { ip, requestId }: { readonly ip: string; readonly requestId: string },
): Promise<LoggedIn> {
  const { platform, clock } = parts;
  const shape = { code: 'required', password: 'required', email: 'optional', name: 'optional' } as const;
  const body = readBody(input, shape);
  const { place, item } = await openInvitation(platform, body.code);
  const invitation = JSON.parse(item.value) as StoredInvitation;
  const { email, role } = invitation;
  if (body.email !== undefined && emailKey(body.email) !== emailKey(email))
    throw invalidBody([{ pointer: '/email', code: 'not_allowed', message: 'the invitation is for another email' }]);
  const inviter = await requireInviter(platform, place.orgCode, invitation);
  const known = await findByEmail(platform, email);
  const user =
    known === undefined
      ? await makeUser(parts, { email, name: body.name, password: body.password, ip })
      : await knownUser(parts, known, { password: body.password, ip });
  const session = await newSession(parts, user, place.orgCode);
  const joined_at = timestamp(clock.now());
  const occasion = { at: joined_at, actor: { kind: 'org_user', id: user.id }, request_id: requestId } as const;
  const told = platformAuditEntry(place.orgCode, occasion, {
    action: 'org_user.joined',
    target: { kind: 'org_user', id: user.id },
    detail: { role },
  });
  const joined = joining(user.id, place.orgCode, { role, joined_at });
  const account = known === undefined ? newAccount(user) : [];
  const conflict = await tryCommit(platform, [
    ...spending(item),
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
  const key = membershipKey(invited_by, orgCode);
  const [item] = await platform.get([key]);
  if (item === undefined || (JSON.parse(item.value) as OrgMembership).role !== 'org_admin')
    throw new Problem(
      'escalation_refused',
      'the inviter is no org admin any more: ask an org admin for another invitation',
    );
  return [{ kind: 'check', ...key, if: { version: item.version } }];
}

function invitationAudited(action: string, id: string, role?: OrgRole): Audited {
  return { action, target: { kind: 'org_invitation', id }, ...(role === undefined ? {} : { detail: { role } }) };
}

async function openInvitation(platform: Scope, code: string): Promise<{ place: OrgUserPlace; item: Item }> {
  const [pointer] = await platform.get([codeKey(code)]);
  if (pointer === undefined) throw notOpen();
  const place = JSON.parse(pointer.value) as OrgUserPlace;
  const [item] = await platform.get([invitationKey(place)]);
  if (item === undefined) throw notOpen();
  return { place, item };
}

interface NewUser {
  readonly email: string;
  readonly name: string | undefined;
  readonly password: string;
  readonly ip: string;
}

async function makeUser(
  { clock, newId, hasher }: OrgAccountsParts,
  { email, name, password, ip }: NewUser,
): Promise<StoredOrgUser> {
  const errors = [checkPassword(password, passwordLengthMin), nameError('name', name)];
  const wrong = errors.filter((error) => error !== undefined);
  if (wrong.length > 0) throw invalidBody(wrong);
  const password_hash = await hasher.hash(password, { ip });
  return { id: newId(), email, name: name ?? '', password_hash, created_at: timestamp(clock.now()) };
}

async function knownUser(
  parts: OrgAccountsParts,
  known: StoredOrgUser,
  { password, ip }: { readonly password: string; readonly ip: string },
): Promise<StoredOrgUser> {
  const unusable = checkPassword(password, 1);
  if (unusable !== undefined) throw invalidBody([unusable]);
  const attempt = { emailKey: emailKey(known.email), ip };
  const refusal = 'there is an account with this email, and the password is not its own';
  await provePassword(parts, { attempt, password, hash: known.password_hash, refusal });
  return known;
}

/** Takes an invitation away with its code, once. */
function spending({ pk, sk, version, value }: Item): readonly Change[] {
  const { code_hash } = JSON.parse(value) as StoredInvitation;
  return [
    { kind: 'remove', pk, sk, if: { version } },
    { kind: 'remove', ...codeHashKey(code_hash), if: 'present' },
  ];
}

async function findInvitation(platform: Scope, place: OrgUserPlace): Promise<Item> {
  const [item] = isId(place.id) ? await platform.get([invitationKey(place)]) : [];
  if (item === undefined) throw notFound();
  return item;
}

function invitationKey({ orgCode, id }: OrgUserPlace): Key {
  return { pk: partition(orgCode), sk: id };
}

function codeKey(code: string): Key {
  return codeHashKey(hash('sha256', code, 'base64url'));
}

function codeHashKey(codeHash: string): Key {
  return { pk: 'org-invitation-code', sk: codeHash };
}

function notOpen(): Problem {
  return new Problem('not_found', 'the invitation is not open any more: ask for another');
}

function alreadyIn(): Problem {
  return new Problem('conflict', 'the person is in the org already');
}
