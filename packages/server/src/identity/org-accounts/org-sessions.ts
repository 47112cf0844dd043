import { hash } from 'node:crypto';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { notFound } from '../../lib/problem.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import { findOrg, type Org } from '../org-directory.ts';
import {
  isId,
  membershipKey,
  type OrgAccountsParts,
  type OrgMembership,
  type OrgRole,
  type OrgUser,
  type StoredOrgUser,
  userKey,
} from './account.ts';

export interface Session {
  readonly token: string;
  readonly expires_at: string;
}

export interface OrgCaller {
  readonly user: OrgUser;
  readonly org: Org;
  readonly role: OrgRole;
  readonly sessionId: string;
}

export interface ShownSession {
  readonly id: string;
  readonly org: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

interface StoredSession {
  readonly id: string;
  readonly user_id: string;
  readonly org: string;
}

/** A session as its person sees it: what it is found by, and never its token. */
interface ListedSession extends Omit<ShownSession, 'id' | 'current'> {
  readonly token_hash: string;
}

export const sessionMilliseconds = 12 * 60 * 60 * 1000;
const sessionsPerUserMax = 100;

const listPartition = (userId: string): string => `org-user-session;${userId}`;

/**
 * A session that is to be, and the changes that make it. Only the hash of its token is kept, so that a copy of the
 * store opens no session; the oldest of very many ends.
 */
export async function newSession(
  { platform, clock, newId }: OrgAccountsParts,
  userId: string,
  orgCode: string,
): Promise<Session & { readonly changes: readonly Change[] }> {
  const token = `fm_${secretToken()}`;
  const now = clock.now();
  const at = now + sessionMilliseconds;
  const due = { at, queue: 'expire' } as const;
  const expires_at = timestamp(at);
  const id = newId();
  const key = sessionKey(token);
  const stored: StoredSession = { id, user_id: userId, org: orgCode };
  const listed: ListedSession = { org: orgCode, created_at: timestamp(now), expires_at, token_hash: key.sk };
  const standing = await sessionsOf(platform, userId);
  const surplus = standing.slice(0, Math.max(0, standing.length - sessionsPerUserMax + 1));
  const changes: readonly Change[] = [
    { kind: 'put', ...key, value: JSON.stringify(stored), if: 'absent', due },
    { kind: 'put', pk: listPartition(userId), sk: id, value: JSON.stringify(listed), if: 'absent', due },
    ...surplus.flatMap(sessionEnd),
  ];
  return { token, expires_at, changes };
}

export async function authenticate(platform: Scope, token: string): Promise<OrgCaller | undefined> {
  const [item] = await platform.get([sessionKey(token)]);
  if (item === undefined) return undefined;
  const session = JSON.parse(item.value) as StoredSession;
  const [user, membership] = await platform.get([
    userKey(session.user_id),
    membershipKey(session.user_id, session.org),
  ]);
  const org = await findOrg(platform, session.org);
  if (user === undefined || membership === undefined || org === undefined) return undefined;
  const { id, email, name } = JSON.parse(user.value) as StoredOrgUser;
  const { role } = JSON.parse(membership.value) as OrgMembership;
  return { user: { id, email, name }, org, role, sessionId: session.id };
}

/** The caller's own sessions, in all orgs. */
export async function listSessions(platform: Scope, { user, sessionId }: OrgCaller): Promise<readonly ShownSession[]> {
  return (await sessionsOf(platform, user.id)).map((item) => {
    const { token_hash: _, ...listed } = JSON.parse(item.value) as ListedSession;
    return { id: item.sk, ...listed, current: item.sk === sessionId };
  });
}

/** @throws Problem `not_found` where it is no session of the caller. */
export async function endSession(platform: Scope, { user }: OrgCaller, id: string): Promise<void> {
  const [item] = !isId(id) ? [] : await platform.get([{ pk: listPartition(user.id), sk: id }]);
  if (item === undefined) throw notFound();
  await platform.commit(sessionEnd(item));
}

/** Ends what sessions a person has in an org. */
export async function sessionEnds(platform: Scope, userId: string, orgCode: string): Promise<readonly Change[]> {
  const sessions = await sessionsOf(platform, userId);
  return sessions.filter(({ value }) => (JSON.parse(value) as ListedSession).org === orgCode).flatMap(sessionEnd);
}

/** The earliest first, since their ids are in the order of time. */
function sessionsOf(platform: Scope, userId: string): Promise<readonly Item[]> {
  return platform.range(listPartition(userId), { limit: 2 * sessionsPerUserMax });
}

function sessionEnd({ pk, sk, value }: Item): Change[] {
  const { token_hash } = JSON.parse(value) as ListedSession;
  return [
    { kind: 'remove', pk, sk, if: 'any' },
    { kind: 'remove', pk: 'session', sk: token_hash, if: 'any' },
  ];
}

function sessionKey(token: string): Key {
  return { pk: 'session', sk: hash('sha256', token, 'base64url') };
}
