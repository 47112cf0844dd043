import { auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { actions, apiName } from '../api-configs.ts';
import { changeConfig } from '../change-config.ts';
import { type ConfigSet, referencesTo } from '../config-set.ts';
import { itemChanged } from '../item-history.ts';
import { activeKey, type EntityRow, entityKey } from '../org-keys.ts';
import { purgeWork } from '../purge-entity.ts';
import { referencesChange } from '../references/references-change.ts';
import type { EntityAdminParts } from './admin-parts.ts';
import { entityAudited } from './entity-audited.ts';
import { countRecords } from './list-entities.ts';
import { unknownEntity } from './unknown-entity.ts';

export interface RemovalOptions {
  /** Refuses while there are records. */
  readonly ifEmpty?: boolean;
}

/**
 * Takes an entity and its five configs away at once, and its records in the background. Whether it is empty is asked
 * of the counters right before: a record that is made in the same moment goes with the entity.
 * @throws Problem `not_found`, `dangling_reference`, `in_use`.
 */
export async function removeEntity(
  parts: EntityAdminParts,
  orgCode: string,
  { entityName, ifEmpty = false }: RemovalOptions & { readonly entityName: string },
): Promise<void> {
  await changeConfig(parts, orgCode, async (set, next) => {
    const removed = set.active(entityName)?.state;
    if (removed === undefined) throw unknownEntity(entityName);
    refuseWhileReferred(set, entityName);
    await parts.refuseRemoval?.({ orgCode, set }, entityName);
    if (ifEmpty) await refuseWhileFull(parts, orgCode, entityName);
    const now = parts.clock.now();
    const { version } = removed;
    const row: EntityRow = { state: 'removing', version, removal: next, removed, updated_at: timestamp(now) };
    const pointers = actions.map((action) => activeKey(apiName(action, entityName)));
    const changes: Change[] = [
      { kind: 'put', ...entityKey(entityName), value: JSON.stringify(row), if: 'present' },
      ...pointers.map((key): Change => ({ kind: 'remove', ...key, if: 'present' })),
      ...referencesChange(set, { name: entityName, compiled: undefined }, next),
      purgeWork({ orgCode, entityName, removal: next }, now),
      itemChanged({ kind: 'entity', name: entityName }, parts.occasion, { version: next, action: 'removed' }),
      auditEntry(parts.occasion, entityAudited('entity.removed', entityName, { version: next })),
    ];
    return { changes };
  });
  parts.poke();
}

function refuseWhileReferred(set: ConfigSet, entityName: string): void {
  const others = referencesTo(set, entityName).filter(({ entity }) => entity !== entityName);
  if (others.length === 0) return;
  const named = others.map(({ entity, field }) => `\`${entity}\` by its field \`${field}\``).join(', ');
  throw new Problem('dangling_reference', `entity \`${entityName}\` is looked up by ${named}`, {
    referenced_by: others.map(({ entity, field }) => ({ entity, field })),
  });
}

async function refuseWhileFull({ store }: EntityAdminParts, orgCode: string, entityName: string): Promise<void> {
  const [records = 0] = await countRecords(store, orgCode, [entityName]);
  if (records > 0) throw new Problem('in_use', `entity \`${entityName}\` has ${records} records`, { records });
}
