import { invalidInput } from '../../lib/problem.ts';
import { parseEmail } from './email.ts';
import { checkPassword } from './passwords.ts';

/**
 * The email of a sign-in, once both parts are known to be of a size that is worth normalising and hashing: what is
 * done with them afterwards costs more than their length.
 * @throws Problem `validation_failed`.
 */
export function readCredentials(body: { readonly email: string; readonly password: string }): string {
  const email = parseEmail(body.email);
  // The rule about length is for choosing a password; who signs in may have chosen his before it.
  const unusable = checkPassword(body.password, 1);
  if ('email' in email && unusable === undefined) return email.email;
  const errors = ['error' in email ? email.error : undefined, unusable].filter((error) => error !== undefined);
  throw invalidInput('validation_failed', errors);
}
