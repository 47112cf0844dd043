import { auditEntry } from '../../audit/audit-entry.ts';
import { changeConfig } from '../../config/port.ts';
import { planRetiredRemoval, type RetiredEntity, retiredEntities } from '../../maintenance/port.ts';
import type { PromotionCommand, PromotionDeps } from '../promotion-deps.ts';

/** The entities that production had, whose records are still there: an activation or a rollback can bring them back. */
export function listRetired({ stores }: PromotionDeps, orgCode: string): Promise<readonly RetiredEntity[]> {
  return retiredEntities(stores.prod, orgCode);
}

/** Has the records of a retired entity removed for good. @throws Problem `not_found`. */
export async function removeRetired(
  deps: PromotionDeps,
  { orgCode, auditContext }: PromotionCommand,
  entityName: string,
): Promise<void> {
  const prod = { store: deps.stores.prod, configs: deps.configs.prod };
  await changeConfig(prod, orgCode, async (_set, next) => {
    const moment = { orgCode, next, now: deps.clock.now() };
    const changes = await planRetiredRemoval(prod.store, moment, entityName);
    const target = { kind: 'entity', id: entityName };
    return {
      changes: [...changes, auditEntry(auditContext, { action: 'deploy.records_removed', target, env: 'prod' })],
    };
  });
  deps.wake();
}
