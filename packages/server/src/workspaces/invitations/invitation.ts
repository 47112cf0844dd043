import { auditEntryInWorkspace, type PolicyNaming, type WorkspaceAuditContext } from '../../iam/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { emailKey, emailKeys } from '../../lib/formats/email-key.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { escapeKeyValue } from '../../schema/port.ts';
import type { Append, Condition, Due, Put, Remove, Scope } from '../../store/port.ts';
import { json, type Row, removeAsRead, table } from '../../store/table.ts';
import { readHead } from '../../tenancy/port.ts';
import type { Tenant } from '../membership-hints.ts';

/** An invitation as its workspace keeps it, until it expires. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role?: string | undefined;
  /** The policy that it grants; where it names none, the one of all new members. */
  readonly acl_policy_id?: string | undefined;
  readonly invited_by: string;
  /** Set where an org admin has sent it, who is no member of the workspace. */
  readonly invited_by_kind?: 'org_user' | undefined;
  readonly created_at: string;
  readonly expires_at: string;
  /** The code cannot be derived from it. */
  readonly code_hash: string;
}

export const invitationPartition = 'invitation';

/** Of a workspace. */
export const openMax = 500;

/** By id, in the scope of the workspace. */
export const invitations = table(
  (id: string) => ({ pk: invitationPartition, sk: id }),
  json<Invitation>('invitation', { id: 'string', email: 'string', code_hash: 'string' }),
);

export function invitationPut(invitation: Invitation, condition: Condition): Put {
  return invitations.put(invitation.id, invitation, { if: condition, due: dueAt(invitation) });
}

function dueAt({ expires_at }: Pick<Invitation, 'expires_at'>): Due {
  return { at: Date.parse(expires_at), queue: 'expire' };
}

/** The code says where the invitation lies, and ends with 256 bits that only its holder knows. */
export function newCode(tenantCode: string, id: string): { readonly code: string; readonly code_hash: string } {
  const secret = secretToken();
  return { code: `${tenantCode}.${id}.${secret}`, code_hash: secretHash(secret) };
}

export function readCode(
  code: string,
): { readonly tenantCode: string; readonly id: string; readonly code_hash: string } | undefined {
  const [, tenantCode, id, secret] = codeForm.exec(code) ?? [];
  if (tenantCode === undefined || id === undefined || secret === undefined) return undefined;
  return { tenantCode, id, code_hash: secretHash(secret) };
}

const codeForm = /^([a-z0-9][a-z0-9-]{0,62})\.([0-9a-f-]{36})\.([\w-]{43})$/;

/** By what the org finds the invitations of a person. Whether one is still open, its workspace says. */
const invitedPartition = (key: string): string => `invited;${escapeKeyValue(key)}`;

/** In the scope of the org, by `emailKey`. */
const receivedInvitations = table(
  ({ key, tenantCode, id }: { readonly key: string; readonly tenantCode: string; readonly id: string }) => ({
    pk: invitedPartition(key),
    sk: `${tenantCode};${id}`,
  }),
  json<Invited>('received invitation', { tenant: 'object', id: 'string' }),
);

export function invitedPut(invitation: Invitation, tenant: Tenant): Put {
  const { id, email } = invitation;
  const place = { key: emailKey(email), tenantCode: tenant.code, id };
  return receivedInvitations.put(place, { tenant, id }, { if: 'any', due: dueAt(invitation) });
}

/** Those to an address, under each key that an earlier release may have used: so many of each. */
export async function receivedBy(orgScope: Scope, email: string, limit: number): Promise<readonly Row<Invited>[]> {
  const read = emailKeys(email).map((key) => receivedInvitations.range(orgScope, invitedPartition(key), { limit }));
  return (await Promise.all(read)).flat();
}

export function noLongerReceived(
  { email, id }: Pick<Invitation, 'email' | 'id'>,
  tenantCode: string,
): readonly Remove[] {
  return emailKeys(email).map((key) => receivedInvitations.remove({ key, tenantCode, id }, 'any'));
}

export interface Invited {
  readonly tenant: Tenant;
  readonly id: string;
}

/** The outcome of an invitation, with the policy that it grants where it names one. */
export function invitationAuditEntry(
  clock: Clock,
  place: WorkspaceAuditContext,
  {
    invitation: { id, acl_policy_id },
    done,
  }: { readonly invitation: Invitation; readonly done: 'created' | 'resent' | 'removed' | 'accepted' | 'readdressed' },
): Append {
  return auditEntryInWorkspace(clock, place, {
    action: `invitation.${done}`,
    target: { kind: 'invitation', id },
    ...(acl_policy_id === undefined ? {} : { detail: { acl_policy_id } }),
  });
}

/**
 * The names of policies beside the records of their workspace. A withdrawn invitation is still found by the org of
 * the invited person, and the reply says that it is not open.
 */
export function policyNaming(clock: Clock): PolicyNaming {
  return {
    defaultAccess: async (scope) => (await readHead(scope))?.default_member_access,
    invitations: async (write, policyId) => {
      const rows = await invitations.range(write.workspace.scope, invitationPartition, { limit: openMax });
      return rows
        .filter(({ value }) => value.acl_policy_id === policyId)
        .map((row) => [
          removeAsRead(row),
          invitationAuditEntry(clock, write, { invitation: row.value, done: 'removed' }),
        ]);
    },
  };
}
