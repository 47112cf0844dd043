import type { Member } from '../../iam/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { invalidInput, Problem } from '../../lib/problem.ts';
import { escapeKeyValue } from '../../schema/port.ts';
import { Conflict, type Key, type Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { readCredentials } from '../people/credentials.ts';
import { emailKey } from '../people/email.ts';
import type { LoginThrottle, SignInAttempt } from '../people/login-throttle.ts';
import { checkPassword, type PasswordHasher } from '../people/passwords.ts';
import { readBody } from '../people/read-body.ts';
import { createLoginToken, loginTokenKey } from '../sessions/password-login-token.ts';
import type { PasswordLogin } from '../settings/plain-settings.ts';
import { verifiedEmailKey } from './verified-email.ts';

/**
 * An app's user in one environment of an org. `password_hash` is absent where a provider signs the person in, and where the
 * password is suspended.
 */
export interface AppUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly fn: string;
  readonly ln: string;
  readonly picture?: string;
  readonly password_hash?: string;
  /** Counts what ended all tokens of the person at once; a token of an earlier number is dead. Absent is 0. */
  readonly token_epoch?: number;
  readonly created_at: string;
  /** The account that has proved the address, for which the password of this one was suspended. */
  readonly suspended_for?: string;
  /** The account whose password was suspended for this one. */
  readonly suspends?: string;
  /** The account that this one has become a part of. */
  readonly merged_into?: string;
  /** What the workspaces of another account have still to be told. */
  readonly unsettled?: Unsettled;
}

export interface Unsettled {
  readonly kind: 'suspension' | 'merge';
  readonly user_id: string;
}

/** What a login token stands for until it is spent. */
export interface SignIn {
  readonly user_id: string;
  readonly idp: string;
  /** Seconds since the epoch. */
  readonly auth_time: number;
  /** The person's token epoch then. Absent where a provider vouches for the person at this moment. */
  readonly token_epoch?: number;
}

/** The identity provider's name where the platform itself checked a password. */
export const passwordIdp = 'password';

export interface AppUsersParts {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly hasher: PasswordHasher;
  readonly loginThrottle: LoginThrottle;
}

export interface PasswordLogIn {
  readonly env: Environment;
  readonly body: unknown;
  readonly ip: string;
  readonly policy: PasswordLogin;
  /** Told of an account that the log-in has made. */
  readonly welcome?: (user: AppUser) => void;
}

const loginTokenMilliseconds = 5 * 60 * 1000;

/** INVARIANT: the key of an identity is who says so and what they call the person, never the email. */
export function identityKey(idp: string, subject: string): Key {
  return { pk: 'identity', sk: `${escapeKeyValue(idp)};${escapeKeyValue(subject)}` };
}

export function appUserKey(userId: string): Key {
  return { pk: 'app-user', sk: userId };
}

/** Checks a password, or makes the user where the email is new, and gives a token to be exchanged once. */
export async function logInWithPassword(
  parts: AppUsersParts,
  orgScope: Scope,
  request: PasswordLogIn,
): Promise<{ readonly token: string; readonly expires_at: string }> {
  requirePasswords(request.policy);
  const body = readBody(request.body, { email: 'required', password: 'required' } as const);
  const email = readCredentials(body);
  const attempt = attemptOf({ orgScope, env: request.env, email, ip: request.ip });
  parts.loginThrottle.check(attempt);
  const known = await findByPasswordIdentity(orgScope, email);
  const user =
    known === undefined && request.policy.allow_signup
      ? await signUp(parts, orgScope, { ...request, ...body, email, attempt })
      : await verified(parts.hasher, known, { password: body.password, attempt });
  if (user === undefined) {
    parts.loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', 'the email or the password is not right');
  }
  parts.loginThrottle.recordSuccess(attempt);
  return issueLoginToken(parts.clock, orgScope, user);
}

/** @throws Problem `credentials_invalid` where the app takes no passwords. */
export function requirePasswords({ enabled }: PasswordLogin): void {
  if (!enabled)
    throw new Problem('credentials_invalid', 'this app does not take passwords: sign in through a provider');
}

/** An address in one app has nothing to do with the same address in another, so neither have its failures. */
export function attemptOf(place: {
  readonly orgScope: Scope;
  readonly env: Environment;
  readonly email: string;
  readonly ip: string;
}): SignInAttempt {
  return { emailKey: appEmailKey(place), ip: place.ip, org: place.orgScope.name };
}

export function appEmailKey(place: {
  readonly orgScope: Scope;
  readonly env: Environment;
  readonly email: string;
}): string {
  return JSON.stringify([place.orgScope.name, place.env, emailKey(place.email)]);
}

async function verified(
  hasher: PasswordHasher,
  user: AppUser | undefined,
  { password, attempt }: { readonly password: string; readonly attempt: SignInAttempt },
): Promise<AppUser | undefined> {
  if (user?.password_hash === undefined) {
    await hasher.verifyAgainstNothing(password, attempt);
    return undefined;
  }
  return (await hasher.verify(password, user.password_hash, attempt)) ? user : undefined;
}

