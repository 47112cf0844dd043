import { hash } from 'node:crypto';
import { type Access, builderAccess, findMember, type ResolvedAccess, resolveAccess } from '../../iam/port.ts';
import { BoundedMap, type HitTally, newHitTally } from '../../lib/bounded-map.ts';
import { Problem } from '../../lib/problem.ts';
import { singleFlight } from '../../lib/scheduling/single-flight.ts';
import { openWorkspace, readHead, type Workspace, workspaceSuspended } from '../../tenancy/port.ts';
import type { AppTokenClaims } from '../app-tokens.ts';
import { createKeyUses } from '../keys/key-rows.ts';
import { isServiceKey } from '../keys/service-keys.ts';
import {
  type CallerKind,
  currentChange,
  freshMilliseconds,
  openKeySession,
  openTokenSession,
  type Session,
  type SessionDeps,
} from './session.ts';

/** The caller of an app route, the workspace of the call, and the rights of the caller there. */
export interface AppCaller {
  readonly kind: CallerKind;
  readonly claims: AppTokenClaims;
  /** Undefined for a token without a workspace. */
  readonly place:
    | { readonly workspace: Workspace; readonly access: Access; readonly isSuspended?: boolean }
    | undefined;
  /** Of the app itself: the logic block that works. */
  readonly block?: string;
  /** Why there is none, where there is more to say. */
  readonly outside?: string | undefined;
}

/** @throws Problem `workspace_required` for a caller in no workspace. */
export function requireWorkspace({ place, outside }: AppCaller): NonNullable<AppCaller['place']> {
  if (place === undefined) throw new Problem('workspace_required', outside ?? 'the token names no workspace');
  return place;
}

export interface AppSessions {
  /**
   * @param orgCode the org that the call is for, where a service key is looked up; a token says itself whose it is.
   * @throws Problem `token_invalid`, `token_expired`; `workspace_suspended`; `access_denied` for a caller with more
   * policies than are evaluated.
   */
  authenticate(token: string, orgCode: string): AppCaller | Promise<AppCaller>;
}

export interface AppSessionsDeps extends SessionDeps {
  readonly tokensMax?: number;
  readonly tokenTally?: HitTally;
}

// In parts of about 2 KB: a person, a compiled statement, or twenty of its patterns. That is 200 MB at the very most.
const partsKeptMax = 100_000;
const patternsPerPart = 20;

/** A session in use is looked at again at least every 300 s, the most that `acl.cache_seconds` may be. */
const idleMilliseconds = 600_000;

/**
 * A known token costs a hash and four map lookups. Whether it was ended, membership and policies are asked again when
 * they are older than `acl.cache_seconds`, and at once when this process has changed them.
 */
export function createAppSessions(deps: AppSessionsDeps): AppSessions {
  const { clock, epochs, signingKeys } = deps;
  const isIdle = (lookedAt: number): boolean => clock.now() - lookedAt > idleMilliseconds;
  const sessions = createTokenCache<Session>({
    entriesMax: deps.tokensMax ?? 100_000,
    tally: deps.tokenTally ?? newHitTally(),
    isIdle: ({ checkedAt }) => isIdle(checkedAt),
  });
  const people = new BoundedMap<string, WorkspaceSession>(partsKeptMax, partsOf);
  const uses = createKeyUses(clock);
  const tokenFlights = singleFlight<string, Session>();
  const personFlights = singleFlight<string, WorkspaceSession>();

  const isStillValid = (session: Session, now: number): boolean =>
    isYoung(now - session.checkedAt, session.freshMilliseconds) &&
    currentChange(deps, session) === session.change &&
    signingKeys.removals === session.removals;
  const isFresh = (person: WorkspaceSession, now: number): boolean =>
    isYoung(now - person.resolvedAt, person.freshMilliseconds) &&
    epochs.current(person.workspace.scope.name) === person.epoch;

  // A call may join a run that began before the change it must see, so what it gets is looked at again.
  const sessionOf = async (token: string, orgCode: string, known: Session | undefined): Promise<Session> => {
    if (known !== undefined && isStillValid(known, clock.now())) return known;
    const open = async (): Promise<Session> => {
      const session = isServiceKey(token)
        ? await openKeySession({ ...deps, uses }, token, orgCode)
        : await openTokenSession(deps, token, known);
      sessions.set(token, session);
      return session;
    };
    const joined = await tokenFlights(`${orgCode} ${token}`, open);
    return isStillValid(joined, clock.now()) ? joined : await open();
  };
  const personOf = async (session: Session, key: string): Promise<WorkspaceSession> => {
    const known = people.get(key);
    if (known !== undefined && isFresh(known, clock.now())) return known;
    const open = async (): Promise<WorkspaceSession> => {
      const person = await openWorkspaceSession(deps, session);
      people.set(key, person);
      const isGone = ({ resolvedAt }: WorkspaceSession): boolean => isIdle(resolvedAt);
      if (people.deleteOldest(isGone)) people.deleteOldest(isGone);
      return person;
    };
    const joined = await personFlights(key, open);
    return isFresh(joined, clock.now()) ? joined : await open();
  };
  const resolve = async (token: string, orgCode: string, known: Session | undefined): Promise<AppCaller> => {
    const session = await sessionOf(token, orgCode, known);
    const { kind, claims, personKey, outside } = session;
    if (personKey === undefined) return { kind, claims, place: undefined, outside };
    return { kind, claims, place: letIn(await personOf(session, personKey), claims) };
  };

  return {
    authenticate: (token, orgCode) => {
      const now = clock.now();
      const session = sessions.get(token, now / 1000);
      const person = session?.personKey === undefined ? undefined : people.get(session.personKey);
      if (session !== undefined && person !== undefined && isStillValid(session, now) && isFresh(person, now))
        return { kind: session.kind, claims: session.claims, place: letIn(person, session.claims) };
      return resolve(token, orgCode, session);
    },
  };
}

