import type { AuditActor, AuditContext } from '../../audit/audit-entry.ts';
import type { OrgCaller } from '../../identity/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { RequestEnvelope } from '../../api/request.ts';

/** Who requests an action, as the audit log records it. */
export function occasionBy(
  clock: Clock,
  { requestId }: RequestEnvelope,
  { actor }: { readonly actor: AuditActor },
): AuditContext {
  return { at: timestamp(clock.now()), actor, request_id: requestId };
}

/** The same of a builder. */
export function auditContextOf(clock: Clock, request: RequestEnvelope, { user }: OrgCaller): AuditContext {
  return occasionBy(clock, request, { actor: { kind: 'org_user', id: user.id } });
}
