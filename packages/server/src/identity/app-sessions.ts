import type { ConfigReader } from '../entities/config-reader.ts';
import { settingOf } from '../entities/setting.ts';
import { type Environment, orgScopeName, type Workspace } from '../entities/workspace.ts';
import type { AccessEpochs } from '../iam/access-epochs.ts';
import { findMember } from '../iam/iam-rules.ts';
import { type Access, resolveAccess } from '../iam/resolve-access.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { singleFlight } from '../lib/single-flight.ts';
import type { Store } from '../store/port.ts';
import { type AppTokenClaims, unverifiedClaim, verifyAppToken } from './app-tokens.ts';
import { requireStanding, tokensKeyOf } from './ended-tokens.ts';
import { cacheSeconds } from './settings/plain-settings.ts';
import type { SigningKeys } from './signing-keys.ts';
import { createTokenCache } from './token-cache.ts';
import { appAudience } from './token-exchange.ts';
import { openWorkspace, readHead } from './workspace-head.ts';

/** Who calls an app route, what workspace the call is in, and what the caller may do there. */
export interface AppCaller {
  readonly claims: AppTokenClaims;
  /** Undefined for a token without a workspace. */
  readonly place: { readonly workspace: Workspace; readonly access: Access } | undefined;
}

export interface AppSessions {
  /** @throws Problem `token_invalid`, `token_expired`. */
  authenticate(token: string): AppCaller | Promise<AppCaller>;
}

export interface AppSessionsParts {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly signingKeys: SigningKeys;
  readonly issuer: string;
  readonly epochs: AccessEpochs;
  /** By `tokensKeyOf`: tells that this process has ended tokens of the person. */
  readonly endings: AccessEpochs;
  readonly clock: Clock;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly tokensMax?: number;
}

/** A verified token that had not been ended when it was looked at last, and whose place it leads to. */
interface Session {
  readonly claims: AppTokenClaims;
  readonly exp: number;
  /** Undefined for a token without a workspace. */
  readonly personKey: string | undefined;
  readonly tokensKey: string;
  readonly checkedAt: number;
  readonly freshMilliseconds: number;
  readonly change: number;
  /** Of the signing keys, when the token was verified. */
  readonly removals: number;
}

/** A person in a workspace with what he may do there: one for all of the person's tokens. */
interface Person {
  readonly workspace: Workspace;
  readonly access: Access;
  readonly resolvedAt: number;
  /** For how long this serves, where this process has not heard of a change. */
  readonly freshMilliseconds: number;
  readonly epoch: number;
}

// A compiled statement takes about 2 KB, so this is about 200 MB at the very most.
const statementsKeptMax = 100_000;

/**
 * A known token costs a hash and four map lookups. Whether it was ended, membership and policies are asked anew when
 * they are older than `acl.cache_seconds`, and at once when this process has changed them.
 */
