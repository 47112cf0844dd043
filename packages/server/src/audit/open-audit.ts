import type { Clock } from '../lib/clock.ts';
import { type AuditLogDeps, createAuditLog } from './audit-log.ts';
import { createOperatorLog, createRefusalLog } from './operator-log.ts';
import { auditRoutes } from './routes.ts';
import { createVerifiedChains } from './verified-chains.ts';

interface AuditDeps extends AuditLogDeps {
  readonly clock: Clock;
}

export type Audit = ReturnType<typeof openAudit>;

/** The log of what was done, and the entries that belong into no commit: acts of the operator, and refusals. */
export function openAudit(deps: AuditDeps) {
  const { platform, clock } = deps;
  return {
    operatorLog: createOperatorLog(platform, clock),
    refusals: createRefusalLog(platform, clock),
    routes: { management: auditRoutes({ audit: createAuditLog(deps), auditChains: createVerifiedChains(deps) }) },
  };
}
