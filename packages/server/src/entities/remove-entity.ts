import { auditEntry } from '../audit/audit-entry.ts';
import { type ConfigSet, changeConfig, itemChanged, referencesTo } from '../config/port.ts';
import { Problem } from '../lib/problem.ts';
import { countStoredRecords } from '../records/port.ts';
import { type EntityAdminDeps, entityAudited, unknownEntity } from './admin-deps.ts';
import { planMigration } from './plan-migration.ts';

export interface RemovalOptions {
  /** Refuses if the entity has records. */
  readonly ifEmpty?: boolean;
}

/**
 * Takes an entity and its five configs away at once, and its records in the background. Whether it is empty is asked
 * of the counters right before: a record that is made in the same moment goes with the entity.
 * @throws Problem `not_found`, `dangling_reference`, `in_use`.
 */
export async function removeEntity(
  deps: EntityAdminDeps,
  orgCode: string,
  { entityName, ifEmpty = false }: RemovalOptions & { readonly entityName: string },
): Promise<void> {
  await changeConfig(deps, orgCode, async (set, next) => {
    if (set.active(entityName) === undefined) throw unknownEntity(entityName);
    refuseWhileReferred(set, entityName);
    await deps.refuseRemoval?.({ orgCode, set }, { kind: 'entity', name: entityName });
    if (ifEmpty) await refuseWhileFull(deps, orgCode, entityName);
    const target = { name: entityName, wanted: undefined };
    const plan = await planMigration(deps, { orgCode, set, next, keepsRecords: false }, [target]);
    const changes = [
      ...plan.changes,
      itemChanged({ kind: 'entity', name: entityName }, deps.auditContext, { version: next, action: 'removed' }),
      auditEntry(deps.auditContext, entityAudited('entity.removed', entityName, { version: next })),
    ];
    return { changes };
  });
  deps.wake();
}

function refuseWhileReferred(set: ConfigSet, entityName: string): void {
  const others = referencesTo(set, entityName).filter(({ entity }) => entity !== entityName);
  if (others.length === 0) return;
  const named = others.map(({ entity, field }) => `\`${entity}\` by its field \`${field}\``).join(', ');
  throw new Problem('dangling_reference', `entity \`${entityName}\` is looked up by ${named}`, {
    referenced_by: others.map(({ entity, field }) => ({ entity, field })),
  });
}

async function refuseWhileFull({ store }: EntityAdminDeps, orgCode: string, entityName: string): Promise<void> {
  const [records = 0] = await countStoredRecords(store, orgCode, [entityName]);
  if (records > 0) throw new Problem('in_use', `entity \`${entityName}\` has ${records} records`, { records });
}
