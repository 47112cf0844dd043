import type { Environment } from '../entities/workspace.ts';
import { invalidBody, Problem } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { type AppUser, type AppUsersParts, attemptOf, changeAppUser, findAppUser } from './app-users.ts';
import { withNextEpoch } from './ended-tokens.ts';
import { checkPassword } from './passwords.ts';
import { readBody } from './read-body.ts';
import type { PasswordLogin } from './settings/plain-settings.ts';

export interface PasswordChange {
  readonly env: Environment;
  /** The person's id. */
  readonly sub: string;
  readonly body: unknown;
  readonly ip: string;
  readonly policy: PasswordLogin;
}

const shape = { current_password: 'required', new_password: 'required' } as const;

/**
 * Whoever has a token in hand must still know the password, and guesses count as those of a sign-in do.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `rate_limited`, `conflict`.
 */
export async function changePassword(
  parts: AppUsersParts,
  orgScope: Scope,
  { env, sub, body, ip, policy }: PasswordChange,
): Promise<AppUser> {
  const { current_password, new_password } = readBody(body, shape);
  const errors = [
    checkPassword(current_password, 1, 'current_password'),
    checkPassword(new_password, policy.min_length, 'new_password'),
  ].filter((error) => error !== undefined);
  if (errors.length > 0) throw invalidBody(errors);
  const user = await findAppUser(orgScope, sub);
  const verified = user?.password_hash;
  if (user === undefined || verified === undefined)
    throw new Problem('invalid_request', 'the account has no password: a provider signs the person in');
  const attempt = attemptOf({ orgScope, env, email: user.email, ip });
  parts.brake.check(attempt);
  if (!(await parts.hasher.verify(current_password, verified))) {
    parts.brake.recordFailure(attempt);
    throw new Problem('credentials_invalid', 'the current password is not right');
  }
  parts.brake.recordSuccess(attempt);
  const password_hash = await parts.hasher.hash(new_password);
  return changeAppUser(orgScope, sub, (stored) => {
    if (stored.password_hash !== verified) throw new Problem('conflict', 'the password has just been changed');
    return withNextEpoch({ ...stored, password_hash });
  });
}
