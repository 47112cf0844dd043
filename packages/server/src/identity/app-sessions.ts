import type { ConfigReader } from '../entities/config-reader.ts';
import { settingOf } from '../entities/setting.ts';
import type { Environment, Workspace } from '../entities/workspace.ts';
import type { AccessEpochs } from '../iam/access-epochs.ts';
import { findMember } from '../iam/iam-rules.ts';
import { type Access, resolveAccess } from '../iam/resolve-access.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { singleFlight } from '../lib/single-flight.ts';
import type { Store } from '../store/port.ts';
import { type AppTokenClaims, unverifiedClaim, verifyAppToken } from './app-tokens.ts';
import { openWorkspace, type WorkspaceHead, workspaceHeadKey } from './memberships.ts';
import { cacheSeconds } from './settings/plain-settings.ts';
import type { SigningKeys } from './signing-keys.ts';
import { createTokenCache } from './token-cache.ts';
import { appAudience } from './token-exchange.ts';

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
  readonly clock: Clock;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly tokensMax?: number;
}

/** What a verified token says, and whose place it leads to. */
interface Session {
  readonly claims: AppTokenClaims;
  readonly exp: number;
  /** Undefined for a token without a workspace. */
  readonly personKey: string | undefined;
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
 * A known token costs a hash and two map lookups. Membership and policies are resolved anew when they are older than
 * `cacheSeconds` and at once when this process has changed them.
 */
export function createAppSessions(parts: AppSessionsParts): AppSessions {
  const { clock, epochs } = parts;
  const sessions = createTokenCache<Session>({ entriesMax: parts.tokensMax ?? 100_000 });
  const people = new BoundedMap<string, Person>(statementsKeptMax, ({ access }) => 1 + access.statementCount);
  const flights = singleFlight<string, Person>();

  const isFresh = (person: Person, now: number): boolean =>
    now - person.resolvedAt < person.freshMilliseconds && epochs.current(person.workspace.scope.name) === person.epoch;

  const resolvePerson = async (claims: AppTokenClaims, key: string): Promise<Person> => {
    const person = await openPlace(parts, claims, clock.now());
    people.set(key, person);
    return person;
  };

  const resolve = async (token: string, known: Session | undefined): Promise<AppCaller> => {
    const session = known ?? (await openSession(parts, token, clock.now()));
    if (known === undefined) sessions.set(token, session);
    const { claims, personKey } = session;
    if (personKey === undefined) return { claims, place: undefined };
    // A call may join a resolution that began before the change it must see, so what it gets is looked at again.
    const joined = await flights(personKey, () => resolvePerson(claims, personKey));
    return { claims, place: isFresh(joined, clock.now()) ? joined : await resolvePerson(claims, personKey) };
  };

  return {
    authenticate: (token) => {
      const now = clock.now();
      const session = sessions.get(token, now / 1000);
      const person = session?.personKey === undefined ? undefined : people.get(session.personKey);
      if (session !== undefined && person !== undefined && isFresh(person, now))
        return { claims: session.claims, place: person };
      return resolve(token, session);
    },
  };
}

async function openSession(parts: AppSessionsParts, token: string, now: number): Promise<Session> {
  const claims = await verify(parts, token, Math.floor(now / 1000));
  const { env, org, tenant_id, tenant_code, sub } = claims;
  const personKey = tenant_id === undefined ? undefined : JSON.stringify([env, org, tenant_id, tenant_code, sub]);
  return { claims, exp: claims.exp, personKey };
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
  const [head] = await workspace.scope.get([workspaceHeadKey]);
  const member = await findMember(workspace, sub);
  const isSameWorkspace = head !== undefined && (JSON.parse(head.value) as WorkspaceHead).id === id;
  if (!isSameWorkspace || member?.data.status !== 'active')
    throw new Problem('token_invalid', 'the membership behind the token has ended');
  const seconds = settingOf(await parts.configs[env].current(orgCode), env, cacheSeconds);
  const access = await resolveAccess(workspace, sub);
  return { workspace, access, resolvedAt: now, freshMilliseconds: seconds * 1000, epoch };
}
