import type { RecordData } from '../../records/port.ts';
import type { Member } from '../founding/founding.ts';

/** The label of servers among the members of a workspace. It grants nothing. */
export const serviceRole = 'service';

/**
 * A server that calls with a key of its own: a member like any other, but no person. Its address cannot belong to a
 * person (RFC 6761, `invalid`), and cannot have been registered before, because it contains an id that the platform
 * makes.
 */
export function servicePrincipal(id: string, name: string): Member {
  return { id, email: serviceEmail(id), fn: name, ln: '' };
}

/** INVARIANT: whose email is of this form is no person; the email of a `user` record never changes. */
export function isServicePrincipal({ id, email }: RecordData): boolean {
  return email === serviceEmail(id);
}

function serviceEmail(id: string): string {
  return `${id}@service.invalid`;
}
