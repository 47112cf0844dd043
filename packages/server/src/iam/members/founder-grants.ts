import { platformActor } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { mergeChanges, type RecordData, recordChanges, systemData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Change, Item } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { auditEntriesOfWrite } from '../audited-changes.ts';
import { adminRole, type GrantDeps, type NewRecord, plannedRecords } from '../founding/founding.ts';
import { findMember } from '../iam-rules.ts';
import { moveEpoch } from '../policies/policy-epoch.ts';
import { adminGroup, adminPolicy, policyIdByName, recordByName } from '../policies/policy-names.ts';
import { groupLink, type LinkKind, linksOf, linksPerUserMax, policyLink } from './links.ts';

/** Whose member it is that becomes an admin, and by which request. */
export interface FounderArrival {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly requestId: string;
}

/**
 * Gives a member what a founder has: the policy of admins, their group where the workspace has it still, and the role.
 * Undefined where the person is no active member, or has no room for the policy.
 */
export async function founderGrants(
  deps: GrantDeps,
  { workspace, userId, requestId }: FounderArrival,
): Promise<readonly Change[] | undefined> {
  const { scope } = workspace;
  const epoch = await moveEpoch(scope);
  const before = await findMember(workspace, userId);
  const adminId = await policyIdByName(scope, adminPolicy);
  const groupId = (await recordByName(scope, 'group', adminGroup))?.id;
  const { policyLinks, groupLinks } = await linksOf(scope, userId);
  if (before?.data.status !== 'active' || adminId === undefined || policyLinks.length >= linksPerUserMax)
    return undefined;
  const call = {
    workspace,
    actor: { userId, claims: {}, auditCaller: { actor: platformActor, request_id: requestId } },
  };
  const link = (kind: LinkKind, id: string | undefined, held: readonly Item[]): readonly NewRecord[] => {
    const isHeld = held.some((one) => systemData(one)[kind.by] === id);
    if (id === undefined || isHeld || held.length >= linksPerUserMax) return [];
    return [{ entity: kind.entity, id: deps.newId(), body: { user_id: userId, [kind.by]: id } }];
  };
  const stamps = { updated_at: timestamp(deps.clock.now()), updated_by: userId };
  const data: RecordData = { ...before.data, role: adminRole, ...stamps };
  const changes = mergeChanges([
    epoch,
    ...(await recordChanges(scope, systemEntity('user'), { before, after: { key: before.key, data } })),
    ...auditEntriesOfWrite(deps.clock, 'user', { ...call, before: before.data, after: data }),
    ...(await plannedRecords(deps, call, [
      ...link(policyLink, adminId, policyLinks),
      ...link(groupLink, groupId, groupLinks),
    ])),
  ]);
  return changes.map(({ change }) => change);
}
