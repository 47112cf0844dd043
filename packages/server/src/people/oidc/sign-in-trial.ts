import { type providersApi, signInChecks } from '@freehold/contract/management/settings/providers';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { AddressRefused, unansweredReason } from '../../lib/network/guarded-request.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { type OrgContext, orgScopeName } from '../../tenancy/port.ts';
import { unverifiedClaim, unverifiedClaims } from '../app-tokens.ts';
import { findSignedIn, identities } from '../app-users/app-user.ts';
import { readOwner } from '../app-users/provider-sign-in.ts';
import type { Homes } from '../homes.ts';
import type { Parts } from '../parts.ts';
import { type IssuerEntry, issuers } from '../settings/issuers.ts';
import type { Claims, ProviderIdentity } from './claims.ts';
import {
  type DiscoveredProvider,
  type DiscoveryDeps,
  discoverProvider,
  readMetadata,
  webAddressOf,
} from './discover-provider.ts';
import {
  createFetchJson,
  createPostForm,
  type FetchJsonOptions,
  membersOf,
  type PostForm,
  UnusableAnswer,
} from './fetch-json.ts';
import { createProviderTokens, defaultLimits, type ProviderTokens } from './provider-tokens.ts';

/** Checks of a provider by a builder before an app trusts it. Nothing of it is stored. */
interface ProviderTrials {
  /** @throws Problem `validation_failed` at `/issuer`, `rate_limited`. */
  discover(orgCode: string, issuer: string): Promise<DiscoveredProvider>;
  /** @throws Problem `validation_failed`, `rate_limited`. */
  test(context: OrgContext, trial: BodyOf<typeof providersApi.testSignIn>): Promise<SignInVerdict>;
}

export interface ProviderTrialDeps extends Omit<SignInTrialDeps, 'discovery' | 'fetching' | 'tokens'> {
  readonly clock: Clock;
  /** In development providers on this machine are called, and by plain http; in production public ones by https. */
  readonly allowPrivateAddresses: boolean;
}

/** Calls to providers that one org waits for at a time. */
const trialsMax = 4;

export function createProviderTrials({ clock, allowPrivateAddresses, ...deps }: ProviderTrialDeps): ProviderTrials {
  const { providersMax, ...limits } = defaultLimits;
  const fetching = { ...limits, allowPrivateAddresses };
  const discovery: DiscoveryDeps = {
    fetchJson: createFetchJson(fetching),
    isDevelopment: allowPrivateAddresses,
    timeoutMilliseconds: limits.timeoutMilliseconds,
  };
  const inShare = createShare();
  return {
    discover: (orgCode, issuer) => inShare(orgCode, () => discoverProvider(discovery, issuer)),
    test: (context, trial) =>
      inShare(context.orgCode, () => {
        const tokens = createProviderTokens({ clock, allowPrivateAddresses, limits: { providersMax: 1 } });
        return trySignIn({ ...deps, discovery, fetching, tokens }, context, trial);
      }),
  };
}

/** A provider that answers slowly holds calls open: an org has a few of them at a time, so that others are not held up. */
function createShare() {
  const underWay = new Map<string, number>();
  return async <Result>(orgCode: string, work: () => Promise<Result>): Promise<Result> => {
    const count = underWay.get(orgCode) ?? 0;
    if (count >= trialsMax)
      throw new Problem('rate_limited', `at most ${trialsMax} providers are asked for an org at a time: try again`, {
        retry_after_seconds: 5,
      });
    underWay.set(orgCode, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(orgCode) ?? 1) - 1;
      if (left === 0) underWay.delete(orgCode);
      else underWay.set(orgCode, left);
    }
  };
}

type SignInVerdict = ReplyOf<typeof providersApi.testSignIn>;
type Trial = BodyOf<typeof providersApi.testSignIn>;
type SignInCheck = (typeof signInChecks)[number];

type SignInTrialDeps = Pick<Parts, 'stores' | 'configs' | 'issuer'> & {
  readonly homes: Pick<Homes, 'isSuspendedAtHome'>;
  readonly discovery: DiscoveryDeps;
  readonly fetching: FetchJsonOptions;
  /** For this trial alone. */
  readonly tokens: ProviderTokens;
};

/**
 * Holds an identity token to what `GET /app/{org}/token` holds it to, and makes nothing. The keys are fetched for this
 * token alone, so that a draft of a builder moves no keys that are held for others.
 * @throws Problem `validation_failed` for a draft that no setting takes, and for a code that gives no token.
 */
