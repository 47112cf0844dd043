import { systemConfig } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Actor, type PlannedChange, planUpdate } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { auditEntriesOfWrite } from '../audited-changes.ts';
import { type NewRecord, unruled } from '../founding/founding.ts';
import { groupIndexChanges, policyIdsOf } from '../policies/group-policies.ts';

/** A record of access control that the platform itself changes, with its audit entry. */
export async function rewrittenRecord(
  clock: Clock,
  call: { readonly workspace: Workspace; readonly actor: Actor },
  { entity, id, body }: NewRecord,
): Promise<readonly PlannedChange[]> {
  const { workspace, actor } = call;
  const asked = { workspace, actor, config: systemConfig, entity: systemEntity(entity) };
  const plan = await planUpdate({ clock, ...unruled }, asked, { id, body });
  const [before, after] = [plan.before.data, plan.data];
  const index = groupIndexChanges({ id, key: plan.key }, policyIdsOf(before), policyIdsOf(after));
  return [
    ...plan.changes,
    ...auditEntriesOfWrite(clock, entity, { workspace, actor, before, after }),
    ...(entity === 'group' ? index : []),
  ];
}
