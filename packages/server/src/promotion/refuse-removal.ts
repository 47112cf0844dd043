import { itemKey } from '../config/port.ts';
import { danglingReferences, refuseDangling } from './item-references.ts';
import type { Place, PromotionParts } from './promotion-parts.ts';
import { liveItems, readContents } from './read-items.ts';

/** @throws Problem `dangling_reference` where items other than entities refer to an entity: entities know each other. */
export async function refuseRemoval(
  { stores, kinds }: Pick<PromotionParts, 'stores' | 'kinds'>,
  { orgCode, set }: Pick<Place, 'orgCode' | 'set'>,
  entityName: string,
): Promise<void> {
  const items = liveItems(set).filter(({ kind }) => kind !== 'entity');
  const bodies = await readContents({ store: stores.test, orgCode, set }, items);
  const key = itemKey({ kind: 'entity', name: entityName });
  refuseDangling(danglingReferences(kinds, bodies, new Set()).filter((reference) => itemKey(reference) === key));
}