async function trySignIn(deps: SignInTrialDeps, context: OrgContext, trial: Trial): Promise<SignInVerdict> {
  const trusted = await trustedIssuers(deps, context, trial.provider);
  const token = trial.id_token ?? (await tokenByCode(deps, trusted, trial.code));
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const order = signInChecks.filter((check) => check !== 'nonce' || trial.code !== undefined);
  const passed = new Set<SignInCheck>();
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
    if (userId !== undefined && (await deps.homes.isSuspendedAtHome(context, userId)))
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
  order: readonly SignInCheck[],
  passed: ReadonlySet<SignInCheck>,
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

interface TrialAccount {
  readonly state: 'known' | 'linked' | 'new';
  readonly userId?: string;
}

async function accountOf(orgScope: Scope, identity: ProviderIdentity): Promise<TrialAccount> {
  const known = (await identities.read(orgScope, [identity.iss, identity.sub]))?.value;
  const owner = known ?? (await readOwner(orgScope, identity)).owner?.value;
  if (owner === undefined) return { state: 'new' };
  const user = await findSignedIn(orgScope, owner);
  if (user === undefined) throw new Problem('token_invalid', 'the account of this identity was removed');
  return { state: known === undefined ? 'linked' : 'known', userId: user.id };
}

/** The code that a provider sent a browser back with, and the values with which the browser began the sign-in. */
export interface SignInCode {
  readonly value: string;
  readonly verifier: string;
  readonly redirect_uri: string;
  readonly client_id: string;
}

/**
 * Exchanges an authorization code for an identity token, as a public client with PKCE (RFC 6749, 4.1.3; RFC 7636, 4.5).
 * @throws Problem `validation_failed` at `/code` where the provider gives none.
 */
async function exchangeCode(postForm: PostForm, tokenEndpoint: string, code: SignInCode): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    code: code.value,
    code_verifier: code.verifier,
    redirect_uri: code.redirect_uri,
    client_id: code.client_id,
  };
  const { status, body } = await postForm(tokenEndpoint, form).catch((error: unknown) => {
    const why = error instanceof UnusableAnswer ? error.message : unansweredReason(error);
    throw atCode('unreachable', `the provider did not exchange the code: ${why}`);
  });
  const { id_token, error, error_description } = membersOf(body);
  if (status === 200 && typeof id_token === 'string') return id_token;
  if (status === 200) throw atCode('no_id_token', 'the provider gave no identity token: request the scope `openid`');
  const described = typeof error_description === 'string' ? ` (${shortened(error_description)})` : '';
  const name = typeof error === 'string' ? `\`${shortened(error)}\`${described}` : `status ${status}`;
  const hint =
    error === 'invalid_client' || error === 'unauthorized_client'
      ? '. The client may need a secret at the provider, which this test does not send: paste an identity token instead'
      : '';
  throw atCode('provider_refused', `the provider refused the code: ${name}${hint}`);
}

function atCode(code: string, message: string): Problem {
  return invalidBody([{ pointer: '/code', code, message }]);
}

function shortened(text: string): string {
  return text.slice(0, 200).toWellFormed();
}

/**
 * The reason a token was refused, for the builder who tries it. A caller of the app learns less: it is in the cause
 * of the refusal alone.
 */
function reasonOf({ cause, code, message }: Problem): string {
  if (typeof cause === 'string') return sentences[cause] ?? `${message} (${cause})`;
  if (cause instanceof AddressRefused) return `the keys of the issuer cannot be fetched: ${cause.message}`;
  return code === 'unavailable' ? `${message}: ${unansweredReason(cause)}` : message;
}

const sentences: Readonly<Record<string, string>> = {
  form: 'it is no JSON Web Token of three parts in base64url with a claim `iss`',
  key: 'the provider publishes no key of this id and algorithm',
  payload: 'its claims are no JSON',
  'header crit': 'its header has `crit`, which names extensions that the platform does not know',
  'header typ': 'its header has a `typ` other than `JWT`: it may be an access token',
  'header kid': 'the `kid` of its header is no text',
  'claim iss': 'its signed claims name another issuer',
  'claim exp': 'the claim `exp` is missing, or is no time in whole seconds',
  'claim nbf': 'the claim `nbf` is no time, or lies in the future',
  'claim iat': 'the claim `iat` is no time, or lies in the future',
  'claim events': 'it is a notice of a sign-out, and no identity token',
  'claim sub': 'the claim `sub` is missing, or is no text of 1 to 255 printing ASCII characters',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not fit the key that it names',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is none that the platform takes',
  ERR_JWS_INVALID: 'its header cannot be read',
};
