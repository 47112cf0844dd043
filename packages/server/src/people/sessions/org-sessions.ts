import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { ReplyOf } from '@freehold/contract/route';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import {
  memberships,
  noteSeen,
  type OrgAccountsDeps,
  type OrgRole,
  type OrgUser,
  orgUsers,
  type StoredOrgUser,
  sessionEpoch,
} from '../org-users/account.ts';
import { findOrg, type Org } from '../org-users/org-directory.ts';
import { isProtected, storedFactors } from '../second-factors/stored-factors.ts';

export interface IssuedSession {
  readonly token: string;
  readonly expires_at: string;
}

export interface OrgCaller {
  readonly user: OrgUser;
  readonly org: Org;
  readonly role: OrgRole;
  readonly sessionId: string;
  readonly session_epoch: number;
  /** Whether the account has a second factor: then all of its sessions began with one, or added the first. */
  readonly hasSecondFactor: boolean;
}

export type ShownSession = ReplyOf<typeof orgUsersApi.listSessions>['items'][number];

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
  /** Of the last sign-in link that was made in the session: that link may still be good. */
  readonly link_hash?: string | undefined;
}

export const sessionMilliseconds = 12 * 60 * 60 * 1000;
const sessionsPerUserMax = 100;

const listPartition = (userId: string): string => `org-user-session;${userId}`;

/** By the hash of the token. */
const sessions = table(
  (tokenHash: string) => ({ pk: 'session', sk: tokenHash }),
  json<StoredSession>('session', { id: 'string', user_id: 'string', org: 'string' }),
);

/** By person and id. */
const listedSessions = table(
  ([userId, id]: readonly [userId: string, id: string]) => ({ pk: listPartition(userId), sk: id }),
  json<ListedSession>('listed session', { token_hash: 'string', org: 'string' }),
);

/**
 * A session that is to be, and the changes that make it. Only the hash of its token is kept, so that a copy of the
 * store opens no session; the oldest of very many ends.
 */
export async function newSession(
  { platform, clock, newId }: Pick<OrgAccountsDeps, 'platform' | 'clock' | 'newId'>,
  { id: userId, session_epoch }: SessionHolder,
  orgCode: string,
): Promise<IssuedSession & { readonly changes: readonly Change[] }> {
  const token = `fm_${secretToken()}`;
  const now = clock.now();
  const at = now + sessionMilliseconds;
  const due = { at, queue: 'expire' } as const;
  const expires_at = timestamp(at);
  const id = newId();
  const token_hash = secretHash(token);
  const stored: StoredSession = { id, user_id: userId, org: orgCode, session_epoch };
  const listed: ListedSession = { org: orgCode, created_at: timestamp(now), expires_at, token_hash };
  const current = await sessionsOf(platform, userId);
  const surplus = current.slice(0, Math.max(0, current.length - sessionsPerUserMax + 1));
  const changes: readonly Change[] = [
    sessions.insert(token_hash, stored, due),
    listedSessions.insert([userId, id], listed, due),
    ...surplus.flatMap(sessionEnd),
  ];
  return { token, expires_at, changes };
}

export function authenticate(platform: Scope, token: string): Promise<OrgCaller | undefined> {
  return callerOf(platform, secretHash(token));
}

/** Whose session it is, by its person and id; undefined where it has ended, or is of another org. */
export async function findSession(
  platform: Scope,
  { userId, sessionId, org }: { readonly userId: string; readonly sessionId: string; readonly org: string },
): Promise<OrgCaller | undefined> {
  const isPossible = mayBeId(userId) && mayBeId(sessionId);
  const listed = isPossible ? await listedSessions.read(platform, [userId, sessionId]) : undefined;
  const caller = listed === undefined ? undefined : await callerOf(platform, listed.value.token_hash);
  return caller?.org.code === org ? caller : undefined;
}

/** The key under which this process counts the ends of a builder's sessions, and the changes of his rights. */
export function sessionsKeyOf(userId: string): string {
  return `builder-${userId}`;
}