/**
 * Of several sign-ups of one email at once one makes the user; the others must know its password. Nobody signs up under
 * an address that another account has proved to be its own.
 */
async function signUp(
  parts: AppUsersParts,
  orgScope: Scope,
  input: PasswordLogIn & { readonly email: string; readonly password: string; readonly attempt: SignInAttempt },
): Promise<AppUser | undefined> {
  const error = checkPassword(input.password, input.policy.min_length);
  if (error !== undefined) throw invalidInput('validation_failed', [error]);
  const user: AppUser = {
    id: parts.newId(),
    email: input.email,
    email_verified: false,
    fn: '',
    ln: '',
    password_hash: await parts.hasher.hash(input.password, input.attempt),
    created_at: timestamp(parts.clock.now()),
  };
  const identity = identityKey(passwordIdp, emailKey(input.email));
  try {
    await orgScope.commit([
      { kind: 'put', ...identity, value: JSON.stringify({ user_id: user.id }), if: 'absent' },
      { kind: 'check', ...verifiedEmailKey(input.email), if: 'absent' },
      { kind: 'put', ...appUserKey(user.id), value: JSON.stringify(user), if: 'absent' },
    ]);
    input.welcome?.(user);
    return user;
  } catch (conflict) {
    if (!(conflict instanceof Conflict)) throw conflict;
    return verified(parts.hasher, await findByPasswordIdentity(orgScope, input.email), input);
  }
}

export async function findByPasswordIdentity(orgScope: Scope, email: string): Promise<AppUser | undefined> {
  const [identity] = await orgScope.get([identityKey(passwordIdp, emailKey(email))]);
  // Reads as much for an address that nobody has as for any other.
  const { user_id } = JSON.parse(identity?.value ?? '{"user_id":"nobody"}') as { readonly user_id: string };
  return findAppUser(orgScope, user_id);
}

export async function findAppUser(orgScope: Scope, userId: string): Promise<AppUser | undefined> {
  const [item] = await orgScope.get([appUserKey(userId)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as AppUser);
}

/** The account that a sign-in leads to: the one that it was made for, or the one that this has become a part of. */
export async function findSignedIn(orgScope: Scope, userId: string): Promise<AppUser | undefined> {
  let user = await findAppUser(orgScope, userId);
  for (let hop = 0; hop < mergesMax && user?.merged_into !== undefined; hop++)
    user = await findAppUser(orgScope, user.merged_into);
  return user;
}

const mergesMax = 8;

export function tokenEpoch(user: AppUser): number {
  return user.token_epoch ?? 0;
}

/**
 * Writes what `change` makes of the person as it stands, again where another write came between.
 * @throws Problem `token_invalid` where the person is no more.
 */
export async function changeAppUser(
  orgScope: Scope,
  userId: string,
  change: (user: AppUser) => AppUser,
): Promise<AppUser> {
  for (let attempt = 0; attempt < changeAttemptsMax; attempt++) {
    const [item] = await orgScope.get([appUserKey(userId)]);
    if (item === undefined) throw new Problem('token_invalid', 'the person behind the token is no more');
    const changed = change(JSON.parse(item.value) as AppUser);
    try {
      await orgScope.commit([
        { kind: 'put', ...appUserKey(userId), value: JSON.stringify(changed), if: { version: item.version } },
      ]);
      return changed;
    } catch (conflict) {
      if (!(conflict instanceof Conflict)) throw conflict;
    }
  }
  throw new Problem('conflict', 'others keep changing the person: try again');
}

const changeAttemptsMax = 16;

/** A person as the workspaces that he is in know him. */
export function memberOf({ id, email, fn, ln }: Member): Member {
  return { id, email, fn, ln };
}

async function issueLoginToken(
  clock: Clock,
  orgScope: Scope,
  user: AppUser,
): Promise<{ readonly token: string; readonly expires_at: string }> {
  const token = createLoginToken();
  const at = clock.now() + loginTokenMilliseconds;
  const signIn: SignIn = {
    user_id: user.id,
    idp: passwordIdp,
    auth_time: Math.floor(clock.now() / 1000),
    token_epoch: tokenEpoch(user),
  };
  await orgScope.commit([
    {
      kind: 'put',
      ...storedLoginToken(token),
      value: JSON.stringify(signIn),
      if: 'absent',
      due: { at, queue: 'expire' },
    },
  ]);
  return { token, expires_at: timestamp(at) };
}

/** Takes what a login token stands for, once: of any number of takers one gets it. */
export async function spendLoginToken(orgScope: Scope, token: string): Promise<SignIn | undefined> {
  const key = storedLoginToken(token);
  const [item] = await orgScope.get([key]);
  if (item === undefined) return undefined;
  try {
    await orgScope.commit([{ kind: 'remove', ...key, if: { version: item.version } }]);
  } catch (error) {
    if (error instanceof Conflict) return undefined;
    throw error;
  }
  return JSON.parse(item.value) as SignIn;
}

function storedLoginToken(token: string): Key {
  return { pk: 'login-token', sk: loginTokenKey(token) };
}
