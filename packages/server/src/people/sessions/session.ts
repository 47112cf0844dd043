import { settingOf } from '../../config/port.ts';
import { isBuilder, serviceRole } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import {
  type AppTokenClaims,
  appAudience,
  requireValidToken,
  tokensKeyOf,
  unverifiedClaim,
  verifyAppToken,
} from '../app-tokens.ts';
import type { Homes } from '../homes.ts';
import type { KeyUses } from '../keys/key-rows.ts';
import { environmentOfKey, findKeyId, findReadyKey, type ServiceKey, serviceKeys } from '../keys/service-keys.ts';
import { isOrgCode } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { cacheSeconds } from '../settings/plain-settings.ts';
import { requireBuilder } from './impersonation.ts';
import { sessionsKeyOf } from './org-sessions.ts';

export type SessionDeps = Pick<
  Parts,
  'stores' | 'platform' | 'signingKeys' | 'issuer' | 'epochs' | 'revocations' | 'clock' | 'configs'
> & {
  readonly homes: Pick<Homes, 'whyOutside'>;
};

/**
 * Whose name calls are made in: a person who has signed in, also where a builder acts for him; a server that holds a
 * key; a builder in his own name; or the app itself, which no token names.
 */
export type CallerKind = 'person' | 'service_key' | 'builder' | 'app';

/** A token that has been proven and had not been ended when it was looked at last. */
export interface Session {
  readonly kind: CallerKind;
  readonly claims: AppTokenClaims;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Undefined for a token without a workspace. */
  readonly personKey: string | undefined;
  /** Why a token is without a workspace, where there is more to say. */
  readonly outside?: string | undefined;
  readonly tokensKey: string;
  /** The same of the builder who acts, where one does. */
  readonly actorKey?: string | undefined;
  readonly checkedAt: number;
  readonly freshMilliseconds: number;
  /** Of both keys, when the session was looked at. */
  readonly change: number;
  /** Of the signing keys, when the token was verified. */
  readonly removals: number;
}

/** Another number once this process has ended tokens of the person, or sessions of the builder who acts for him. */
export function currentChange(
  { revocations }: Pick<SessionDeps, 'revocations'>,
  { tokensKey, actorKey }: Pick<Session, 'tokensKey' | 'actorKey'>,
): number {
  // Both only grow, so no two states have one sum.
  return revocations.current(tokensKey) + (actorKey === undefined ? 0 : revocations.current(actorKey));
}

/** One for all of a person's tokens for a workspace, and for no other person's. */
export function personKeyOf(kind: CallerKind, claims: AppTokenClaims): string | undefined {
  const { env, org, tenant_id, tenant_code, member_since, sub } = claims;
  if (tenant_id === undefined) return undefined;
  return JSON.stringify([kind, env, org, tenant_id, tenant_code, member_since, sub]);
}

/** For how long a node may go by what it knows. */
export async function freshMilliseconds(
  { configs }: Pick<SessionDeps, 'configs'>,
  { env, org }: Pick<AppTokenClaims, 'env' | 'org'>,
): Promise<number> {
  return settingOf(await configs[env].current(org), env, cacheSeconds) * 1000;
}

/**
 * The session of an app JWT. What was verified before is not verified again while the signing keys are the same.
 * @throws Problem `token_invalid`, `token_expired`.
 */
