import { type ConfigItem, itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { ConfigKinds } from '../config-kind.ts';
import { type Bodies, type ItemDifference, itemOf } from '../differences/compare.ts';
import { isMet, type PresentItems, referencesOf } from '../items/item-references.ts';

/** An item that is published without being named, and why. */
export interface AddedDependency extends ConfigItem {
  readonly reason: string;
}

export interface ItemSelection {
  readonly selected: readonly ItemDifference[];
  readonly added: readonly AddedDependency[];
}

/** The differences, and production with everything that is staged already: that stays as it was frozen. */
export interface Expectation {
  readonly differences: readonly ItemDifference[];
  readonly expected: Bodies;
}

/**
 * Completes a selection: what a selected item refers to and production will not have, and what will refer there to an
 * item that is to be taken away and in test does so no more. Whatever is still missing then is missing in test.
 */
export async function withDependencies(
  kinds: ConfigKinds,
  { differences: all, expected }: Expectation,
  named: readonly ItemDifference[],
): Promise<ItemSelection> {
  const isRemoving = all.some(({ after }) => after === undefined);
  const referrers: Referrers = isRemoving ? await referrersIn(kinds, expected) : new Map();
  const differences = new Map(all.map((difference) => [itemKey(difference), difference]));
  const selected = new Map(named.map((difference) => [itemKey(difference), difference]));
  const added: AddedDependency[] = [];
  const waiting = [...named];
  // Items that are added on the way are followed as well.
  for await (const next of cooperatively(waiting)) {
    for (const { item, reason } of neededBy(kinds, { expected, referrers }, next)) {
      const difference = differences.get(itemKey(item));
      if (difference === undefined || selected.has(itemKey(item))) continue;
      selected.set(itemKey(item), difference);
      added.push({ ...itemOf(item), reason });
      waiting.push(difference);
    }
  }
  return { selected: [...selected.values()], added };
}

/** The referrers of an item, by its `itemKey`. */
type Referrers = ReadonlyMap<string, readonly ConfigItem[]>;

async function referrersIn(kinds: ConfigKinds, expected: Bodies): Promise<Referrers> {
  const referrers = new Map<string, ConfigItem[]>();
  for await (const body of cooperatively(expected.values()))
    for (const key of new Set(referencesOf(kinds, body).map(itemKey))) {
      const known = referrers.get(key);
      if (known === undefined) referrers.set(key, [itemOf(body)]);
      else known.push(itemOf(body));
    }
  return referrers;
}

function presentIn(bodies: Bodies): PresentItems {
  return { has: (key) => bodies.has(key), contentOf: (key) => bodies.get(key)?.content };
}

function neededBy(
  kinds: ConfigKinds,
  { expected, referrers }: { readonly expected: Bodies; readonly referrers: Referrers },
  difference: ItemDifference,
): readonly { readonly item: ConfigItem; readonly reason: string }[] {
  const { after } = difference;
  if (after !== undefined)
    return referencesOf(kinds, after)
      .filter((reference) => !isMet(kinds, reference, presentIn(expected)))
      .map((reference) => ({ item: reference, reason: `${after.kind} \`${after.name}\` ${reference.reason}` }));
  const reason = `in production it still refers to ${difference.kind} \`${difference.name}\`, which is taken away`;
  return (referrers.get(itemKey(difference)) ?? []).map((item) => ({ item, reason }));
}
