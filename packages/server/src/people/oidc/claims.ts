import { isEmailAddress } from '../../lib/formats/email-address.ts';
import { Problem } from '../../lib/problem.ts';
import type { IssuerEntry } from '../settings/issuers.ts';

/** The person who signs in, by a provider's claims. Two are one person only when both `iss` and `sub` are the same. */
export interface ProviderIdentity {
  readonly iss: string;
  readonly sub: string;
  readonly email?: string;
  /** False without an email. */
  readonly email_verified: boolean;
  /** First and last name, `''` when unknown. */
  readonly fn: string;
  readonly ln: string;
  readonly picture?: string;
  /** Seconds since the epoch of the sign-in itself, where the provider sends it. */
  readonly auth_time?: number;
}

export type Claims = Readonly<Record<string, unknown>>;

/** The refusal of a token. Its cause is a bare reason, never the claims: a log must not hold an email address. */
export function invalidToken(reason: string): Problem {
  return new Problem('token_invalid', 'the identity token is not valid', {}, reason);
}

export function readIdentity(
  claims: Claims,
  entry: Pick<IssuerEntry, 'issuer' | VerifiedAsText>,
  nowSeconds: number,
): ProviderIdentity {
  // Such a token reports that a user signed out, or lost an account (RFC 8417; OpenID Connect Back-Channel Logout,
  // 2.4).
  if (claims.events !== undefined) throw invalidToken('claim events');
  const { sub, email, picture, auth_time } = claims;
  const isVerified = readVerified(claims.email_verified, entry.email_verified_as_string === true);
  if (typeof sub !== 'string' || !subjectForm.test(sub)) throw invalidToken('claim sub');
  const hasEmail = typeof email === 'string' && isEmailAddress(email);
  return {
    iss: entry.issuer,
    sub,
    ...(hasEmail && { email }),
    email_verified: hasEmail && isVerified,
    ...namesOf(claims),
    ...(isPicture(picture) && { picture }),
    ...(isTimeUntil(auth_time, nowSeconds + leewaySeconds) && { auth_time }),
  };
}

type VerifiedAsText = 'email_verified_as_string';

/** A boolean (OpenID Connect Core 1.0, 5.1). Amazon Cognito and Apple write it as a text, which an app has to allow. */
function readVerified(claim: unknown, takesText: boolean): boolean {
  if (claim === undefined || claim === null) return false;
  if (typeof claim === 'boolean') return claim;
  const isText = claim === 'true' || claim === 'false';
  if (isText && takesText) return claim === 'true';
  const hint = isText ? ': if the provider sends it as a string, set `email_verified_as_string` of the issuer' : '';
  throw new Problem('token_invalid', `the claim \`email_verified\` of the identity token is not a boolean${hint}`);
}

const leewaySeconds = 60;

/** 9999-12-31T23:59:59Z: a time in milliseconds lies beyond it. */
const secondsMax = 253_402_300_799;

/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters; those that print. */
const subjectForm = /^[ -~]{1,255}$/;

export function checkAudience({ aud, azp }: Claims, audiences: readonly string[]): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isOurs = (client: unknown): boolean => audiences.some((audience) => audience !== '' && audience === client);
  // Of several audiences one has asked for the token. Any other may have got hold of it.
  if (!named.some(isOurs) || (named.length > 1 && !isOurs(azp)))
    throw new Problem('audience_mismatch', 'the identity token was made for another client');
}

export function checkTimes({ exp, nbf, iat }: Claims, nowSeconds: number): void {
  if (!isTime(exp)) throw invalidToken('claim exp');
  if (exp <= nowSeconds - leewaySeconds) throw new Problem('token_expired', 'the identity token has expired');
  for (const [name, time] of Object.entries({ nbf, iat })) {
    const holds = time === undefined || (isTime(time) && time <= nowSeconds + leewaySeconds);
    if (!holds) throw invalidToken(`claim ${name}`);
  }
}

function isTimeUntil(value: unknown, seconds: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= seconds;
}

/** Whole seconds since the epoch. */
function isTime(value: unknown): value is number {
  return isTimeUntil(value, secondsMax);
}

/** A provider that knows only the whole name gives it last word last, for want of anything better. */
function namesOf({ given_name, family_name, name }: Claims): { readonly fn: string; readonly ln: string } {
  const fn = nameOf(given_name);
  const ln = nameOf(family_name);
  if (fn !== '' || ln !== '') return { fn, ln };
  const words = nameOf(name).split(' ');
  const last = words.length > 1 ? words.pop() : '';
  return { fn: words.join(' '), ln: last ?? '' };
}

/** The characters allowed in a person's `fn` and `ln`. */
const nameCharactersMax = 128;

/** A name as a record takes it: well-formed, without control characters, not too long. */
function nameOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  const plain = value
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return Array.from(plain).slice(0, nameCharactersMax).join('').trim();
}

const pictureCharactersMax = 1024;

function isPicture(value: unknown): value is string {
  return typeof value === 'string' && value.length <= pictureCharactersMax && webAddress.test(value);
}

/** Absolute, of a web scheme, and without anything that would have to be escaped. */
const webAddress = /^https?:\/\/[!-~]+$/;
