import type { AuditCaller } from '../audit/audit-entry.ts';

/** Who does something to a record, and what the claims in key templates stand for. */
export interface Actor {
  readonly userId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What the audit log says of who asks. Left out, it is the app's user himself. */
  readonly auditCaller?: AuditCaller;
}
