import { auditEntryInWorkspace, type WorkspaceAuditContext } from '../../iam/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Append } from '../../store/port.ts';
import type { Invitation } from './invitation.ts';

/** What became of an invitation, with the policy that it grants where it names one. */
export function invitationTold(
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
