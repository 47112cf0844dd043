import { type ConfigItem, type ConfigSet, itemKey } from '../../config/port.ts';
import type { ConfigKinds } from '../config-kind.ts';
import type { Bodies } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import type { ItemsPlan } from '../items/plan-items.ts';
import type { ItemTarget } from '../kind-records.ts';

export interface Advice {
  readonly item: ConfigItem;
  readonly message: string;
}

export interface AdvisedChange {
  readonly set: ConfigSet;
  readonly plan: Pick<ItemsPlan, 'records'>;
  readonly before: Bodies;
  readonly after: readonly ItemBody[];
  readonly targets: readonly ItemTarget[];
}

/** What changed items are likely not to mean, among all items as they are after the change. */
export async function adviceOn(
  kinds: ConfigKinds,
  { set, plan, before, after, targets }: AdvisedChange,
): Promise<readonly Advice[]> {
  const namesOf = (wanted: ConfigItem['kind']) => after.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  const { entity } = plan.records.reduce((config, one) => one.setAfter(config), set);
  const around = { entity, namesOf };
  const found: Advice[] = [];
  for (const { kind, name, wanted } of targets) {
    if (wanted === undefined) continue;
    const change = { name, before: before.get(itemKey({ kind, name }))?.content, after: wanted.content };
    for (const message of (await kinds[kind].advise?.(change, around)) ?? [])
      found.push({ item: { kind, name }, message });
  }
  return found;
}
