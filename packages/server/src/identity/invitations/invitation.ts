import { hash } from 'node:crypto';
import { secretToken } from '../../lib/ids.ts';
import { escapeKeyValue } from '../../schema/port.ts';
import type { Key, Put } from '../../store/port.ts';
import { emailKey } from '../people/email.ts';
import type { Tenant } from '../workspaces/membership-hints.ts';

/** An invitation as its workspace keeps it, until it expires. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role?: string | undefined;
  /** The policy that it grants; where it names none, the one of all new members. */
  readonly acl_policy_id?: string | undefined;
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** Nobody can tell the code from it. */
  readonly code_hash: string;
}

export const invitationPartition = 'invitation';

export function invitationKey(id: string): Key {
  return { pk: invitationPartition, sk: id };
}

export function invitationPut(invitation: Invitation, condition: Put['if']): Put {
  const due = { at: Date.parse(invitation.expires_at), queue: 'expire' } as const;
  return { kind: 'put', ...invitationKey(invitation.id), value: JSON.stringify(invitation), if: condition, due };
}

/** The code says where the invitation lies, and ends with 256 bits that only its holder knows. */
export function newCode(tenantCode: string, id: string): { readonly code: string; readonly code_hash: string } {
  const secret = secretToken();
  return { code: `${tenantCode}.${id}.${secret}`, code_hash: hashOf(secret) };
}

export function readCode(
  code: string,
): { readonly tenantCode: string; readonly id: string; readonly code_hash: string } | undefined {
  const [, tenantCode, id, secret] = codeForm.exec(code) ?? [];
  if (tenantCode === undefined || id === undefined || secret === undefined) return undefined;
  return { tenantCode, id, code_hash: hashOf(secret) };
}

const codeForm = /^([a-z0-9][a-z0-9-]{0,62})\.([0-9a-f-]{36})\.([\w-]{43})$/;

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** By what the org finds the invitations of a person. Whether one still stands, its workspace says. */
export function invitedPartition(email: string): string {
  return `invited;${escapeKeyValue(emailKey(email))}`;
}

export function invitedKey(email: string, tenantCode: string, id: string): Key {
  return { pk: invitedPartition(email), sk: `${tenantCode};${id}` };
}

export function invitedPut({ id, email, expires_at }: Invitation, tenant: Tenant): Put {
  const due = { at: Date.parse(expires_at), queue: 'expire' } as const;
  const value = JSON.stringify({ tenant, id });
  return { kind: 'put', ...invitedKey(email, tenant.code, id), value, if: 'any', due };
}

export interface Invited {
  readonly tenant: Tenant;
  readonly id: string;
}
