import type { Environment, Workspace } from '../entities/workspace.ts';
import type { AccessEpochs } from '../iam/access-epochs.ts';
import { findMember } from '../iam/iam-rules.ts';
import { type Access, resolveAccess } from '../iam/resolve-access.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { singleFlight } from '../lib/single-flight.ts';
import type { Store } from '../store/port.ts';
import { type AppTokenClaims, verifyAppToken } from './app-tokens.ts';
import { openWorkspace, type WorkspaceHead, workspaceHeadKey } from './memberships.ts';
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
  /** For how long what was resolved for a token serves, where this process has not heard of a change. */
  readonly cacheSeconds: number;
  readonly tokensMax?: number;
}

interface Session extends AppCaller {
  readonly exp: number;
  readonly resolvedAt: number;
  readonly epoch: number;
}

/**
 * A known token costs a hash and a map lookup. Membership and policies are resolved anew when they are older than
 * `cacheSeconds` and at once when this process has changed them.
 */
export function createAppSessions(parts: AppSessionsParts): AppSessions {
  const { clock, epochs } = parts;
  const cache = createTokenCache<Session>({ entriesMax: parts.tokensMax ?? 100_000 });
  const flights = singleFlight<string, Session>();

  const isFresh = (session: Session, now: number): boolean => {
    if (now - session.resolvedAt >= parts.cacheSeconds * 1000) return false;
    return session.place === undefined || epochs.current(session.place.workspace.scope.name) === session.epoch;
  };

  const resolve = async (token: string): Promise<Session> => {
    const now = clock.now();
    const known = cache.get(token, now / 1000);
    const claims = known?.claims ?? (await verify(parts, token, Math.floor(now / 1000)));
    const session = await openSession(parts, claims, now);
    cache.set(token, session);
    return session;
  };

  // A call may join a resolution that began before the change it must see, so what it gets is looked at again.
  const resolveFresh = async (token: string): Promise<AppCaller> => {
    const joined = await flights(token, () => resolve(token));
    return isFresh(joined, clock.now()) ? joined : resolve(token);
  };

  return {
    authenticate: (token) => {
      const now = clock.now();
      const session = cache.get(token, now / 1000);
      if (session !== undefined && isFresh(session, now)) return session;
      return resolveFresh(token);
    },
  };
}

async function verify(parts: AppSessionsParts, token: string, nowSeconds: number): Promise<AppTokenClaims> {
  const env = unverifiedEnvironment(token);
  if (env === undefined) throw new Problem('token_invalid', 'the token is not valid');
  const realm = { issuer: parts.issuer, audience: appAudience(env), nowSeconds };
  const claims = await verifyAppToken(parts.signingKeys, token, realm);
  if (claims.env !== env) throw new Problem('token_invalid', 'the token is not valid');
  return claims;
}

async function openSession(parts: AppSessionsParts, claims: AppTokenClaims, now: number): Promise<Session> {
  const base = { claims, exp: claims.exp, resolvedAt: now };
  if (claims.tenant_id === undefined || claims.tenant_code === undefined)
    return { ...base, place: undefined, epoch: 0 };
  const place = { env: claims.env, orgCode: claims.org };
  const workspace = openWorkspace(parts, place, { id: claims.tenant_id, code: claims.tenant_code });
  // Read first: a change that falls between this and the reads below makes the session stale, never wrong.
  const epoch = parts.epochs.current(workspace.scope.name);
  const [head] = await workspace.scope.get([workspaceHeadKey]);
  const member = await findMember(workspace, claims.sub);
  const isSameWorkspace = head !== undefined && (JSON.parse(head.value) as WorkspaceHead).id === claims.tenant_id;
  if (!isSameWorkspace || member?.data.status !== 'active')
    throw new Problem('token_invalid', 'the membership behind the token has ended');
  const access = await resolveAccess(workspace, claims.sub);
  return { ...base, place: { workspace, access }, epoch };
}

/** Decides only which audience the token is held to; the verified claims must say the same. */
function unverifiedEnvironment(token: string): Environment | undefined {
  const [, payload = ''] = token.length > 8192 ? [] : token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const env = typeof claims === 'object' && claims !== null && 'env' in claims ? claims.env : undefined;
    return env === 'test' || env === 'prod' ? env : undefined;
  } catch {
    return undefined;
  }
}
