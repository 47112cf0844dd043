import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { secretHash } from '../../lib/ids.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';
import { refusedChange } from '../../store/transact.ts';
import {
  joining,
  memberships,
  newAccount,
  type OrgAccountsDeps,
  orgRealm,
  orgsOf,
  passwordLengthMin,
  type StoredOrgUser,
} from '../org-users/account.ts';
import type { LoggedIn, LogInSource } from '../org-users/log-in.ts';
import { findOrg } from '../org-users/org-directory.ts';
import { requirePassword } from '../people/passwords.ts';
import { findByAddress } from '../people/realm.ts';
import { provePassword } from '../people/set-password.ts';
import { askFactor, type SignInStep } from '../second-factors/prove-factor.ts';
import { newSession, type Session } from '../sessions/org-sessions.ts';
import {
  alreadyIn,
  notOpen,
  type OpenInvitation,
  openInvitation,
  type StoredInvitation,
  spending,
} from './org-invitations.ts';

export type Acceptance = BodyOf<typeof orgUsersApi.acceptInvitation>;

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
  body: Acceptance,
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
): Promise<{ readonly session: Session; readonly changes: readonly Change[] }> {
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
  { token, expires_at }: Session,
  { user: { id, email, name }, org, orgs }: Pick<LoggedIn, 'user' | 'org' | 'orgs'>,
): LoggedIn {
  return { token, expires_at, user: { id, email, name }, org, orgs };
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
