import type { HeldPolicy } from '../../access/port.ts';
import { invalidInput } from '../../lib/problem.ts';
import type { PlannedChange, RecordData, RecordWrite } from '../../records/port.ts';
import { groupPoliciesMax } from '../../schema/port.ts';
import { groupIndexChanges, policyIdsOf } from '../policies/group-policies.ts';
import { readPolicies, recordKey } from '../policies/held-policies.ts';
import { adminPolicy } from '../policies/policy-names.ts';
import { refuseEscalation } from './escalation.ts';
import { keepAnAdmin } from './last-admin.ts';
import { releaseGroup } from './removal.ts';
import { requireRecord } from './require-record.ts';

/**
 * What writing a group demands. The policies that it held before need not be covered again, unless the write takes a
 * policy out whose Deny held back what they allow.
 */
export async function groupChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  const group = after ?? before;
  if (group === undefined) throw new TypeError('a write has a record before it or after it');
  const ids = { before: policyIdsOf(before), after: after === undefined ? [] : readPolicyIds(after) };
  await requirePolicies(write, ids);
  const policies = await readPolicies(workspace, [...new Set([...ids.before, ...ids.after])]);
  const held = (wanted: readonly string[]): readonly HeldPolicy[] =>
    policies.filter(({ policyId }) => wanted.includes(policyId));
  await refuseEscalation(write, { before: held(ids.before), after: held(ids.after) });
  const admin = held(ids.before).find(({ policyName }) => policyName === adminPolicy);
  if (admin !== undefined && !ids.after.includes(admin.policyId))
    await keepAnAdmin(workspace, admin.policyId, { kind: 'group', id: group.id });
  const key = recordKey(workspace, 'group', group.id);
  return [
    ...groupIndexChanges({ id: group.id, key }, ids.before, ids.after),
    ...(after === undefined ? await releaseGroup(write, group) : []),
  ];
}

function readPolicyIds(group: RecordData): readonly string[] {
  const { acl_policies: ids = [] } = group;
  if (Array.isArray(ids) && ids.length <= groupPoliciesMax && ids.every((id) => typeof id === 'string')) return ids;
  throw invalidInput('validation_failed', [
    {
      pointer: '/acl_policies',
      code: 'wrong_type',
      message: `field \`acl_policies\` must be an array of at most ${groupPoliciesMax} ids of policies`,
    },
  ]);
}

async function requirePolicies(
  { workspace }: RecordWrite,
  ids: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  for (const [index, id] of ids.after.entries())
    if (!ids.before.includes(id))
      await requireRecord(workspace, { entity: 'aclpolicy', id, pointer: `/acl_policies/${index}` });
}