export function createAppSessions(parts: AppSessionsParts): AppSessions {
  const { clock, epochs, endings, signingKeys } = parts;
  const sessions = createTokenCache<Session>({ entriesMax: parts.tokensMax ?? 100_000 });
  const people = new BoundedMap<string, Person>(statementsKeptMax, ({ access }) => 1 + access.statementCount);
  const tokenFlights = singleFlight<string, Session>();
  const personFlights = singleFlight<string, Person>();

  const stillStands = (session: Session, now: number): boolean =>
    now - session.checkedAt < session.freshMilliseconds &&
    endings.current(session.tokensKey) === session.change &&
    signingKeys.removals === session.removals;
  const isFresh = (person: Person, now: number): boolean =>
    now - person.resolvedAt < person.freshMilliseconds && epochs.current(person.workspace.scope.name) === person.epoch;

  // A call may join a run that began before the change it must see, so what it gets is looked at again.
  const sessionOf = async (token: string, known: Session | undefined): Promise<Session> => {
    if (known !== undefined && stillStands(known, clock.now())) return known;
    const open = async (): Promise<Session> => {
      const session = await openSession(parts, token, known);
      sessions.set(token, session);
      return session;
    };
    const joined = await tokenFlights(token, open);
    return stillStands(joined, clock.now()) ? joined : await open();
  };
  const personOf = async ({ claims }: Session, key: string): Promise<Person> => {
    const known = people.get(key);
    if (known !== undefined && isFresh(known, clock.now())) return known;
    const open = async (): Promise<Person> => {
      const person = await openPlace(parts, claims, clock.now());
      people.set(key, person);
      return person;
    };
    const joined = await personFlights(key, open);
    return isFresh(joined, clock.now()) ? joined : await open();
  };
  const resolve = async (token: string, known: Session | undefined): Promise<AppCaller> => {
    const session = await sessionOf(token, known);
    const { claims, personKey } = session;
    return { claims, place: personKey === undefined ? undefined : await personOf(session, personKey) };
  };

  return {
    authenticate: (token) => {
      const now = clock.now();
      const session = sessions.get(token, now / 1000);
      const person = session?.personKey === undefined ? undefined : people.get(session.personKey);
      if (session !== undefined && person !== undefined && stillStands(session, now) && isFresh(person, now))
        return { claims: session.claims, place: person };
      return resolve(token, session);
    },
  };
}

async function openSession(parts: AppSessionsParts, token: string, known: Session | undefined): Promise<Session> {
  const now = parts.clock.now();
  const { removals } = parts.signingKeys;
  const isVerified = known?.removals === removals;
  const claims = isVerified ? known.claims : await verify(parts, token, Math.floor(now / 1000));
  const { env, org, tenant_id, tenant_code, member_since, sub } = claims;
  const tokensKey = tokensKeyOf(claims);
  // Read first: what ends the token between this and the read below makes the session stale, never wrong.
  const change = parts.endings.current(tokensKey);
  await requireStanding(parts.stores[env].scope(orgScopeName(org)), claims);
  const seconds = settingOf(await parts.configs[env].current(org), env, cacheSeconds);
  const person = [env, org, tenant_id, tenant_code, member_since, sub];
  const personKey = tenant_id === undefined ? undefined : JSON.stringify(person);
  const freshMilliseconds = seconds * 1000;
  return { claims, exp: claims.exp, personKey, tokensKey, checkedAt: now, freshMilliseconds, change, removals };
}

async function verify(parts: AppSessionsParts, token: string, nowSeconds: number): Promise<AppTokenClaims> {
  const env = unverifiedClaim(token, 'env');
  if (env !== 'test' && env !== 'prod') throw new Problem('token_invalid', 'the token is not valid');
  const realm = { issuer: parts.issuer, audience: appAudience(env), nowSeconds };
  const claims = await verifyAppToken(parts.signingKeys, token, realm);
  if (claims.env !== env) throw new Problem('token_invalid', 'the token is not valid');
  return claims;
}

/** @throws Problem `token_invalid` where the membership that the token was made for is no more. */
async function openPlace(parts: AppSessionsParts, claims: AppTokenClaims, now: number): Promise<Person> {
  const { env, org: orgCode, tenant_id: id = '', tenant_code: code = '', sub } = claims;
  const workspace = openWorkspace(parts, { env, orgCode }, { id, code });
  // Read first: a change that falls between this and the reads below makes the person stale, never wrong.
  const epoch = parts.epochs.current(workspace.scope.name);
  const head = await readHead(workspace.scope);
  const member = await findMember(workspace, sub);
  const isSameMembership = member?.data.status === 'active' && member.data.created_at === claims.member_since;
  if (head?.id !== id || !isSameMembership)
    throw new Problem('token_invalid', 'the membership behind the token has ended');
  const seconds = settingOf(await parts.configs[env].current(orgCode), env, cacheSeconds);
  const access = await resolveAccess(workspace, sub);
  return { workspace, access, resolvedAt: now, freshMilliseconds: seconds * 1000, epoch };
}
