import { isBuilder } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type AppTokenClaims, unverifiedClaim, verifyAppToken } from '../tokens/app-tokens.ts';
import { appAudience } from '../tokens/token-exchange.ts';
import { whyOutside } from '../workspaces/resolve-workspace.ts';
import { requireValidToken, tokensKeyOf } from './ended-tokens.ts';
import { requireBuilder } from './impersonation.ts';
import { sessionsKeyOf } from './org-sessions.ts';
import { currentChange, freshMilliseconds, personKeyOf, type Session, type SessionDeps } from './session.ts';

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
    outside: isOutside ? await whyOutside(deps, { env, orgCode: org }, user) : undefined,
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
