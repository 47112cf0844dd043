import { type ConfigItem, itemKey } from '../entities/config-item.ts';
import type { ItemDifference } from './compare.ts';
import { itemOf } from './compare.ts';
import type { ConfigKinds } from './config-kind.ts';
import type { Comparison } from './diff.ts';
import { referencesOf } from './item-references.ts';

/** An item that is published though nobody named it, and why. */
export interface AddedDependency extends ConfigItem {
  readonly reason: string;
}

export interface Selection {
  readonly selected: readonly ItemDifference[];
  readonly added: readonly AddedDependency[];
}

/**
 * Completes a selection: what a selected item refers to and production does not have, and what in production refers to
 * an item that is to be taken away and in test does so no more. Whatever is still missing then is missing in test.
 */
export function withDependencies(
  kinds: ConfigKinds,
  comparison: Comparison,
  named: readonly ItemDifference[],
): Selection {
  const differences = new Map(comparison.differences.map((difference) => [itemKey(difference), difference]));
  const selected = new Map(named.map((difference) => [itemKey(difference), difference]));
  const added: AddedDependency[] = [];
  const waiting = [...named];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const { item, reason } of neededBy(kinds, comparison, next)) {
      const difference = differences.get(itemKey(item));
      if (difference === undefined || selected.has(itemKey(item))) continue;
      selected.set(itemKey(item), difference);
      added.push({ ...itemOf(item), reason });
      waiting.push(difference);
    }
  }
  return { selected: [...selected.values()], added };
}

interface Needed {
  readonly item: ConfigItem;
  readonly reason: string;
}

function neededBy(kinds: ConfigKinds, { prod }: Comparison, difference: ItemDifference): readonly Needed[] {
  const { after } = difference;
  if (after === undefined) return referringTo(kinds, prod, difference);
  return referencesOf(kinds, after)
    .filter((reference) => !prod.has(itemKey(reference)))
    .map((reference) => ({ item: reference, reason: `${after.kind} \`${after.name}\` ${reference.reason}` }));
}

function referringTo(kinds: ConfigKinds, prod: Comparison['prod'], removed: ConfigItem): readonly Needed[] {
  const key = itemKey(removed);
  const reason = `in production it still refers to ${removed.kind} \`${removed.name}\`, which is taken away`;
  return [...prod.values()]
    .filter((body) => referencesOf(kinds, body).some((reference) => itemKey(reference) === key))
    .map((item) => ({ item, reason }));
}
