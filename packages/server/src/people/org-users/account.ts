import { emailKey } from '../../lib/formats/email-key.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import type { Parts } from '../parts.ts';
import { type Account, accountRows, addressTable, idRows, type Realm } from '../realm/realm.ts';
import type { MailDeps } from '../realm/set-password.ts';
import { type OrgCommand, orgs } from './org-directory.ts';

export type SignUpPolicy = 'open' | 'first' | 'closed';

export const orgRoles = ['org_admin', 'developer'] as const;
export type OrgRole = (typeof orgRoles)[number];

export interface OrgUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export interface StoredOrgUser extends OrgUser, Account {
  readonly password_hash: string;
  /** Counts what ended all sessions of the person; a session of an earlier number is dead. Absent is 0. */
  readonly session_epoch?: number | undefined;
  readonly created_at: string;
}

export function sessionEpoch({ session_epoch = 0 }: Pick<StoredOrgUser, 'session_epoch'>): number {
  return session_epoch;
}

/** All sessions of the person are dead from the commit of this on, those that are just being made included. */
export function withNextEpoch(user: StoredOrgUser): StoredOrgUser {
  return { ...user, session_epoch: sessionEpoch(user) + 1 };
}

export type OrgAccountsDeps = MailDeps &
  Pick<Parts, 'platform' | 'newId' | 'hasher' | 'loginThrottle' | 'revocations' | 'sealer' | 'steps'> & {
    readonly policy: SignUpPolicy;
  };

export interface OrgMembership {
  readonly role: OrgRole;
  readonly joined_at: string;
}

/** A member or an invitation of an org. */
export interface OrgUserKey {
  readonly orgCode: string;
  readonly id: string;
}

export interface OrgUserCommand extends OrgUserKey, OrgCommand {}

export interface OrgSummary {
  readonly code: string;
  readonly name: string;
  readonly role: OrgRole;
}

export const passwordLengthMin = 10;
const orgsPerUserMax = 100;

/** By id. */
export const orgUsers = table((id: string) => ({ pk: 'org-user', sk: id }), accountRows<StoredOrgUser>('org user'));
const addresses = addressTable(
  table((key: string) => ({ pk: 'org-user-email', sk: key }), idRows('address of an org user', 'id')),
);
const membershipPartition = (userId: string): string => `org-membership;${userId}`;
/** By the id of an org user and the code of an org. */
export const memberships = table(
  ([userId, orgCode]: readonly [userId: string, orgCode: string]) => ({ pk: membershipPartition(userId), sk: orgCode }),
  json<OrgMembership>('org membership', { role: 'string', joined_at: 'string' }),
);

/** All builders, whatever org they are in. */
export function orgRealm(platform: Scope): Realm<StoredOrgUser> {
  return {
    scope: platform,
    accounts: orgUsers,
    addresses,
    attemptOf: (email, ip) => ({ emailKey: emailKey(email), ip }),
  };
}

/** The members of an org; each membership has the role. */
export const membersPartition = (orgCode: string): string => `org-member;${orgCode}`;
/** INVARIANT: moved in the commit of every membership of an admin, and never below 1 once the org exists. */
export const adminCounter = (orgCode: string): Key => ({ pk: 'org-admins', sk: orgCode });

interface SeenMember {
  /** The last time that a session of the member in the org was used; absent before the first use that was noted. */
  readonly last_seen_at?: string | undefined;
}

/** By the code of an org and the id of an org user. */
export const orgMembers = table(
  ({ orgCode, id }: OrgUserKey) => ({ pk: membersPartition(orgCode), sk: id }),
  json<SeenMember>('member of an org', {}),
);

/** Refused where the member has left. */
export function noteSeen(member: OrgUserKey, last_seen_at: string): Change {
  return orgMembers.put(member, { last_seen_at }, { if: 'present' });
}

/** The changes by which a person joins an org. The first of these is the change that a second joining conflicts on. */
export function joining(userId: string, orgCode: string, membership: OrgMembership): readonly Change[] {
  const count: Change = { kind: 'add', ...adminCounter(orgCode), by: 1 };
  return [
    memberships.insert([userId, orgCode], membership),
    { kind: 'put', pk: membersPartition(orgCode), sk: userId, value: '{}', if: 'any' },
    ...(membership.role === 'org_admin' ? [count] : []),
  ];
}

/** A new account, and what is refused where its email is used. */
export function newAccount(stored: StoredOrgUser): {
  readonly account: Change;
  readonly email: readonly [Change, ...Change[]];
} {
  return { account: orgUsers.insert(stored.id, stored), email: addresses.insert(stored.email, stored.id) };
}

/** By the codes of their orgs. */
export function membershipsOf(
  platform: Scope,
  userId: string,
  limit = orgsPerUserMax,
): Promise<readonly Row<OrgMembership>[]> {
  return memberships.range(platform, membershipPartition(userId), { limit });
}

export async function orgsOf(platform: Scope, userId: string): Promise<readonly OrgSummary[]> {
  const held = await membershipsOf(platform, userId);
  const found = await orgs.readMany(
    platform,
    held.map(({ sk }) => sk),
  );
  return held.flatMap(({ value: { role } }, index) => {
    const org = found[index]?.value;
    return org === undefined ? [] : [{ code: org.code, name: org.name, role }];
  });
}
