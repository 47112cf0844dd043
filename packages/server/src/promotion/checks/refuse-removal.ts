import { itemKey } from '../../config/port.ts';
import { hasRecords } from '../config-kinds.ts';
import { danglingReferences, refuseDangling } from '../items/item-references.ts';
import { liveItems, readContents } from '../items/read-items.ts';
import type { PromotionContext, PromotionDeps } from '../promotion-deps.ts';

/** @throws Problem `dangling_reference` where items other than entities refer to an entity: entities know each other. */
export async function refuseRemoval(
  { stores, kinds }: Pick<PromotionDeps, 'stores' | 'kinds'>,
  { orgCode, set }: Pick<PromotionContext, 'orgCode' | 'set'>,
  entityName: string,
): Promise<void> {
  const items = liveItems(set).filter((item) => !hasRecords(item));
  const bodies = await readContents({ store: stores.test, orgCode, set }, items);
  const key = itemKey({ kind: 'entity', name: entityName });
  const dangling = await danglingReferences(kinds, bodies, new Set());
  refuseDangling(dangling.filter((reference) => itemKey(reference) === key));
}
