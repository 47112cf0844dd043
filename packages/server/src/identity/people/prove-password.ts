import { Problem } from '../../lib/problem.ts';
import type { LoginThrottle, SignInAttempt } from './login-throttle.ts';
import type { PasswordHasher } from './passwords.ts';

export const wrongCurrentPassword = 'the current password is not right';

export interface PasswordProof {
  readonly attempt: SignInAttempt;
  readonly password: string;
  readonly hash: string;
  /** What a wrong one is answered. */
  readonly refusal: string;
}

/**
 * Checks the current password: failed guesses count like those of a sign-in.
 * @throws Problem `credentials_invalid`, `rate_limited`.
 */
export async function provePassword(
  { hasher, loginThrottle }: { readonly hasher: PasswordHasher; readonly loginThrottle: LoginThrottle },
  { attempt, password, hash, refusal }: PasswordProof,
): Promise<void> {
  loginThrottle.check(attempt);
  if (!(await hasher.verify(password, hash, attempt))) {
    loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', refusal);
  }
  loginThrottle.recordSuccess(attempt);
}
