import { hash } from 'node:crypto';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import {
  isId,
  membershipKey,
  type OrgAccountsParts,
  type OrgMembership,
  type OrgRole,
  type OrgUser,
  type StoredOrgUser,
  sessionEpoch,
  userKey,
} from '../org-users/account.ts';
import { findOrg, type Org } from '../org-users/org-directory.ts';

export interface Session {
  readonly token: string;
  readonly expires_at: string;
}

export interface OrgCaller {
  readonly user: OrgUser;
  readonly org: Org;
  readonly role: OrgRole;
  readonly sessionId: string;
  readonly session_epoch: number;
}

export interface ShownSession {
  readonly id: string;
  readonly org: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

/** Whose session it is to be, as he was when he was let in. */
export type SessionHolder = Pick<StoredOrgUser, 'id' | 'session_epoch'>;

interface StoredSession {
  readonly id: string;
  /** The person's session epoch then. Absent is 0. */
  readonly session_epoch?: number | undefined;
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
  { id: userId, session_epoch }: SessionHolder,
  orgCode: string,
): Promise<Session & { readonly changes: readonly Change[] }> {
  const token = `fm_${secretToken()}`;
  const now = clock.now();
  const at = now + sessionMilliseconds;
  const due = { at, queue: 'expire' } as const;
  const expires_at = timestamp(at);
  const id = newId();
  const key = sessionKey(token);
  const stored: StoredSession = { id, user_id: userId, org: orgCode, session_epoch };
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
  const stored = JSON.parse(user.value) as StoredOrgUser;
  const { id, email, name } = stored;
  const session_epoch = sessionEpoch(stored);
  if (sessionEpoch(session) !== session_epoch) return undefined;
  const { role } = JSON.parse(membership.value) as OrgMembership;
  return { user: { id, email, name }, org, role, sessionId: session.id, session_epoch };
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

/** Ends what sessions a person has, but for the one with this id. */
export async function otherSessionEnds(platform: Scope, userId: string, keptId?: string): Promise<readonly Change[]> {
  const sessions = await sessionsOf(platform, userId);
  return sessions.filter(({ sk }) => sk !== keptId).flatMap(sessionEnd);
}

/** Lets the caller's own session outlive the end of all others. Its end meanwhile is a conflict. */
export async function keepSession(
  platform: Scope,
  { user, sessionId }: OrgCaller,
  session_epoch: number,
): Promise<readonly Change[]> {
  const [listed] = await platform.get([{ pk: listPartition(user.id), sk: sessionId }]);
  const [item] = listed === undefined ? [] : await platform.get([sessionKeyOf(listed)]);
  if (item?.due === undefined) throw new Problem('token_invalid', 'the session has ended');
  const { pk, sk, version, due } = item;
  const value = JSON.stringify({ ...(JSON.parse(item.value) as StoredSession), session_epoch });
  return [{ kind: 'put', pk, sk, value, if: { version }, due }];
}

/** The earliest first, since their ids are in the order of time. */
function sessionsOf(platform: Scope, userId: string): Promise<readonly Item[]> {
  return platform.range(listPartition(userId), { limit: 2 * sessionsPerUserMax });
}

function sessionEnd(listed: Item): Change[] {
  const { pk, sk } = listed;
  return [
    { kind: 'remove', pk, sk, if: 'any' },
    { kind: 'remove', ...sessionKeyOf(listed), if: 'any' },
  ];
}

function sessionKeyOf({ value }: Item): Key {
  return { pk: 'session', sk: (JSON.parse(value) as ListedSession).token_hash };
}

function sessionKey(token: string): Key {
  return { pk: 'session', sk: hash('sha256', token, 'base64url') };
}
