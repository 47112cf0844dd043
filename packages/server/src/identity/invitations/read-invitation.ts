import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import { parseEmail } from '../people/email.ts';
import { readBody } from '../people/read-body.ts';

export interface InvitationCommand {
  readonly email: string;
  readonly role: string | undefined;
  readonly acl_policy_id: string | undefined;
}

const roleCharactersMax = 64;

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readInvitation(input: unknown): InvitationCommand {
  const shape = { email: 'required', role: 'optional', acl_policy_id: 'optional' } as const;
  const { email, role, acl_policy_id } = readBody(input, shape);
  const errors: InputError[] = [];
  const parsed = parseEmail(email);
  if ('error' in parsed) errors.push(parsed.error);
  if (role !== undefined && [...role].length > roleCharactersMax)
    errors.push({
      pointer: '/role',
      code: 'too_long',
      message: `\`role\` has at most ${roleCharactersMax} characters`,
    });
  if (errors.length > 0) throw invalidBody(errors);
  return { email, role, acl_policy_id };
}
