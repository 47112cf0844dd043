import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { provePassword, wrongCurrentPassword } from '../people/prove-password.ts';
import { readPasswordChange } from '../people/read-password-forms.ts';
import { withNextEpoch } from '../sessions/ended-tokens.ts';
import type { PasswordLogin } from '../settings/plain-settings.ts';
import { type AppUser, type AppUsersParts, attemptOf, changeAppUser, findAppUser } from './app-users.ts';

export interface PasswordChange {
  readonly env: Environment;
  /** The person's id. */
  readonly sub: string;
  readonly body: unknown;
  readonly ip: string;
  readonly policy: PasswordLogin;
}

/**
 * Whoever has a token in hand must still know the password, and guesses count as those of a sign-in do.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `rate_limited`, `conflict`.
 */
export async function changePassword(
  parts: AppUsersParts,
  orgScope: Scope,
  { env, sub, body, ip, policy }: PasswordChange,
): Promise<AppUser> {
  const { current_password, new_password } = readPasswordChange(body, policy.min_length);
  const user = await findAppUser(orgScope, sub);
  const verified = user?.password_hash;
  if (user === undefined || verified === undefined)
    throw new Problem('invalid_request', 'the account has no password: a provider signs the person in');
  const attempt = attemptOf({ orgScope, env, email: user.email, ip });
  await provePassword(parts, { attempt, password: current_password, hash: verified, refusal: wrongCurrentPassword });
  const password_hash = await parts.hasher.hash(new_password, attempt);
  return changeAppUser(orgScope, sub, (stored) => {
    if (stored.password_hash !== verified) throw new Problem('conflict', 'the password has just been changed');
    return withNextEpoch({ ...stored, password_hash });
  });
}
