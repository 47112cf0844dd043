import { type ConfigItem, type ConfigSet, sameVersions } from '../../config/port.ts';
import { type EntityMigrationDeps, type EntityStep, type EntityTarget, planMigration } from '../../entities/port.ts';
import type { EntityContent } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { hasRecords, traitsOf } from '../config-kinds.ts';
import type { BodyVersions } from '../item-storage.ts';
import { newestOf } from './body-versions.ts';
import { liveItem } from './read-items.ts';

/** What is to become of an item; undefined takes it away. Its bodies lie under the versions, or come in the same commit. */
export interface ItemTarget extends ConfigItem {
  readonly wanted: { readonly content: unknown; readonly versions: BodyVersions } | undefined;
}

export interface PlanItemsMoment {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly next: number;
  /** Whether records of entities that are taken away stay in the store, so that their entity can come back. */
  readonly keepsRecords: boolean;
}

export interface ItemsPlan {
  readonly changes: readonly Change[];
  /** What becomes of the entities among them, for who looks at their records. */
  readonly steps: readonly EntityStep[];
}

/**
 * The changes, of one commit, that bring items of all kinds to what is wanted of them; bodies and the head of the
 * configuration are not among them. Whether items other than entities refer to what is there, the caller has asked.
 * @throws Problem `conflict`, `dangling_reference`, or what the gate refuses.
 */
export async function planItems(
  deps: EntityMigrationDeps,
  moment: PlanItemsMoment,
  targets: readonly ItemTarget[],
): Promise<ItemsPlan> {
  const { steps, changes } = await planMigration(deps, moment, targets.flatMap(entityTarget));
  return { steps, changes: [...changes, ...targets.flatMap((target) => plainChanges(moment.set, target))] };
}

function entityTarget(target: ItemTarget): readonly EntityTarget[] {
  if (!hasRecords(target)) return [];
  const { name, wanted } = target;
  if (wanted === undefined) return [{ name, wanted }];
  const { content, versions } = wanted;
  const each = typeof versions === 'number' ? sameVersions(versions) : versions;
  return [{ name, wanted: { content: content as EntityContent, versions: each } }];
}

function plainChanges(set: ConfigSet, target: ItemTarget): readonly Change[] {
  const { liveRow } = traitsOf(target).storage;
  if (liveRow === undefined) return [];
  const { kind, name, wanted } = target;
  const isLive = liveItem(set, target) !== undefined;
  if (wanted === undefined) return isLive ? [liveRow.remove(target)] : [];
  const body = { kind, name, content: wanted.content, version: newestOf(wanted.versions) };
  return [liveRow.put(body, { if: isLive ? 'present' : 'absent' })];
}
