import { auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, type ConfigItemKind, changeConfig } from '../../config/port.ts';
import type { RetiredItem } from '../kind-records.ts';
import type { PromotionCommand, PromotionDeps } from '../promotion-deps.ts';

/** The items that production had, whose records are still there: an activation or a rollback can bring them back. */
export async function listRetired(
  { stores, kinds }: PromotionDeps,
  orgCode: string,
  kind: ConfigItemKind,
): Promise<readonly RetiredItem[]> {
  return (await kinds[kind].records?.retired(stores.prod, orgCode)) ?? [];
}

/** Has the records of a retired item removed for good. @throws Problem `not_found`. */
export async function removeRetired(
  deps: PromotionDeps,
  { orgCode, auditContext }: PromotionCommand,
  { kind, name }: ConfigItem,
): Promise<void> {
  const prod = { store: deps.stores.prod, configs: deps.configs.prod };
  const { records } = deps.kinds[kind];
  if (records === undefined) throw new TypeError(`items of the kind ${kind} have no records`);
  await changeConfig(prod, orgCode, async (_set, next) => {
    const moment = { orgCode, next, now: deps.clock.now() };
    const changes = await records.planRetiredRemoval(prod.store, moment, name);
    const target = { kind, id: name };
    return {
      changes: [...changes, auditEntry(auditContext, { action: 'deploy.records_removed', target, env: 'prod' })],
    };
  });
  deps.wake();
}
