import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { invitationMail } from '../../mail/mail-texts.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { json, type Row, removeAsRead, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import {
  memberships,
  type OrgAccountsDeps,
  type OrgCommand,
  type OrgRole,
  type OrgUserCommand,
  type OrgUserKey,
  orgRealm,
} from '../org-users/account.ts';
import { findOrg } from '../org-users/org-directory.ts';
import { findByAddress } from '../people/realm.ts';
import { invitationMilliseconds, mailInvitation } from './invitation.ts';

export interface ShownInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrgRole;
  readonly status: 'invited';
  readonly expires_at: string;
}

/** `code` is shown this once. */
export interface Invited extends ShownInvitation {
  readonly code: string;
}

export interface InvitationCommand extends OrgCommand {
  /** Where the platform's own pages are that the link in the mail leads to. */
  readonly siteUrl: string;
}

export interface StoredInvitation extends Omit<ShownInvitation, 'id' | 'status'> {
  readonly code_hash: string;
  /** The org admin whose invitation it is: who sent it, or chose its role last. Absent in those of earlier releases. */
  readonly invited_by?: string;
}

const invitationsMax = 200;

const partition = (orgCode: string): string => `org-invitation;${orgCode}`;

const invitations = table(
  ({ orgCode, id }: OrgUserKey) => ({ pk: partition(orgCode), sk: id }),
  json<StoredInvitation>('org invitation', { email: 'string', role: 'string', code_hash: 'string' }),
);

/** By the hash of the code. */
const codes = table(
  (codeHash: string) => ({ pk: 'org-invitation-code', sk: codeHash }),
  json<OrgUserKey>('code of an org invitation', { orgCode: 'string', id: 'string' }),
);

export type InvitedPerson = BodyOf<typeof orgUsersApi.inviteOrgUser>;

/** @throws Problem `conflict` where the person is in the org. */
export async function invite(
  deps: OrgAccountsDeps,
  { orgCode, auditContext, siteUrl }: InvitationCommand,
  { email, role }: InvitedPerson,
): Promise<Invited> {
  const { platform, clock, newId } = deps;
  const known = await findByAddress(orgRealm(platform), email);
  if (known !== undefined && (await memberships.read(platform, [known.id, orgCode])) !== undefined) throw alreadyIn();
  if ((await platform.count(partition(orgCode), {}, invitationsMax)) >= invitationsMax)
    throw new Problem('conflict', `an org has at most ${invitationsMax} open invitations: withdraw some`);
  const code = `oi_${secretToken()}`;
  const at = clock.now() + invitationMilliseconds;
  const expires_at = timestamp(at);
  const place = { orgCode, id: newId() };
  const invited_by = auditContext.actor.id;
  const stored: StoredInvitation = { email, role, expires_at, code_hash: secretHash(code), invited_by };
  const due = { at, queue: 'expire' } as const;
  await platform.commit([
    invitations.insert(place, stored, due),
    codes.insert(stored.code_hash, place, due),
    platformAuditEntry(orgCode, auditContext, invitationAudited('org_user.invited', place.id, role)),
  ]);
  const link = `${siteUrl}/accept-invitation#code=${code}`;
  mailInvitation(deps, emailKey(email), async () => {
    const org = await findOrg(platform, orgCode);
    return org && invitationMail({ to: email, name: org.name, link });
  });
  return { id: place.id, email, role, status: 'invited', expires_at, code };
}

export async function listInvitations(platform: Scope, orgCode: string): Promise<readonly ShownInvitation[]> {
  const rows = await invitations.range(platform, partition(orgCode), { limit: invitationsMax });
  return rows.map(({ sk: id, value: { email, role, expires_at } }) => {
    return { id, email, role, status: 'invited', expires_at };
  });
}

/** @throws Problem `not_found`. */
export async function changeInvitation(platform: Scope, command: OrgUserCommand, role: OrgRole): Promise<void> {
  const told = invitationAudited('org_invitation.role_changed', command.id, role);
  await transact(platform, async () => {
    const row = await findInvitation(platform, command);
    const changed = { ...row.value, role, invited_by: command.auditContext.actor.id };
    return {
      changes: [invitations.replace(row, changed), platformAuditEntry(command.orgCode, command.auditContext, told)],
    };
  });
}

/** @throws Problem `not_found`. */
export async function withdrawInvitation(platform: Scope, command: OrgUserCommand): Promise<void> {
  const told = invitationAudited('org_invitation.withdrawn', command.id);
  await transact(platform, async () => {
    const row = await findInvitation(platform, command);
    return { changes: [...spending(row), platformAuditEntry(command.orgCode, command.auditContext, told)] };
  });
}

function invitationAudited(action: string, id: string, role?: OrgRole): Audited {
  return { action, target: { kind: 'org_invitation', id }, ...(role === undefined ? {} : { detail: { role } }) };
}

async function findInvitation(platform: Scope, key: OrgUserKey): Promise<Row<StoredInvitation>> {
  const row = mayBeId(key.id) ? await invitations.read(platform, key) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

/** An invitation whose code was found. */
export interface OpenInvitation {
  readonly place: OrgUserKey;
  readonly row: Row<StoredInvitation>;
}

/** @throws Problem `not_found`. */
export async function openInvitation(platform: Scope, codeHash: string): Promise<OpenInvitation> {
  const place = (await codes.read(platform, codeHash))?.value;
  const row = place === undefined ? undefined : await invitations.read(platform, place);
  if (place === undefined || row === undefined) throw notOpen();
  return { place, row };
}

/** Takes an invitation away with its code, once. */
export function spending(row: Row<StoredInvitation>): readonly Change[] {
  return [removeAsRead(row), codes.remove(row.value.code_hash, 'present')];
}

export function notOpen(): Problem {
  return new Problem('not_found', 'the invitation is no longer open: ask for another one');
}

export function alreadyIn(): Problem {
  return new Problem('conflict', 'the person is already in the org');
}
