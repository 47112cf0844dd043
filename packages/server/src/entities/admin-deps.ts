import type { AuditContext, Audited } from '../audit/audit-entry.ts';
import type { ConfigGate, ConfigItem, ConfigReader, ConfigSet } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { Store } from '../store/port.ts';

/** What the management side of entities stands on, in one environment. */
export interface EntityAdminDeps {
  readonly store: Store;
  readonly configs: ConfigReader;
  readonly clock: Clock;
  readonly gate?: ConfigGate | undefined;
  /** On which what is asked for is done. */
  readonly auditContext: AuditContext;
  /** Has work looked for now. */
  readonly wake: () => void;
  /** Refuses to take an entity away that something else of the configuration needs, which is not known here. */
  readonly refuseRemoval?:
    | ((place: { readonly orgCode: string; readonly set: ConfigSet }, item: ConfigItem) => Promise<void>)
    | undefined;
}

/** What is done to an entity's definition, as the audit log tells it. */
export function entityAudited(action: string, entityName: string, detail: NonNullable<Audited['detail']>): Audited {
  return { action, target: { kind: 'entity', id: entityName }, env: 'test', detail };
}

export function unknownEntity(entityName: string): Problem {
  const { code } = notFound();
  return new Problem(code, `there is no entity \`${entityName.slice(0, 100)}\``);
}
