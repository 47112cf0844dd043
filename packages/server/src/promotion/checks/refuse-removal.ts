import { type ConfigItem, type ConfigSet, itemKey } from '../../config/port.ts';
import { danglingReferences, refuseDangling } from '../items/item-references.ts';
import { liveItems, readContents } from '../items/read-items.ts';
import type { PromotionDeps } from '../promotion-deps.ts';

/** @throws Problem `dangling_reference` where items of other kinds refer to an item of test: those of its own know each other. */
export async function refuseRemoval(
  { stores, kinds }: Pick<PromotionDeps, 'stores' | 'kinds'>,
  { orgCode, set }: { readonly orgCode: string; readonly set: ConfigSet },
  item: ConfigItem,
): Promise<void> {
  const place = { store: stores.test, orgCode, set, kinds };
  const others = liveItems(place).filter(({ kind }) => kind !== item.kind);
  const dangling = await danglingReferences(kinds, await readContents(place, others), new Set());
  refuseDangling(dangling.filter((reference) => itemKey(reference) === itemKey(item)));
}