async function callerOf(platform: Scope, tokenHash: string): Promise<OrgCaller | undefined> {
  const session = (await sessions.read(platform, tokenHash))?.value;
  if (session === undefined) return undefined;
  const held = memberships.key([session.user_id, session.org]);
  const keys = [orgUsers.key(session.user_id), held, storedFactors.key(session.user_id)];
  const [item, membership, factors] = await platform.get(keys);
  const org = await findOrg(platform, session.org);
  const user = orgUsers.row(platform, item)?.value;
  const role = memberships.row(platform, membership)?.value.role;
  if (user === undefined || role === undefined || org === undefined) return undefined;
  const { id, email, name } = user;
  const session_epoch = sessionEpoch(user);
  if (sessionEpoch(session) !== session_epoch) return undefined;
  const hasSecondFactor = isProtected(storedFactors.row(platform, factors)?.value);
  return { user: { id, email, name }, org, role, sessionId: session.id, session_epoch, hasSecondFactor };
}

/** Whether the org asks for a second factor that the account does not have: then a session may do little. */
export function lacksSecondFactor({ org, hasSecondFactor }: Pick<OrgCaller, 'org' | 'hasSecondFactor'>): boolean {
  return org.second_factor === 'required' && !hasSecondFactor;
}

/** Has a session name a new sign-in link in place of its former one. @throws Problem `token_invalid`. */
export async function nameLink(
  platform: Scope,
  { user, sessionId }: OrgCaller,
  link_hash: string,
): Promise<{ readonly former: string | undefined; readonly change: Change }> {
  const listed = await listedSessions.read(platform, [user.id, sessionId]);
  if (listed === undefined) throw sessionEnded();
  return { former: listed.value.link_hash, change: listedSessions.replace(listed, { ...listed.value, link_hash }) };
}

/** The change that notes the use of a session; undefined where it has ended. */
async function sessionUse(
  platform: Scope,
  { user, sessionId }: OrgCaller,
  { client, last_used_at }: Pick<ShownSession, 'client' | 'last_used_at'>,
): Promise<Change | undefined> {
  const listed = await listedSessions.read(platform, [user.id, sessionId]);
  if (listed === undefined) return undefined;
  const { client: _, ...rest } = listed.value;
  const used: ListedSession = { ...rest, last_used_at, ...(client === undefined ? {} : { client }) };
  return listedSessions.replace(listed, used);
}

/** Whether a session of the person goes on. */
export async function isActiveSession(platform: Scope, userId: string, sessionId: string): Promise<boolean> {
  return (await listedSessions.read(platform, [userId, sessionId])) !== undefined;
}

/** The caller's own sessions, in all orgs. */
export async function listSessions(platform: Scope, { user, sessionId }: OrgCaller): Promise<readonly ShownSession[]> {
  return (await sessionsOf(platform, user.id)).map(
    ({ sk: id, value: { token_hash: _, link_hash: _link, ...listed } }) => {
      return { id, ...listed, current: id === sessionId };
    },
  );
}

/** @throws Problem `not_found` where it is no session of the caller. */
export async function endSession(platform: Scope, { user }: OrgCaller, id: string): Promise<void> {
  const listed = mayBeId(id) ? await listedSessions.read(platform, [user.id, id]) : undefined;
  if (listed === undefined) throw notFound();
  await platform.commit(sessionEnd(listed));
}

/** Ends the caller's sessions in all orgs but the one in hand. @returns how many. */
export async function endOtherSessions(platform: Scope, { user, sessionId }: OrgCaller): Promise<number> {
  const others = (await sessionsOf(platform, user.id)).filter(({ sk }) => sk !== sessionId);
  if (others.length > 0) await platform.commit(others.flatMap(sessionEnd));
  return others.length;
}

/** Ends what sessions a person has in an org. */
export async function sessionEnds(platform: Scope, userId: string, orgCode: string): Promise<readonly Change[]> {
  return (await sessionsOf(platform, userId)).filter(({ value }) => value.org === orgCode).flatMap(sessionEnd);
}

