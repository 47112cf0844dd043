import { type KeyObject, randomUUID } from 'node:crypto';
import type { signInApi } from '@freehold/contract/app/sign-in';
import type { ReplyOf } from '@freehold/contract/route';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { notFound, Problem } from '../lib/problem.ts';
import type { Change, Key, Scope } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { type AppUser, accountDisabled, appUsers, tokenEpoch } from './app-users/app-user.ts';
import { appTokenLifetimeSeconds } from './signing-key.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The claims of an app JWT about its holder, beside the claims that make it a token. */
export interface AppTokenSubject {
  readonly sub: string;
  readonly org: string;
  readonly env: 'test' | 'prod';
  readonly clientid: string;
  /** These three are absent until a workspace is resolved. */
  readonly tenant_id?: string;
  readonly tenant_code?: string;
  /** The time at which the person joined the workspace: a membership that ended and started again is another one. */
  readonly member_since?: string;
  /** The person's token epoch: the token ends with it. */
  readonly ep: number;
  /** A label of the app's own; it grants nothing. */
  readonly role: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly fn: string;
  readonly ln: string;
  readonly picture?: string;
  /** The source of the identity: the provider's issuer. */
  readonly idp: string;
  /** Seconds since the epoch of the real sign-in, which an exchange of one app JWT for another does not renew. */
  readonly auth_time: number;
  readonly jti: string;
  /** The builder who acts in the name of `sub` (RFC 8693, 4.1); absent where people act for themselves. */
  readonly act?: { readonly sub: string };
  /** The id of the builder's session that the token is good for. Tokens with `act` that earlier versions issued have none. */
  readonly sid?: string;
}

export interface AppTokenClaims extends AppTokenSubject {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
}

/** Issuer and audience are the platform's own; the audience differs between environments. */
interface AppTokenRealm {
  readonly issuer: string;
  readonly audience: string;
  /** Whole seconds since the epoch. */
  readonly nowSeconds: number;
}

export async function signAppToken(
  keys: SigningKeys,
  subject: AppTokenSubject,
  { issuer, audience, nowSeconds, lifetimeSeconds }: AppTokenRealm & { readonly lifetimeSeconds: number },
): Promise<string> {
  if (lifetimeSeconds > appTokenLifetimeSeconds) throw new RangeError('an app token would outlive its key');
  const { kid, privateKey } = keys.current();
  const token = await new SignJWT({ ...subject })
    .setProtectedHeader({ alg: algorithm, typ: appTokenType, kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + lifetimeSeconds)
    .sign(privateKey);
  if (token.length > tokenBytesMax) throw new Error('the claims of an app token are larger than a token may be');
  return token;
}

/**
 * Verifies a token from a request header, whatever that holds.
 * @throws Problem `token_expired` when everything but the time is right, else `token_invalid`. Its cause is a bare
 * reason, never an error of the library: those carry the claims, and a log must not hold an email address.
 */
export async function verifyAppToken(
  keys: SigningKeys,
  token: string,
  { issuer, audience, nowSeconds }: AppTokenRealm,
): Promise<AppTokenClaims> {
  if (!isCanonicalToken(token)) throw invalidToken('form');
  const payload = await verifiedPayload(token, (header) => keyFor(keys, header), {
    algorithms: [algorithm],
    typ: appTokenType,
    issuer,
    audience,
    currentDate: new Date(nowSeconds * 1000),
  });
  const claims = readClaims(payload);
  // The library skips claims without an expected value. A missing setting must not open the door.
  if (claims.iss !== issuer || claims.aud !== audience) throw invalidToken('realm');
  return claims;
}

/** A claim of an unverified token, if it is a text. Only good for choosing the rules that the token is then held to. */
export function unverifiedClaim(token: string, name: string): string | undefined {
  const value = unverifiedClaims(token).get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The builder that an unverified token says acts by it. */
export function unverifiedActor(token: string): string | undefined {
  const act = unverifiedClaims(token).get('act');
  return typeof act === 'object' && act !== null && 'sub' in act && typeof act.sub === 'string' ? act.sub : undefined;
}

/** All claims of an unverified token; none of what is no token. */
export function unverifiedClaims(token: string): ReadonlyMap<string, unknown> {
  const parts = token.length > tokenBytesMax ? [] : token.split('.');
  if (parts.length !== 3) return new Map();
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    return new Map(Object.entries(claims ?? {}));
  } catch {
    return new Map();
  }
}

const algorithm = 'ES256';

/** Names the gateway that a token is for, after RFC 8725, 3.11: a management token says something else. */
const appTokenType = 'app+jwt';

const tokenBytesMax = 8192;

/** Exactly three parts: five would be an encrypted token, an empty third one an unsigned token. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Whether a text has the form of a signed token in its one spelling: the last character of base64url may hold bits that
 * mean nothing.
 */
export function isCanonicalToken(token: string): boolean {
  if (token.length > tokenBytesMax || !compactForm.test(token)) return false;
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** All that this platform writes: `jku`, `jwk`, `x5u`, `x5c`, `crit`, `b64`, `zip` and what comes next are not among it. */
const headerMembers: readonly string[] = ['alg', 'typ', 'kid'];

type VerifyOptions = NonNullable<Parameters<typeof jwtVerify>[2]> & { readonly algorithms: string[] };

async function verifiedPayload(
  token: string,
  findKey: (header: JWTHeaderParameters) => KeyObject,
  options: VerifyOptions,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, findKey, { ...options, algorithms: [algorithm] });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Problem('token_expired', 'the token has expired');
    if (error instanceof errors.JOSEError) throw invalidToken(error.code);
    throw error;
  }
}

