import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { isProtected, storedFactors } from '../second-factors/stored-factors.ts';
import { sessionEnds } from '../sessions/org-sessions.ts';
import {
  adminCounter,
  memberships,
  membersPartition,
  type OrgMembership,
  type OrgRole,
  type OrgUser,
  type OrgUserCommand,
  type OrgUserKey,
  orgMembers,
  orgUsers,
} from './account.ts';
import { changeInvitation, listInvitations, type ShownOrgInvitation, withdrawInvitation } from './org-invitations.ts';

/** A member of an org, or a person who has been asked to come. */
export type ShownOrgUser = ActiveMember | ShownOrgInvitation;

interface ActiveMember extends OrgUser, OrgMembership {
  readonly status: 'active';
  readonly last_seen_at?: string;
  readonly has_second_factor: boolean;
}

const membersMax = 1000;

export async function listOrgUsers(platform: Scope, orgCode: string): Promise<readonly ShownOrgUser[]> {
  const rows = await orgMembers.range(platform, membersPartition(orgCode), { limit: membersMax });
  const keys = rows.flatMap(({ sk }) => [orgUsers.key(sk), memberships.key([sk, orgCode]), storedFactors.key(sk)]);
  const read = await platform.get(keys);
  const members = rows.flatMap(({ value: { last_seen_at } }, index): readonly ShownOrgUser[] => {
    const user = orgUsers.row(platform, read[3 * index]);
    const membership = memberships.row(platform, read[3 * index + 1]);
    if (user === undefined || membership === undefined) return [];
    const { id, email, name } = user.value;
    const seen = last_seen_at === undefined ? {} : { last_seen_at };
    const has_second_factor = isProtected(storedFactors.row(platform, read[3 * index + 2])?.value);
    return [{ id, email, name, ...membership.value, has_second_factor, status: 'active', ...seen }];
  });
  return [...members, ...(await listInvitations(platform, orgCode))];
}

export async function memberIds(platform: Scope, orgCode: string): Promise<readonly string[]> {
  return (await platform.range(membersPartition(orgCode), { limit: membersMax })).map(({ sk }) => sk);
}

export type OrgUserChange = BodyOf<typeof orgUsersApi.changeOrgUser>;

/** @throws Problem `not_found`, `last_admin`. */
export async function changeOrgUser(
  platform: Scope,
  command: OrgUserCommand,
  { role }: OrgUserChange,
): Promise<ShownOrgUser> {
  const isMember = await moveMember(platform, command, role);
  if (!isMember) await changeInvitation(platform, command, role);
  const shown = (await listOrgUsers(platform, command.orgCode)).find(({ id }) => id === command.id);
  if (shown === undefined) throw notFound();
  return shown;
}

/** Ends the membership and the person's sessions in the org, or withdraws the invitation. */
export async function removeOrgUser(platform: Scope, command: OrgUserCommand): Promise<void> {
  const isMember = await moveMember(platform, command, undefined);
  if (!isMember) await withdrawInvitation(platform, command);
}

/**
 * Gives a member another role, or none at all: an end. False where there is no such member.
 * @throws Problem `last_admin`, also to the later of two admins who would leave at once.
 */
async function moveMember(platform: Scope, command: OrgUserCommand, role: OrgRole | undefined): Promise<boolean> {
  if (!mayBeId(command.id)) return false;
  const { committed } = await transact(platform, async () => {
    const row = await memberships.read(platform, [command.id, command.orgCode]);
    if (row === undefined) return { changes: [] };
    const admins = Number(role === 'org_admin') - Number(row.value.role === 'org_admin');
    const changes: Change[] = [
      role === undefined ? removeAsRead(row) : memberships.replace(row, { ...row.value, role }),
    ];
    if (admins !== 0) changes.push({ kind: 'add', ...adminCounter(command.orgCode), by: admins, min: 1 });
    if (role === undefined) changes.push(...(await leaving(platform, command)));
    changes.push(platformAuditEntry(command.orgCode, command.auditContext, moved(command, role)));
    const refused = (change: number): void => {
      if (change === 1 && admins < 0)
        throw new Problem('last_admin', 'an org must keep one org admin: give another member the role first');
    };
    return { changes, refused };
  });
  return committed !== undefined;
}

function moved({ id }: OrgUserKey, role: OrgRole | undefined): Audited {
  const target = { kind: 'org_user', id };
  return role === undefined
    ? { action: 'org_user.removed', target }
    : { action: 'org_user.role_changed', target, detail: { role } };
}

async function leaving(platform: Scope, { orgCode, id }: OrgUserKey): Promise<readonly Change[]> {
  const listed: Change = { kind: 'remove', pk: membersPartition(orgCode), sk: id, if: 'any' };
  return [listed, ...(await sessionEnds(platform, id, orgCode))];
}