/** Ends what sessions a person has, but for the one with this id. */
export async function otherSessionEnds(platform: Scope, userId: string, keptId?: string): Promise<readonly Change[]> {
  return (await sessionsOf(platform, userId)).filter(({ sk }) => sk !== keptId).flatMap(sessionEnd);
}

/** Lets the caller's own session outlive the end of all others. Its end meanwhile is a conflict. */
export async function keepSession(
  platform: Scope,
  { user, sessionId }: OrgCaller,
  session_epoch: number,
): Promise<readonly Change[]> {
  const listed = await listedSessions.read(platform, [user.id, sessionId]);
  const session = listed === undefined ? undefined : await sessions.read(platform, listed.value.token_hash);
  if (session === undefined) throw sessionEnded();
  return [sessions.replace(session, { ...session.value, session_epoch })];
}

function sessionEnded(): Problem {
  return new Problem('token_invalid', 'the session has ended');
}

/** The earliest first, since their ids are in the order of time. */
function sessionsOf(platform: Scope, userId: string): Promise<readonly Row<ListedSession>[]> {
  return listedSessions.range(platform, listPartition(userId), { limit: 2 * sessionsPerUserMax });
}

function sessionEnd({ pk, sk, value }: Row<ListedSession>): Change[] {
  return [{ kind: 'remove', pk, sk, if: 'any' }, sessions.remove(value.token_hash, 'any')];
}

const intervalMilliseconds = 10 * 60 * 1000;

/** Writes a session's use at most once in ten minutes, behind everything that a caller waits for. */
export function createSessionUses(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  sessionsMax = 10_000,
) {
  const written = new BoundedMap<string, number>(sessionsMax);
  return {
    /** Returns at once; what is lost by a crash is lost. @param client what calls, in words. */
    seen: (caller: OrgCaller, client: string | undefined): void => {
      const now = clock.now();
      const last = written.get(caller.sessionId);
      if (last !== undefined && now - last < intervalMilliseconds) return;
      written.set(caller.sessionId, now);
      // The session or the membership may be gone by then, or the store closed: there is nothing to make good.
      note(platform, caller, { last_used_at: timestamp(now), client }).catch(() => undefined);
    },
  };
}

async function note(
  platform: Scope,
  caller: OrgCaller,
  use: { readonly last_used_at: string; readonly client: string | undefined },
): Promise<void> {
  const change = await sessionUse(platform, caller, use);
  if (change === undefined) return;
  const { user, org } = caller;
  const seen = noteSeen({ orgCode: org.code, id: user.id }, use.last_used_at);
  await platform.commit([change, seen], { priority: 'background' });
}

/**
 * The kind of a client by its `User-Agent`, in words from a list: nothing of the header itself is kept or shown. Undefined if
 * the list does not have it.
 */
export function clientWords(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined) return undefined;
  const text = userAgent.slice(0, charactersMax);
  const program = programs.find(([, form]) => form.test(text))?.[0];
  if (program !== undefined) return program;
  const browser = browsers.find(([, form]) => form.test(text))?.[0];
  const system = systems.find(([, form]) => form.test(text))?.[0];
  if (browser === undefined || system === undefined) return browser ?? (system && `a browser on ${system}`);
  return `${browser} on ${system}`;
}

const charactersMax = 512;

type ClientPatterns = readonly (readonly [words: string, form: RegExp])[];

const programs: ClientPatterns = [
  ['command line', /^freehold-cli\b/],
  ['curl', /^curl\//],
  ['a program on Node', /^node(\.js|-fetch)?\b/],
  ['a program on Deno', /^Deno\//],
  ['a program on Bun', /^Bun\//],
  ['a program in Python', /^python-/],
  ['a program in Go', /^Go-http-client\//],
];

/** Each names those behind it too: Edge says that it is Chrome, and Chrome that it is Safari. */
const browsers: ClientPatterns = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bVersion\/.*\bSafari\//],
];

/** Android says that it is Linux, and an iPhone that it is like Mac OS X. */
const systems: ClientPatterns = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
