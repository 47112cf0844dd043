import type { signInApi } from '@freehold/contract/app/sign-in';
import type { ReplyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import type { AccessEpochs } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { type AppUser, accountDisabled, findSignedIn, tokenEpoch } from '../app-users/app-user.ts';
import { signInWithProvider } from '../app-users/provider-sign-in.ts';
import { settleAccounts } from '../app-users/settle-accounts.ts';
import type { ProviderTokens } from '../oidc/provider-tokens.ts';
import { isClientOf, type Org, requireEnvironment } from '../org-users/org-directory.ts';
import { requireValidToken, tokensKeyOf } from '../sessions/ended-tokens.ts';
import { isLoginToken, type SignIn, spendLoginToken } from '../sessions/password-login-token.ts';
import { issuers } from '../settings/issuers.ts';
import { asFirstAdmin, type FirstAdminDeps } from '../workspaces/first-admin.ts';
import { isActive, type Membership, type MembershipDeps, requireMembership } from '../workspaces/memberships.ts';
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts';
import { type AppTokenClaims, signAppToken, unverifiedClaim, verifyAppToken } from './app-tokens.ts';
import { appTokenLifetimeSeconds } from './signing-key.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface TokenExchangeDeps extends MembershipDeps, FirstAdminDeps {
  readonly signingKeys: SigningKeys;
  readonly providers: ProviderTokens;
  /** The platform's own issuer: fixed at first start. */
  readonly issuer: string;
  /** See `SessionDeps`. */
  readonly revocations?: AccessEpochs;
}

export type ExchangedToken = ReplyOf<typeof signInApi.exchangeToken>;

export interface ExchangeHeaders {
  readonly clientId: string;
  readonly oauthToken: string;
  readonly requestId: string;
  /** The workspace that the token is to be for; left out, the one that the person has chosen. */
  readonly tenantCode?: string | undefined;
  /** Called with an account for which another account's password was just suspended. */
  readonly onSuspension?: (env: Environment, user: AppUser) => Promise<void>;
}

const reexchangeSecondsMax = 30 * 24 * 60 * 60;

/** Tokens of one environment are never good in the other. */
export function appAudience(env: Environment): string {
  return `freehold-app-${env}`;
}

/**
 * Exchanges an identity token for an app JWT; the first time a person signs in, account and membership are made.
 * @throws Problem `client_unknown`, `token_invalid`, `token_expired`, `issuer_not_allowed`, in that order of checks; last
 *   `account_disabled`, and `not_found` for a workspace that the person is not in.
 */
export async function exchangeToken(
  deps: TokenExchangeDeps,
  org: Org,
  headers: ExchangeHeaders,
): Promise<ExchangedToken> {
  const env = requireEnvironment(org, headers.clientId, deps.clock.now());
  const orgScope = deps.stores[env].scope(orgScopeName(org.code));
  const signIn = isLoginToken(headers.oauthToken)
    ? await spendLoginToken(orgScope, headers.oauthToken)
    : await readIdentityToken(deps, { org, env, orgScope, ...headers });
  const user = signIn === undefined ? undefined : await findSignedIn(orgScope, signIn.user_id);
  const hasEnded = user !== undefined && (signIn?.token_epoch ?? tokenEpoch(user)) !== tokenEpoch(user);
  if (signIn === undefined || user === undefined || (hasEnded && user.disabled === undefined))
    throw new Problem('token_invalid', 'the identity token is not valid');
  if (user.unsettled?.kind === 'suspension') {
    deps.revocations?.bump(tokensKeyOf({ env, org: org.code, sub: user.unsettled.user_id }));
    await headers.onSuspension?.(env, user);
  }
  await settleAccounts(deps, { env, orgCode: org.code, requestId: headers.requestId }, user);
  if (user.disabled !== undefined) throw accountDisabled();
  const { clientId, requestId, tenantCode } = headers;
  return issueAppToken(deps, { org, env, clientId, user, signIn, requestId, tenantCode });
}

interface Issue {
  readonly org: Pick<Org, 'code'>;
  readonly env: Environment;
  readonly clientId: string;
  readonly user: AppUser;
  readonly signIn: SignIn;
  /** Left out for a person who is in already. */
  readonly requestId?: string;
  readonly tenantCode?: string | undefined;
}

