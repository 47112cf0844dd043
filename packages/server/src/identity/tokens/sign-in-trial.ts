import { type providersApi, signInChecks } from '@freehold/contract/management/settings/providers';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { findSignedIn, identities } from '../app-users/app-user.ts';
import { readOwner } from '../app-users/provider-sign-in.ts';
import type { Claims, ProviderIdentity } from '../oidc/claims.ts';
import { type DiscoveryDeps, readMetadata, webAddressOf } from '../oidc/discover-provider.ts';
import { atCode, exchangeCode } from '../oidc/exchange-code.ts';
import { createPostForm, type FetchJsonOptions } from '../oidc/fetch-json.ts';
import type { ProviderTokens } from '../oidc/provider-tokens.ts';
import { reasonOf } from '../oidc/token-reasons.ts';
import { type IssuerEntry, issuers } from '../settings/issuers.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import { isSuspendedAtHome } from '../workspaces/suspended-at-home.ts';
import type { OrgContext } from '../workspaces/workspace-head.ts';
import { unverifiedClaim, unverifiedClaims } from './app-tokens.ts';

export type SignInVerdict = ReplyOf<typeof providersApi.testSignIn>;
type Trial = BodyOf<typeof providersApi.testSignIn>;
type Check = (typeof signInChecks)[number];

export interface SignInTrialDeps extends Pick<MembershipDeps, 'stores' | 'configs'> {
  /** Of the platform's own tokens. */
  readonly issuer: string;
  readonly discovery: DiscoveryDeps;
  readonly fetching: FetchJsonOptions;
  /** For this trial alone. */
  readonly tokens: ProviderTokens;
}

/**
 * Holds an identity token to what `GET /app/{org}/token` holds it to, and makes nothing. The keys are fetched for this
 * token alone, so that a draft of a builder moves no keys that are held for others.
 * @throws Problem `validation_failed` for a draft that no setting takes, and for a code that gives no token.
 */
export async function trySignIn(deps: SignInTrialDeps, context: OrgContext, trial: Trial): Promise<SignInVerdict> {
  const trusted = await trustedIssuers(deps, context, trial.provider);
  const token = trial.id_token ?? (await tokenByCode(deps, trusted, trial.code));
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const order = signInChecks.filter((check) => check !== 'nonce' || trial.code !== undefined);
  const passed = new Set<Check>();
  const found: { claims?: Claims; identity?: ProviderIdentity; account?: SignInVerdict['account'] } = {};
  let failure: Problem | undefined;
  try {
    if (unverifiedClaim(token, 'iss') === deps.issuer) throw ownToken();
    found.identity = await deps.tokens.verify(token, trusted, (check, claims) => {
      passed.add(check);
      if (claims !== undefined) found.claims = claims;
    });
    if (trial.code !== undefined && found.claims?.nonce !== trial.code.nonce) throw strangeNonce();
    passed.add('nonce');
    const { state, userId } = await accountOf(orgScope, found.identity);
    found.account = state;
    passed.add('account');
    if (userId !== undefined && (await isSuspendedAtHome(deps, context, userId)))
      throw new Problem('token_invalid', 'the membership is suspended');
    passed.add('membership');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    failure = error;
  }
  const claims = found.claims ?? Object.fromEntries(unverifiedClaims(token));
  return {
    accepted: failure === undefined,
    checks: checksOf(order, passed, failure && { code: failure.code, reason: reasonFor(failure, claims, trusted) }),
    claims: Object.keys(claims).length === 0 ? null : claims,
    identity: found.identity === undefined ? null : shownIdentity(found.identity),
    account: found.account ?? null,
  };
}

function checksOf(
  order: readonly Check[],
  passed: ReadonlySet<Check>,
  failure: { readonly code: string; readonly reason: string } | undefined,
): SignInVerdict['checks'] {
  const failed = failure === undefined ? undefined : order.find((check) => !passed.has(check));
  return order.map((check) => {
    if (passed.has(check)) return { check, state: 'passed' };
    if (check !== failed || failure === undefined) return { check, state: 'not_reached' };
    return { check, state: 'failed', ...failure };
  });
}

function reasonFor(failure: Problem, claims: Claims, trusted: readonly IssuerEntry[]): string {
  if (failure.code !== 'audience_mismatch') return reasonOf(failure);
  const entry = trusted.find(({ issuer }) => issuer === claims.iss);
  const named = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  const several = named.length > 1 ? ', with `azp` of one of them' : '';
  return `it was made for ${quoted(named)}, and the client ids of the provider are ${quoted(entry?.audiences ?? [])}${several}`;
}

function quoted(values: readonly unknown[]): string {
  return values
    .slice(0, 20)
    .map((value) => `\`${String(value).slice(0, 200)}\``)
    .join(', ');
}

function shownIdentity({ auth_time, ...identity }: ProviderIdentity): SignInVerdict['identity'] {
  return identity;
}

function ownToken(): Problem {
  return new Problem('token_invalid', 'it is a token of this platform, and none of a provider');
}

function strangeNonce(): Problem {
  return new Problem('token_invalid', 'its `nonce` is not that of this sign-in: it may be the token of another one');
}

/** The providers of the environment, with the draft in the place of the stored one of its issuer. */
async function trustedIssuers(
  { configs }: SignInTrialDeps,
  { env, orgCode }: OrgContext,
  draft: Trial['provider'],
): Promise<readonly IssuerEntry[]> {
  const stored = settingOf(await configs[env].current(orgCode), env, issuers);
  if (draft === undefined) return stored;
  const parsed = issuers.parse([draft]);
  if ('errors' in parsed)
    throw invalidBody(
      parsed.errors.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/0/, '/provider') })),
    );
  const [entry] = parsed.value;
  return [...parsed.value, ...stored.filter(({ issuer }) => issuer !== entry?.issuer)];
}

async function tokenByCode(
  { discovery, fetching }: SignInTrialDeps,
  trusted: readonly IssuerEntry[],
  code: Trial['code'],
): Promise<string> {
  if (code === undefined)
    throw invalidBody([{ pointer: '', code: 'wrong_type', message: 'there is no token to test' }]);
  if (!trusted.some(({ issuer }) => issuer === code.issuer))
    throw atCode('issuer_not_allowed', 'the provider of the code is not among the providers of the app');
  const metadata = await readMetadata(discovery, code.issuer).catch(belowCode);
  const endpoint = webAddressOf(discovery, metadata.token_endpoint);
  if (endpoint === null) throw atCode('no_token_endpoint', 'the discovery document names no token endpoint');
  return exchangeCode(createPostForm(fetching), endpoint, code);
}

function belowCode(error: unknown): never {
  if (!(error instanceof Problem) || error.details.errors === undefined) throw error;
  throw invalidBody(error.details.errors.map((one) => ({ ...one, pointer: `/code${one.pointer}` })));
}

interface FoundAccount {
  readonly state: 'known' | 'linked' | 'new';
  readonly userId?: string;
}

async function accountOf(orgScope: Scope, identity: ProviderIdentity): Promise<FoundAccount> {
  const known = (await identities.read(orgScope, [identity.iss, identity.sub]))?.value;
  const owner = known ?? (await readOwner(orgScope, identity)).owner?.value;
  if (owner === undefined) return { state: 'new' };
  const user = await findSignedIn(orgScope, owner);
  if (user === undefined) throw new Problem('token_invalid', 'the account of this identity was removed');
  return { state: known === undefined ? 'linked' : 'known', userId: user.id };
}
