import type { Audited } from '../audit/audit-entry.ts';

/** What is done to an entity's definition, as the audit log tells it. */
export function entityAudited(action: string, entityName: string, detail: NonNullable<Audited['detail']>): Audited {
  return { action, target: { kind: 'entity', id: entityName }, env: 'test', detail };
}