export async function issueAppToken(deps: TokenExchangeDeps, issue: Issue): Promise<ExchangedToken> {
  const { org, env, user, signIn, requestId, tenantCode } = issue;
  const place = { env, orgCode: org.code, requestId };
  const resolved =
    tenantCode === undefined
      ? await resolveWorkspace(deps, place, user)
      : await requireMembership(deps, place, { userId: user.id, isNamed: ({ code }) => code === tenantCode });
  if (resolved !== undefined && !isActive(resolved)) throw new Problem('token_invalid', 'the membership is suspended');
  const membership = resolved && (await asFirstAdmin(deps, place, { person: user, membership: resolved }));
  const nowSeconds = Math.floor(deps.clock.now() / 1000);
  const token = await signAppToken(
    deps.signingKeys,
    {
      ...claimsOf(user, membership),
      ep: tokenEpoch(user),
      org: org.code,
      env,
      clientid: issue.clientId,
      idp: signIn.idp,
      auth_time: signIn.auth_time,
      jti: deps.newId(),
    },
    { issuer: deps.issuer, audience: appAudience(env), nowSeconds, lifetimeSeconds: appTokenLifetimeSeconds },
  );
  return {
    token,
    expires_at: timestamp((nowSeconds + appTokenLifetimeSeconds) * 1000),
    user_id: user.id,
    tenant_id: membership?.workspace.tenantId ?? null,
    tenant_code: membership?.workspace.tenantCode ?? null,
  };
}

/** A token has to fit into a header; a longer address of a picture is left to `/user/me`'s record. */
const pictureBytesMax = 2048;

export function claimsOf(user: AppUser, membership: Membership | undefined) {
  const { email, email_verified } = user;
  const profile = membership?.member.data;
  const picture = profile?.picture ?? user.picture;
  return {
    sub: user.id,
    role: String(profile?.role ?? ''),
    email,
    email_verified,
    fn: String(profile?.fn ?? user.fn),
    ln: String(profile?.ln ?? user.ln),
    ...(typeof picture === 'string' && Buffer.byteLength(picture) <= pictureBytesMax ? { picture } : {}),
    ...(membership === undefined
      ? {}
      : {
          tenant_id: membership.workspace.tenantId,
          tenant_code: membership.workspace.tenantCode,
          member_since: membership.member.data.created_at,
        }),
  };
}

interface OwnToken {
  readonly orgScope: Scope;
  readonly org: Org;
  readonly env: Environment;
  readonly clientId: string;
  readonly oauthToken: string;
  readonly requestId: string;
}

/** Nothing is asked of anybody before the token's issuer is found among those that the org allows. */
async function readIdentityToken(deps: TokenExchangeDeps, own: OwnToken): Promise<SignIn> {
  const issuer = unverifiedClaim(own.oauthToken, 'iss');
  if (issuer === undefined) throw new Problem('token_invalid', 'the identity token is not valid');
  if (issuer === deps.issuer) return readOwnToken(deps, own);
  const config = await deps.configs[own.env].current(own.org.code);
  const identity = await deps.providers.verify(own.oauthToken, settingOf(config, own.env, issuers));
  return signInWithProvider(deps, own, identity);
}

/** A still valid app JWT of the same org and client counts as a sign-in, for a while after the real one. */
async function readOwnToken(deps: TokenExchangeDeps, own: OwnToken): Promise<SignIn> {
  const nowSeconds = Math.floor(deps.clock.now() / 1000);
  const claims: AppTokenClaims = await verifyAppToken(deps.signingKeys, own.oauthToken, {
    issuer: deps.issuer,
    audience: appAudience(own.env),
    nowSeconds,
  });
  const client = { clientId: claims.clientid, now: deps.clock.now() };
  if (claims.org !== own.org.code || !isClientOf(own.org, own.env, client))
    throw new Problem('audience_mismatch', 'the token was made for another client');
  if (nowSeconds - claims.auth_time > reexchangeSecondsMax)
    throw new Problem('token_expired', 'the sign-in behind the token is too long ago: sign in again');
  if (claims.act !== undefined)
    throw new Problem(
      'access_denied',
      'the token belongs to a builder who impersonates a user: it cannot be exchanged',
    );
  await requireValidToken(own.orgScope, claims);
  return { user_id: claims.sub, idp: claims.idp, auth_time: claims.auth_time, token_epoch: claims.ep };
}
