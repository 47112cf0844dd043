import type { signInApi } from '@freehold/contract/app/sign-in';
import type { BodyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { json, removeAsRead, table } from '../../store/table.ts';
import { tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { Parts } from '../parts.ts';
import { requirePassword } from '../realm/passwords.ts';
import { findByAddress, logInTo, type SignInAttempt, verified } from '../realm/realm.ts';
import type { PasswordLogin } from '../settings/plain-settings.ts';
import {
  type AppUser,
  accountDisabled,
  appRealm,
  appUsers,
  findSignedIn,
  passwordIdentities,
  passwordIdp,
  tokenEpoch,
  verifiedEmails,
} from './app-user.ts';

export type AppUsersDeps = Pick<Parts, 'clock' | 'newId' | 'hasher' | 'loginThrottle'>;

export interface PasswordLogIn {
  readonly env: Environment;
  readonly body: BodyOf<typeof signInApi.logIn>;
  readonly ip: string;
  readonly policy: PasswordLogin;
  /** Called with an account that the log-in has made. */
  readonly welcome?: (user: AppUser) => void;
}

/** Checks a password, or makes the user where the email is new, and gives a token to be exchanged once. */
export async function logInWithPassword(deps: AppUsersDeps, orgScope: Scope, request: PasswordLogIn) {
  const { policy, ip, env } = request;
  requirePasswords(policy);
  const { email, password } = request.body;
  // The rule about length is for choosing a password; who signs in may have chosen his before it.
  requirePassword(password);
  const join = (attempt: SignInAttempt) => signUp(deps, orgScope, { ...request, email, password, attempt });
  const user = await logInTo(deps, appRealm({ orgScope, env }), {
    ...{ email, password, ip },
    join: policy.allow_signup && request.body.signup !== false ? join : undefined,
    admit: async (proved) => enabled(orgScope, proved),
    refusal: 'the email or the password is not right',
  });
  return issueLoginToken(deps.clock, orgScope, user);
}

/** The account itself. @throws Problem `account_disabled` where what it leads to is disabled. */
async function enabled(orgScope: Scope, user: AppUser): Promise<AppUser> {
  if ((await findSignedIn(orgScope, user.id))?.disabled !== undefined) throw accountDisabled();
  return user;
}

/** @throws Problem `credentials_invalid` where the app takes no passwords. */
export function requirePasswords({ enabled }: PasswordLogin): void {
  if (!enabled)
    throw new Problem('credentials_invalid', 'this app does not take passwords: sign in through a provider');
}

/**
 * Of several sign-ups of one email at once one makes the user; the others must know its password. A sign-up under an
 * address that another account has verified is refused.
 */
async function signUp(
  deps: AppUsersDeps,
  orgScope: Scope,
  input: PasswordLogIn & { readonly email: string; readonly password: string; readonly attempt: SignInAttempt },
): Promise<AppUser | undefined> {
  const { email, password, attempt, policy, env } = input;
  requirePassword(password, { minLength: policy.min_length });
  const user: AppUser = {
    id: deps.newId(),
    email,
    email_verified: false,
    fn: '',
    ln: '',
    password_hash: await deps.hasher.hash(password, attempt),
    created_at: timestamp(deps.clock.now()),
  };
  const isMade = await tryCommit(orgScope, [
    ...passwordIdentities.insert(email, user.id),
    ...verifiedEmails.absent(email),
    appUsers.insert(user.id, user),
  ]);
  if (!isMade) return verified(deps.hasher, await findByAddress(appRealm({ orgScope, env }), email), input);
  input.welcome?.(user);
  return user;
}

/** The sign-in that a login token represents until it is spent. */
export interface SignIn {
  readonly user_id: string;
  readonly idp: string;
  /** Seconds since the epoch. */
  readonly auth_time: number;
  /** The person's token epoch then. Absent where a provider vouches for the person at this moment. */
  readonly token_epoch?: number;
}

const lifetimeMilliseconds = 5 * 60 * 1000;

const loginTokens = table(
  (token: string) => ({ pk: 'login-token', sk: secretHash(token) }),
  json<SignIn>('login token', { user_id: 'string', idp: 'string' }),
);

/** Of a user whose password the platform has just checked. */
async function issueLoginToken(clock: Clock, orgScope: Scope, user: AppUser) {
  const token = createLoginToken();
  const at = clock.now() + lifetimeMilliseconds;
  const auth_time = Math.floor(clock.now() / 1000);
  const signIn: SignIn = { user_id: user.id, idp: passwordIdp, auth_time, token_epoch: tokenEpoch(user) };
  await orgScope.commit([loginTokens.insert(token, signIn, { at, queue: 'expire' })]);
  return { token, expires_at: timestamp(at) };
}

/** Takes the sign-in of a login token, once: of any number of takers one gets it. */
export async function spendLoginToken(orgScope: Scope, token: string): Promise<SignIn | undefined> {
  const row = await loginTokens.read(orgScope, token);
  if (row === undefined) return undefined;
  return (await tryCommit(orgScope, [removeAsRead(row)])) ? row.value : undefined;
}

/**
 * The token that a password sign-in gives and an exchange takes once. It is opaque and not a JWT: its content is
 * in the store under its hash, so that it can be spent exactly once and a copy of the store spends none.
 */
export function createLoginToken(): string {
  return `pl_${secretToken()}`;
}

/** Tells a login token from a provider's token by its form alone; says nothing about whether it holds. */
export function isLoginToken(text: string): boolean {
  return loginTokenForm.test(text);
}

const loginTokenForm = /^pl_[\w-]{43}$/;
