import type { Occasion } from '../../audit/audit-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { type Change, Conflict, type Key, type Scope } from '../../store/port.ts';
import { emailKey } from '../people/email.ts';
import type { LoginThrottle } from '../people/login-throttle.ts';
import type { MailThrottle } from '../people/mail-throttle.ts';
import type { PasswordHasher } from '../people/passwords.ts';
import { type Org, orgKey } from './org-directory.ts';

export type SignUpPolicy = 'open' | 'first' | 'closed';

export const orgRoles = ['org_admin', 'developer'] as const;
export type OrgRole = (typeof orgRoles)[number];

export interface OrgUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export interface StoredOrgUser extends OrgUser {
  readonly password_hash: string;
  /** Counts what ended all sessions of the person; a session of an earlier number is dead. Absent is 0. */
  readonly session_epoch?: number | undefined;
  readonly created_at: string;
}

export function sessionEpoch({ session_epoch = 0 }: Pick<StoredOrgUser, 'session_epoch'>): number {
  return session_epoch;
}

export interface OrgAccountsParts {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly hasher: PasswordHasher;
  readonly loginThrottle: LoginThrottle;
  readonly policy: SignUpPolicy;
  /** Absent where no mail is set up. */
  readonly mailer?: Mailer | undefined;
  readonly mailThrottle: MailThrottle;
}

export interface OrgMembership {
  readonly role: OrgRole;
  readonly joined_at: string;
}

/** Whether a text from outside may be an id that the platform made, and so may stand in a key. */
export function isId(text: string): boolean {
  return /^[0-9a-f-]{36}$/.test(text);
}

/** A member or an invitation of an org. */
export interface OrgUserPlace {
  readonly orgCode: string;
  readonly id: string;
}

/** What is asked for in an org, and on what occasion. */
export interface Asked {
  readonly orgCode: string;
  readonly occasion: Occasion;
}

export interface AskedPlace extends OrgUserPlace, Asked {}

export interface OrgSummary {
  readonly code: string;
  readonly name: string;
  readonly role: OrgRole;
}

export const passwordLengthMin = 10;
const orgsPerUserMax = 100;

export const userKey = (id: string): Key => ({ pk: 'org-user', sk: id });
const userByEmailKey = (email: string): Key => ({ pk: 'org-user-email', sk: emailKey(email) });
const membershipPartition = (userId: string): string => `org-membership;${userId}`;
export const membershipKey = (userId: string, orgCode: string): Key => ({
  pk: membershipPartition(userId),
  sk: orgCode,
});
/** Who is in an org; with what role, the membership says. */
export const membersPartition = (orgCode: string): string => `org-member;${orgCode}`;
/** INVARIANT: moved in the commit of every membership of an admin, and never below 1 once the org exists. */
export const adminCounter = (orgCode: string): Key => ({ pk: 'org-admins', sk: orgCode });

/** A person's coming into an org. The first of these changes is the one that a second coming conflicts on. */
export function joining(userId: string, orgCode: string, membership: OrgMembership): readonly Change[] {
  const count: Change = { kind: 'add', ...adminCounter(orgCode), by: 1 };
  return [
    { kind: 'put', ...membershipKey(userId, orgCode), value: JSON.stringify(membership), if: 'absent' },
    { kind: 'put', pk: membersPartition(orgCode), sk: userId, value: '{}', if: 'any' },
    ...(membership.role === 'org_admin' ? [count] : []),
  ];
}

/** A new account, whose email nobody else has: that is the first of these changes. */
export function newAccount(stored: StoredOrgUser): readonly Change[] {
  return [
    { kind: 'put', ...userByEmailKey(stored.email), value: JSON.stringify({ id: stored.id }), if: 'absent' },
    { kind: 'put', ...userKey(stored.id), value: JSON.stringify(stored), if: 'absent' },
  ];
}

export async function findByEmail(platform: Scope, email: string): Promise<StoredOrgUser | undefined> {
  const [pointer] = await platform.get([userByEmailKey(email)]);
  // Reads as much for an address that nobody has as for any other.
  const { id } = JSON.parse(pointer?.value ?? '{"id":"nobody"}') as { readonly id: string };
  const [item] = await platform.get([userKey(id)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as StoredOrgUser);
}

export async function orgsOf(platform: Scope, userId: string): Promise<readonly OrgSummary[]> {
  const memberships = await platform.range(membershipPartition(userId), { limit: orgsPerUserMax });
  const orgs = await platform.get(memberships.map(({ sk }) => orgKey(sk)));
  return memberships.flatMap((membership, index) => {
    const item = orgs[index];
    if (item === undefined) return [];
    const { code, name } = JSON.parse(item.value) as Org;
    return [{ code, name, role: (JSON.parse(membership.value) as OrgMembership).role }];
  });
}

/** The place of the change that was refused, or undefined where the commit was made. */
export async function tryCommit(scope: Scope, changes: readonly Change[]): Promise<number | undefined> {
  try {
    await scope.commit(changes);
    return undefined;
  } catch (error) {
    if (error instanceof Conflict) return error.changeIndex;
    throw error;
  }
}

export function nameError(member: string, value = '') {
  const isEmpty = value.trim() === '';
  if (!isEmpty && value.length <= 128) return undefined;
  const code = isEmpty ? 'too_short' : 'too_long';
  return { pointer: `/${member}`, code, message: `\`${member}\` must have 1 to 128 characters` };
}

/** @throws Problem `validation_failed`. */
export function readRole(input: string): OrgRole {
  const role = orgRoles.find((known) => known === input);
  if (role !== undefined) return role;
  const message = '`role` must be `org_admin` or `developer`';
  throw invalidBody([{ pointer: '/role', code: 'not_allowed', message }]);
}
