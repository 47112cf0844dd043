import { type ConfigItem, itemKey } from '../entities/config-item.ts';
import { type Bodies, type ItemDifference, itemOf } from './compare.ts';
import type { ConfigKinds } from './config-kind.ts';
import { referencesOf } from './item-references.ts';

/** An item that is published though nobody named it, and why. */
export interface AddedDependency extends ConfigItem {
  readonly reason: string;
}

export interface Selection {
  readonly selected: readonly ItemDifference[];
  readonly added: readonly AddedDependency[];
}

/** What differs, and what production comes to by what is staged already: that stays as it was frozen. */
export interface Expectation {
  readonly differences: readonly ItemDifference[];
  readonly expected: Bodies;
}

/**
 * Completes a selection: what a selected item refers to and production will not have, and what will refer there to an
 * item that is to be taken away and in test does so no more. Whatever is still missing then is missing in test.
 */
export function withDependencies(
  kinds: ConfigKinds,
  expectation: Expectation,
  named: readonly ItemDifference[],
): Selection {
  const differences = new Map(expectation.differences.map((difference) => [itemKey(difference), difference]));
  const selected = new Map(named.map((difference) => [itemKey(difference), difference]));
  const added: AddedDependency[] = [];
  const waiting = [...named];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const { item, reason } of neededBy(kinds, expectation.expected, next)) {
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

function neededBy(kinds: ConfigKinds, expected: Bodies, difference: ItemDifference): readonly Needed[] {
  const { after } = difference;
  if (after === undefined) return referringTo(kinds, expected, difference);
  return referencesOf(kinds, after)
    .filter((reference) => !expected.has(itemKey(reference)))
    .map((reference) => ({ item: reference, reason: `${after.kind} \`${after.name}\` ${reference.reason}` }));
}

function referringTo(kinds: ConfigKinds, expected: Bodies, removed: ConfigItem): readonly Needed[] {
  const key = itemKey(removed);
  const reason = `in production it still refers to ${removed.kind} \`${removed.name}\`, which is taken away`;
  return [...expected.values()]
    .filter((body) => referencesOf(kinds, body).some((reference) => itemKey(reference) === key))
    .map((item) => ({ item, reason }));
}
