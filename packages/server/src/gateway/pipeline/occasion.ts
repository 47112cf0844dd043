import type { Occasion } from '../../audit/audit-entry.ts';
import type { OrgCaller } from '../../identity/org-accounts.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { GatewayRequest } from '../request.ts';

/** That a builder asks for something, as the audit log tells it. */
export function occasionOf(clock: Clock, { requestId }: GatewayRequest, { user }: OrgCaller): Occasion {
  return { at: timestamp(clock.now()), actor: { kind: 'org_user', id: user.id }, request_id: requestId };
}
