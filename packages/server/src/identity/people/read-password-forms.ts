import { invalidBody } from '../../lib/problem.ts';
import { parseEmail } from './email.ts';
import { checkPassword } from './passwords.ts';
import { readBody } from './read-body.ts';

/** @param minLength of the new password, in characters. @throws Problem `validation_failed`, `unknown_field`. */
export function readPasswordChange(body: unknown, minLength: number) {
  const read = readBody(body, { current_password: 'required', new_password: 'required' } as const);
  const errors = [
    checkPassword(read.current_password, 1, 'current_password'),
    checkPassword(read.new_password, minLength, 'new_password'),
  ].filter((error) => error !== undefined);
  if (errors.length > 0) throw invalidBody(errors);
  return read;
}

/** @param minLength of the new password, in characters. @throws Problem `validation_failed`, `unknown_field`. */
export function readPasswordReset(body: unknown, minLength: number) {
  const read = readBody(body, { code: 'required', new_password: 'required' } as const);
  const error = checkPassword(read.new_password, minLength, 'new_password');
  if (error !== undefined) throw invalidBody([error]);
  return read;
}

/** The address in a body that holds nothing else. @throws Problem `validation_failed`, `unknown_field`. */
export function readEmail(body: unknown): string {
  const email = parseEmail(readBody(body, { email: 'required' } as const).email);
  if ('error' in email) throw invalidBody([email.error]);
  return email.email;
}
