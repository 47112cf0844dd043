import type { Clock } from '../lib/clock.ts';
import { type AuditLog, type AuditLogDeps, createAuditLog } from './audit-log.ts';
import { createOperatorLog, type OperatorLog } from './operator-log.ts';
import { createRefusalLog, type RefusalLog } from './refusal-log.ts';
import { createVerifiedChains, type VerifiedChains } from './verified-chains.ts';

export interface AuditDeps extends AuditLogDeps {
  readonly clock: Clock;
}

export interface Audit {
  readonly audit: AuditLog;
  readonly auditChains: VerifiedChains;
  readonly operatorLog: OperatorLog;
  readonly refusals: RefusalLog;
}

/** The log of what was done, and the entries that belong into no commit: acts of the operator, and refusals. */
export function openAudit(deps: AuditDeps): Audit {
  const { platform, clock } = deps;
  return {
    audit: createAuditLog(deps),
    auditChains: createVerifiedChains(deps),
    operatorLog: createOperatorLog(platform, clock),
    refusals: createRefusalLog(platform, clock),
  };
}