function keyFor(keys: SigningKeys, header: JWTHeaderParameters): KeyObject {
  if (!Object.keys(header).every((member) => headerMembers.includes(member))) throw invalidToken('header');
  const key = header.kid === undefined ? undefined : keys.find(header.kid);
  if (key === undefined) throw invalidToken('kid');
  return key;
}

function invalidToken(reason: string): Problem {
  return new Problem('token_invalid', 'the token is not valid', {}, reason);
}

function readClaims(payload: JWTPayload): AppTokenClaims {
  const { env, tenant_id, tenant_code, member_since, picture, email_verified, act, sid } = payload;
  if (env !== 'test' && env !== 'prod') throw invalidToken('claim env');
  if (typeof email_verified !== 'boolean') throw invalidToken('claim email_verified');
  if ((tenant_id === undefined) !== (tenant_code === undefined)) throw invalidToken('claim tenant_id');
  if ((tenant_id === undefined) !== (member_since === undefined)) throw invalidToken('claim member_since');
  return {
    iss: text(payload, 'iss'),
    aud: text(payload, 'aud'),
    sub: text(payload, 'sub'),
    org: text(payload, 'org'),
    env,
    clientid: text(payload, 'clientid'),
    ...(tenant_id !== undefined && { tenant_id: text(payload, 'tenant_id') }),
    ...(tenant_code !== undefined && { tenant_code: text(payload, 'tenant_code') }),
    ...(member_since !== undefined && { member_since: text(payload, 'member_since') }),
    ep: integer(payload, 'ep'),
    role: text(payload, 'role'),
    email: text(payload, 'email'),
    email_verified,
    fn: text(payload, 'fn'),
    ln: text(payload, 'ln'),
    ...(picture !== undefined && { picture: text(payload, 'picture') }),
    idp: text(payload, 'idp'),
    auth_time: integer(payload, 'auth_time'),
    jti: text(payload, 'jti'),
    ...(act !== undefined && { act: actorIn(act), ...(sid !== undefined && { sid: text(payload, 'sid') }) }),
    iat: integer(payload, 'iat'),
    exp: integer(payload, 'exp'),
  };
}

function actorIn(act: unknown): { readonly sub: string } {
  if (typeof act !== 'object' || act === null || !('sub' in act) || typeof act.sub !== 'string')
    throw invalidToken('claim act');
  return { sub: act.sub };
}

function text(payload: JWTPayload, claim: string): string {
  const value = payload[claim];
  if (typeof value !== 'string') throw invalidToken(`claim ${claim}`);
  return value;
}

function integer(payload: JWTPayload, claim: string): number {
  const value = payload[claim];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw invalidToken(`claim ${claim}`);
  return value;
}

/**
 * Holds a verified token to what the org knows of it: the person is there, the epoch is still the token's own, and the
 * token was not signed out.
 * @throws Problem `token_invalid`, `account_disabled`.
 */
export async function requireValidToken(orgScope: Scope, { sub, jti, ep }: AppTokenClaims): Promise<AppUser> {
  const [item, ended] = await orgScope.get([appUsers.key(sub), endedTokenKey(jti)]);
  const known = appUsers.row(orgScope, item)?.value;
  if (known?.disabled !== undefined) throw accountDisabled();
  if (known !== undefined && ended === undefined && tokenEpoch(known) === ep) return known;
  throw new Problem('token_invalid', 'the sign-in behind the token has ended');
}

/** Ends one token, until its own expiry. The check, which always holds, names its owner for other nodes. */
export function endToken({ jti, sub, exp }: AppTokenClaims): readonly Change[] {
  return [
    { kind: 'put', ...endedTokenKey(jti), value: '{}', if: 'any', due: { at: exp * 1000, queue: 'expire' } },
    { kind: 'check', ...appUsers.key(sub), if: 'any' },
  ];
}

/** All tokens of the person are dead from the commit of this on. */
export function withNextEpoch(user: AppUser, at: string): AppUser {
  return { ...user, token_epoch: tokenEpoch(user) + 1, tokens_revoked_at: at };
}

/** The key under which this process counts the revocations of a person's tokens, the org first: none has a hyphen. */
export function tokensKeyOf({ env, org, sub }: Pick<AppTokenClaims, 'env' | 'org' | 'sub'>): string {
  return `${orgScopeName(org)}-${env}-${sub}`;
}

function endedTokenKey(jti: string): Key {
  return { pk: 'ended-token', sk: jti };
}

const issuerKey: Key = { pk: 'platform', sk: 'issuer' };

/** The `iss` of every app token: fixed at first start, so that tokens outlive a change of address or node. */
export async function platformIssuer(platform: Scope, publicUrl: string | undefined): Promise<string> {
  for (;;) {
    const [item] = await platform.get([issuerKey]);
    if (item !== undefined) return item.value;
    const value = publicUrl ?? `urn:uuid:${randomUUID()}`;
    await tryCommit(platform, [{ kind: 'put', ...issuerKey, value, if: 'absent' }]);
  }
}

/**
 * The body of `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, section 3). It names the address of the
 * first start alone, so a request cannot name keys elsewhere.
 * @throws Problem `not_found` where the issuer is no address.
 */
export function discoveryDocument(issuer: string): ReplyOf<typeof signInApi.readIssuer> {
  if (!/^https?:/.test(issuer)) throw notFound();
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: [algorithm],
    subject_types_supported: ['public'],
    response_types_supported: [],
  };
}

/** Tokens of one environment are never good in the other. */
export function appAudience(env: Environment): string {
  return `freehold-app-${env}`;
}
