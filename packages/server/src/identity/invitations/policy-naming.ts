import type { PolicyNaming } from '../../iam/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { removeAsRead } from '../../store/table.ts';
import { readHead } from '../workspaces/workspace-head.ts';
import { invitationPartition, invitations, openMax } from './invitation.ts';
import { invitationTold } from './invitation-audit.ts';

/**
 * What names a policy beside the records of its workspace. An invitation that is withdrawn is still found by the org of
 * the invited person, and the reply says that it is not open.
 */
export function policyNaming(clock: Clock): PolicyNaming {
  return {
    defaultAccess: async (scope) => (await readHead(scope))?.default_member_access,
    invitations: async (write, policyId) => {
      const rows = await invitations.range(write.workspace.scope, invitationPartition, { limit: openMax });
      return rows
        .filter(({ value }) => value.acl_policy_id === policyId)
        .map((row) => [removeAsRead(row), invitationTold(clock, write, { invitation: row.value, done: 'removed' })]);
    },
  };
}
