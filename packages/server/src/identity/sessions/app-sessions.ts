import type { Access } from '../../iam/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type HitTally, newHitTally } from '../../lib/hit-tally.ts';
import { Problem } from '../../lib/problem.ts';
import { singleFlight } from '../../lib/scheduling/single-flight.ts';
import { type Workspace, workspaceSuspended } from '../../tenancy/port.ts';
import { createKeyUses } from '../keys/key-rows.ts';
import { isServiceKey } from '../keys/service-key.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import { openKeySession } from './key-session.ts';
import { type CallerKind, currentChange, type Session, type SessionDeps } from './session.ts';
import { createTokenCache } from './token-cache.ts';
import { openTokenSession } from './token-session.ts';
import { openWorkspaceSession, type WorkspaceSession } from './workspace-session.ts';

/** Who calls an app route, what workspace the call is in, and what the caller may do there. */
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

/** What is in use is looked at again at least every 300 s, the most that `acl.cache_seconds` may be. */
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

  const stillStands = (session: Session, now: number): boolean =>
    isYoung(now - session.checkedAt, session.freshMilliseconds) &&
    currentChange(deps, session) === session.change &&
    signingKeys.removals === session.removals;
  const isFresh = (person: WorkspaceSession, now: number): boolean =>
    isYoung(now - person.resolvedAt, person.freshMilliseconds) &&
    epochs.current(person.workspace.scope.name) === person.epoch;

  // A call may join a run that began before the change it must see, so what it gets is looked at again.
  const sessionOf = async (token: string, orgCode: string, known: Session | undefined): Promise<Session> => {
    if (known !== undefined && stillStands(known, clock.now())) return known;
    const open = async (): Promise<Session> => {
      const session = isServiceKey(token)
        ? await openKeySession({ ...deps, uses }, token, orgCode)
        : await openTokenSession(deps, token, known);
      sessions.set(token, session);
      return session;
    };
    const joined = await tokenFlights(`${orgCode} ${token}`, open);
    return stillStands(joined, clock.now()) ? joined : await open();
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
      if (session !== undefined && person !== undefined && stillStands(session, now) && isFresh(person, now))
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
