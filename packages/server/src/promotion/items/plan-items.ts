import type { ApiVersions, ConfigItem, ConfigSet, StoredSetting } from '../../config/port.ts';
import { activeItems, liveSettings, sameVersions } from '../../config/port.ts';
import { type EntityMigrationDeps, type EntityStep, type EntityTarget, planMigration } from '../../entities/port.ts';
import type { EntityContent } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { newest } from './item-bodies.ts';
import { liveItem } from './read-items.ts';

/** What is to become of an item; undefined takes it away. Its bodies lie under the versions, or come in the same commit. */
export interface ItemTarget extends ConfigItem {
  readonly wanted: { readonly content: unknown; readonly versions: number | ApiVersions } | undefined;
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

function entityTarget({ kind, name, wanted }: ItemTarget): readonly EntityTarget[] {
  if (kind !== 'entity') return [];
  if (wanted === undefined) return [{ name, wanted }];
  const { content, versions } = wanted;
  const each = typeof versions === 'number' ? sameVersions(versions) : versions;
  return [{ name, wanted: { content: content as EntityContent, versions: each } }];
}

function plainChanges(set: ConfigSet, target: ItemTarget): readonly Change[] {
  const { kind, name, wanted } = target;
  if (kind === 'entity') return [];
  const isLive = liveItem(set, target) !== undefined;
  const isSetting = kind === 'settings';
  if (wanted === undefined) {
    if (!isLive) return [];
    return [isSetting ? liveSettings.remove(name, 'present') : activeItems.remove(target, 'present')];
  }
  const version = newest(wanted.versions);
  const asServed = { if: isLive ? 'present' : 'absent' } as const;
  if (!isSetting) return [activeItems.put(target, { version }, asServed)];
  return [liveSettings.put(name, { ...(wanted.content as Omit<StoredSetting, 'version'>), version }, asServed)];
}
