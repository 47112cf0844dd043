import type { ConfigItemKind } from '../../config/port.ts';
import type { Change } from '../../store/port.ts';
import type { ConfigKinds, ItemTarget, MigrationDeps, RecordsPlan, SwitchMoment } from '../config-kind.ts';
import { newestOf } from '../item-storage.ts';
import { liveItem } from './read-items.ts';

export interface ItemsPlan {
  readonly changes: readonly Change[];
  /** The outcome of the records, by each kind whose items have some. */
  readonly records: readonly RecordsPlan[];
}

interface PlanItemsDeps extends MigrationDeps {
  readonly kinds: ConfigKinds;
}

/**
 * The changes, of one commit, that bring items of all kinds to what is wanted of them; bodies and the head of the
 * configuration are not among them. Whether items without records refer to what is there, the caller has asked.
 * @throws Problem `conflict`, `dangling_reference`, or what the gate refuses.
 */
export async function planItems(
  parts: PlanItemsDeps,
  moment: SwitchMoment,
  targets: readonly ItemTarget[],
): Promise<ItemsPlan> {
  const { kinds } = parts;
  const plans: RecordsPlan[] = [];
  for (const { kind, records } of Object.values(kinds))
    if (records !== undefined) plans.push(await records.plan(parts, moment, targetsOf(targets, kind)));
  const ofRecords = plans.flatMap(({ changes }) => changes);
  const others = targets.flatMap((target) => plainChanges({ kinds, set: moment.set }, target));
  return { records: plans, changes: [...ofRecords, ...others] };
}

function targetsOf(targets: readonly ItemTarget[], kind: ConfigItemKind): readonly ItemTarget[] {
  return targets.filter((target) => target.kind === kind);
}

function plainChanges(place: Parameters<typeof liveItem>[0], target: ItemTarget): readonly Change[] {
  const { liveRow } = place.kinds[target.kind].storage;
  if (liveRow === undefined) return [];
  const { kind, name, wanted } = target;
  const isLive = liveItem(place, target) !== undefined;
  if (wanted === undefined) return isLive ? [liveRow.remove(target)] : [];
  const body = { kind, name, content: wanted.content, version: newestOf(wanted.versions) };
  return [liveRow.put(body, { if: isLive ? 'present' : 'absent' })];
}
