import type { signInApi } from '@freehold/contract/app/sign-in';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { domainKey } from '../../lib/formats/email-key.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import {
  type AppTokenClaims,
  appAudience,
  requireValidToken,
  signAppToken,
  tokensKeyOf,
  unverifiedClaim,
  verifyAppToken,
} from '../app-tokens.ts';
import type { Homes, Membership } from '../homes.ts';
import {
  type AppClientDeps,
  appOf,
  isClientOf,
  type Org,
  openAppClient,
  requireEnvironment,
  requireOrg,
} from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import type { MailDeps } from '../realm/set-password.ts';
import { type IssuerEntry, issuers } from '../settings/issuers.ts';
import { passwordLogin } from '../settings/plain-settings.ts';
import { appTokenLifetimeSeconds } from '../signing-key.ts';
import { offerMerge, welcome } from './app-mails.ts';
import { type AppUser, accountDisabled, findSignedIn, tokenEpoch } from './app-user.ts';
import { type AppUsersDeps, isLoginToken, logInWithPassword, type SignIn, spendLoginToken } from './password-log-in.ts';
import { signInWithProvider } from './provider-sign-in.ts';

interface LogInRequest {
  readonly clientId: string;
  readonly body: BodyOf<typeof signInApi.logIn>;
  readonly ip: string;
}

type AppSignInDeps = TokenExchangeDeps & AppUsersDeps & MailDeps & AppClientDeps;

/** The ways in which an app's users sign in: a password or a provider's token, and the app JWT in exchange. */
export function createAppSignIn(deps: AppSignInDeps) {
  return {
    logIn: async (orgCode: string, { clientId, body, ip }: LogInRequest) => {
      const app = await openAppClient(deps, orgCode, clientId);
      const policy = settingOf(app.config, app.env, passwordLogin);
      const request = { env: app.env, body, ip, policy };
      return logInWithPassword(deps, app.orgScope, {
        ...request,
        welcome: (user) => welcome(deps, app, { user, ip }),
      });
    },
    exchange: async (orgCode: string, headers: Omit<ExchangeHeaders, 'onSuspension'>) =>
      exchangeToken(deps, await requireOrg(deps.platform, orgCode), {
        ...headers,
        onSuspension: async (env, user) => offerMerge(deps, await appOf(deps, { org: orgCode, env }), user),
      }),
    /** The ways in which an app's users may sign in, for a user with this email where it is given. */
    offers: async (
      orgCode: string,
      { clientId, email }: { readonly clientId: string; readonly email?: string | undefined },
    ): Promise<SignInOffers> => {
      const { config, env } = await openAppClient(deps, orgCode, clientId);
      const { enabled, allow_signup } = settingOf(config, env, passwordLogin);
      const offered = offeredIssuers(settingOf(config, env, issuers), email);
      return { items: offered.map(shownProvider), password_login: { enabled, allow_signup } };
    },
  };
}

type SignInOffers = ReplyOf<typeof signInApi.listProviders>;

/** Those for the email's domain where there are any; else those that are for everybody. */
function offeredIssuers(all: readonly IssuerEntry[], email: string | undefined): readonly IssuerEntry[] {
  if (email === undefined) return all;
  const domain = domainKey(email.slice(email.lastIndexOf('@') + 1));
  const own = all.filter(({ email_domains }) => email_domains?.some((one) => domainKey(one) === domain) === true);
  return own.length > 0 ? own : all.filter(({ email_domains = [] }) => email_domains.length === 0);
}

function shownProvider({ issuer, name = issuer, audiences }: IssuerEntry): SignInOffers['items'][number] {
  return { issuer, name, client_ids: audiences };
}

export type TokenExchangeDeps = Pick<
  Parts,
  'clock' | 'newId' | 'stores' | 'configs' | 'signingKeys' | 'providers' | 'issuer'
> &
  Partial<Pick<Parts, 'revocations'>> & { readonly homes: Pick<Homes, 'settle' | 'arrive'> };

export type ExchangedToken = ReplyOf<typeof signInApi.exchangeToken>;

interface ExchangeHeaders {
  readonly clientId: string;
  readonly oauthToken: string;
  readonly requestId: string;
  /** The workspace that the token is to be for; left out, the one that the person has chosen. */
  readonly tenantCode?: string | undefined;
  /** Called with an account for which another account's password was just suspended. */
  readonly onSuspension?: (env: Environment, user: AppUser) => Promise<void>;
}

const reexchangeSecondsMax = 30 * 24 * 60 * 60;

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
  await deps.homes.settle({ env, orgCode: org.code, requestId: headers.requestId }, user);
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
  const membership = await deps.homes.arrive(place, user, tenantCode);
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
