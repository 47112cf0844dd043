import { type Clock, timestamp } from '../lib/clock.ts';
import type { Scope } from '../store/port.ts';
import { type AuditActor, type Audited, auditEntry } from './audit-entry.ts';

/** What was done to the platform as a whole: by the operator, unless another is named. */
export interface OperatorLog {
  /**
   * Recorded before the action, because the action is outside of the stores and in no commit, and no action may lack
   * its entry. An action that then fails has an entry as if it were done, and another one when it is repeated.
   */
  tell(requestId: string, audited: Audited, actor?: AuditActor): Promise<void>;
}

/** @param platform the platform's scope; beside the entries of the orgs it holds these. */
export function createOperatorLog(platform: Scope, clock: Clock): OperatorLog {
  return {
    tell: async (request_id, audited, actor = operatorActor) => {
      const auditContext = { at: timestamp(clock.now()), actor, request_id };
      await platform.commit([auditEntry(auditContext, audited)]);
    },
  };
}

/** There is one operator key, so there is one operator. */
export const operatorActor = { kind: 'operator', id: 'operator' } as const;
