import { serviceRole } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { KeyUses } from '../keys/key-rows.ts';
import { environmentOfKey, findKeyId, findReadyKey, type ServiceKey, serviceKeys } from '../keys/service-key.ts';
import { isOrgCode } from '../org-users/org-directory.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import { appAudience } from '../tokens/token-exchange.ts';
import { tokensKeyOf } from './ended-tokens.ts';
import { freshMilliseconds, personKeyOf, type Session, type SessionDeps } from './session.ts';

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

/** What policies and key templates know of the caller: as of a token, but for what only persons have. */
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