export async function openTokenSession(deps: SessionDeps, token: string, known: Session | undefined): Promise<Session> {
  const checkedAt = deps.clock.now();
  const { removals } = deps.signingKeys;
  const isVerified = known?.removals === removals;
  const claims = isVerified ? known.claims : await verify(deps, token, Math.floor(checkedAt / 1000));
  const { env, org, act, exp } = claims;
  const tokensKey = tokensKeyOf(claims);
  const actorKey = act === undefined ? undefined : sessionsKeyOf(act.sub);
  // Read first: what ends the token between this and the reads below makes the session stale, never wrong.
  const change = currentChange(deps, { tokensKey, actorKey });
  await requireBuilder(deps.platform, claims);
  const kind = isBuilder({ ...claims }) ? 'builder' : 'person';
  const user =
    kind === 'person' ? await requireValidToken(deps.stores[env].scope(orgScopeName(org)), claims) : undefined;
  const isOutside = user !== undefined && claims.tenant_id === undefined;
  return {
    kind,
    claims,
    exp,
    personKey: personKeyOf(kind, claims),
    outside: isOutside ? await deps.homes.whyOutside({ env, orgCode: org }, user) : undefined,
    tokensKey,
    actorKey,
    checkedAt,
    freshMilliseconds: await freshMilliseconds(deps, claims),
    change,
    removals,
  };
}

async function verify(deps: SessionDeps, token: string, nowSeconds: number): Promise<AppTokenClaims> {
  const env = unverifiedClaim(token, 'env');
  if (env !== 'test' && env !== 'prod') throw new Problem('token_invalid', 'the token is not valid');
  const realm = { issuer: deps.issuer, audience: appAudience(env), nowSeconds };
  const claims = await verifyAppToken(deps.signingKeys, token, realm);
  if (claims.env !== env) throw new Problem('token_invalid', 'the token is not valid');
  return claims;
}

/**
 * The session of a service key, which is looked up in the org that the call is for; an unknown key costs that one
 * lookup and is not remembered.
 * @throws Problem `token_invalid`, `token_expired`.
 */
export async function openKeySession(
  deps: SessionDeps & { readonly uses: KeyUses },
  secret: string,
  org: string,
): Promise<Session> {
  const { clock, revocations, signingKeys, uses } = deps;
  const checkedAt = clock.now();
  const { removals } = signingKeys;
  const env = environmentOfKey(secret);
  if (env === undefined || !isOrgCode(org)) throw unknownKey();
  const orgScope = deps.stores[env].scope(orgScopeName(org));
  const id = await findKeyId(orgScope, secret);
  if (id === undefined) throw unknownKey();
  const tokensKey = tokensKeyOf({ env, org, sub: id });
  // Read first: what ends the key between this and the read below makes the session stale, never wrong.
  const change = revocations.current(tokensKey);
  const key = await findReadyKey(orgScope, secret, id);
  if (key === undefined) throw unknownKey();
  const claims = claimsOf(deps.issuer, { env, org, key });
  if (claims.exp * 1000 <= checkedAt) throw new Problem('token_expired', 'the service key has expired');
  const fresh = await freshMilliseconds(deps, claims);
  const personKey = personKeyOf('service_key', claims);
  uses.seen(orgScope, serviceKeys.use(id, id));
  return {
    kind: 'service_key',
    claims,
    exp: claims.exp,
    personKey,
    tokensKey,
    checkedAt,
    freshMilliseconds: fresh,
    change,
    removals,
  };
}

/** The claims of the caller for policies and key templates: as of a token, without those that only persons have. */
function claimsOf(
  issuer: string,
  { env, org, key }: Pick<AppTokenClaims, 'env' | 'org'> & { readonly key: ServiceKey },
): AppTokenClaims {
  const madeAt = Math.floor(Date.parse(key.created_at) / 1000);
  return {
    iss: issuer,
    aud: appAudience(env),
    sub: key.id,
    org,
    env,
    clientid: '',
    tenant_id: key.tenant_id,
    tenant_code: key.tenant_code,
    member_since: key.member_since,
    ep: 0,
    role: serviceRole,
    email: key.email,
    email_verified: false,
    fn: key.name,
    ln: '',
    idp: 'service_key',
    auth_time: madeAt,
    jti: key.id,
    iat: madeAt,
    exp: key.expires_at === null ? endOfTime : Date.parse(key.expires_at) / 1000,
  };
}

/** Seconds since the epoch to the end of the year 9999, the last that times are written in. */
const endOfTime = 253_402_300_799;

function unknownKey(): Problem {
  return new Problem('token_invalid', 'the service key is not valid');
}
