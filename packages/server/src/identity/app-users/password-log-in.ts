import type { signInApi } from '@freehold/contract/app/sign-in';
import type { BodyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { LoginThrottle, SignInAttempt } from '../people/login-throttle.ts';
import { type PasswordHasher, requirePassword } from '../people/passwords.ts';
import { findByAddress, logInTo, verified } from '../people/realm.ts';
import { type IssuedLoginToken, issueLoginToken } from '../sessions/password-login-token.ts';
import type { PasswordLogin } from '../settings/plain-settings.ts';
import {
  type AppUser,
  accountDisabled,
  appRealm,
  appUsers,
  findSignedIn,
  passwordIdentities,
  verifiedEmails,
} from './app-user.ts';

export interface AppUsersDeps {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly hasher: PasswordHasher;
  readonly loginThrottle: LoginThrottle;
}

export interface PasswordLogIn {
  readonly env: Environment;
  readonly body: BodyOf<typeof signInApi.logIn>;
  readonly ip: string;
  readonly policy: PasswordLogin;
  /** Called with an account that the log-in has made. */
  readonly welcome?: (user: AppUser) => void;
}

/** Checks a password, or makes the user where the email is new, and gives a token to be exchanged once. */
export async function logInWithPassword(
  deps: AppUsersDeps,
  orgScope: Scope,
  request: PasswordLogIn,
): Promise<IssuedLoginToken> {
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
