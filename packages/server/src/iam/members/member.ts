import { Problem } from '../../lib/problem.ts';
import { findRecord, type RecordData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';

/** A person as a workspace knows him. `id` is the `sub` of his tokens. */
export interface FoundingMember {
  readonly id: string;
  readonly email: string;
  readonly fn: string;
  readonly ln: string;
}

/** The record of a member whom a builder names. @throws Problem `not_found`. */
export async function memberOf(workspace: Workspace, userId: string): Promise<RecordData> {
  const data = (await findMember(workspace, userId))?.data;
  if (data === undefined)
    throw new Problem('not_found', `there is no member \`${userId.slice(0, 100)}\` in \`${workspace.tenantCode}\``);
  return data;
}

/** Keeps a removed member from coming back by signing in again. */
export function removedMemberKey(userId: string): { readonly pk: string; readonly sk: string } {
  return { pk: 'removed-member', sk: userId };
}

/** The member's record, which is the truth of a membership. */
export function findMember(workspace: Workspace, userId: string): ReturnType<typeof findRecord> {
  return findRecord({ workspace, entity: systemEntity('user') }, userId);
}

/**
 * The status of a member whose account cannot be signed in to: its password was chosen under an address that another
 * account has proved since. The platform alone sets it and takes it away.
 */
export const suspendedPassword = 'password_suspended';

/** The label of servers among the members of a workspace. It grants nothing. */
export const serviceRole = 'service';

/**
 * A server that calls with a key of its own: a member like any other, but no person. Its address cannot belong to a
 * person (RFC 6761, `invalid`), and cannot have been registered before, because it contains an id that the platform
 * makes.
 */
export function servicePrincipal(id: string, name: string): FoundingMember {
  return { id, email: serviceEmail(id), fn: name, ln: '' };
}

/** INVARIANT: whose email is of this form is no person; the email of a `user` record never changes. */
export function isServicePrincipal({ id, email }: RecordData): boolean {
  return email === serviceEmail(id);
}

function serviceEmail(id: string): string {
  return `${id}@service.invalid`;
}