/** A clock that was set back says nothing about an age. */
function isYoung(milliseconds: number, freshMilliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < freshMilliseconds;
}

function partsOf({ access }: WorkspaceSession): number {
  return 1 + access.statementCount + Math.ceil(access.patternCount / patternsPerPart);
}

/**
 * Refusals are remembered like any place: to be refused costs no more than to be answered. A builder, who is no member,
 * looks into a suspended workspace too.
 * @throws Problem `workspace_suspended`, `access_denied`.
 */
function letIn(place: WorkspaceSession, { act }: AppTokenClaims): WorkspaceSession {
  if (place.isSuspended && act === undefined) throw workspaceSuspended();
  if (place.refusal !== undefined) throw place.refusal;
  return place;
}

/** A caller in a workspace with what he may do there. */
interface WorkspaceSession {
  readonly workspace: Workspace;
  readonly access: Access;
  /** Why nothing is answered, whatever is asked. */
  readonly refusal: Problem | undefined;
  /** Whether only builders are let in, and only to read. */
  readonly isSuspended: boolean;
  readonly resolvedAt: number;
  /** For how long this serves, where this process has not heard of a change. */
  readonly freshMilliseconds: number;
  readonly epoch: number;
}

type WorkspaceSessionDeps = Pick<SessionDeps, 'stores' | 'clock' | 'epochs' | 'configs'>;

/** @throws Problem `token_invalid` where the membership that the token was made for is no more. */
export async function openWorkspaceSession(
  deps: WorkspaceSessionDeps,
  { kind, claims }: Pick<Session, 'kind' | 'claims'>,
): Promise<WorkspaceSession> {
  const { env, org: orgCode, tenant_id: id = '', tenant_code: code = '', sub } = claims;
  const resolvedAt = deps.clock.now();
  const workspace = openWorkspace(deps, { env, orgCode }, { id, code });
  // Read first: a change that falls between this and the reads below makes the place stale, never wrong.
  const epoch = deps.epochs.current(workspace.scope.name);
  const head = await readHead(workspace.scope);
  const isLetIn = kind === 'builder' || (await isSameMembership(workspace, claims));
  if (head?.id !== id || !isLetIn) throw new Problem('token_invalid', 'the membership behind the token has ended');
  const { access, excess } = kind === 'builder' ? ofBuilder : await resolveAccess(workspace, sub);
  const refusal = excess === undefined ? undefined : new Problem('access_denied', excess, { reason: 'implicit_deny' });
  const fresh = await freshMilliseconds(deps, claims);
  const isSuspended = head.is_suspended === true;
  return { workspace, access, refusal, isSuspended, resolvedAt, freshMilliseconds: fresh, epoch };
}

const ofBuilder: ResolvedAccess = { access: builderAccess, excess: undefined };

async function isSameMembership(workspace: Workspace, { sub, member_since }: AppTokenClaims): Promise<boolean> {
  const member = await findMember(workspace, sub);
  return member?.data.status === 'active' && member.data.created_at === member_since;
}

/** Remembers the claims of verified tokens, so that a signature is checked once per token and not per request. */
export interface TokenCache<V> {
  /** Only while `exp` (seconds since the epoch) lies ahead, which every hit checks again. */
  get(token: string, nowSeconds: number): V | undefined;
  /** INVARIANT: only for a token whose signature, issuer, audience and time have just been verified. */
  set(token: string, value: V): void;
  delete(token: string): void;
}

/**
 * Keyed by the SHA-256 of the whole token: two tokens that differ in a single bit of the signature are two, and
 * memory holds no token that could be used.
 */
export function createTokenCache<V extends { readonly exp: number }>({
  entriesMax,
  tally = newHitTally(),
  isIdle = () => false,
}: {
  readonly entriesMax: number;
  readonly tally?: HitTally;
  /** Whether the least recently used entry can be dropped. */
  readonly isIdle?: (value: V) => boolean;
}): TokenCache<V> {
  const entries = new BoundedMap<string, V>(entriesMax);
  return {
    get(token, nowSeconds) {
      const key = cacheKey(token);
      const value = entries.get(key);
      if (value !== undefined && value.exp > nowSeconds) {
        tally.hits += 1;
        return value;
      }
      tally.misses += 1;
      if (value !== undefined) entries.delete(key);
      return undefined;
    },
    set: (token, value) => {
      entries.set(cacheKey(token), value);
      // Two go for each new one, so that memory follows the tokens that are in use.
      if (entries.deleteOldest(isIdle)) entries.deleteOldest(isIdle);
    },
    delete: (token) => void entries.delete(cacheKey(token)),
  };
}

/**
 * `latin1` makes one character of each byte. It costs as much as `hex` (0.7 µs for a token of 700 bytes), half the
 * memory, and half of what a Buffer or a Hash object would cost.
 */
function cacheKey(token: string): string {
  return hash('sha256', token, 'latin1');
}
