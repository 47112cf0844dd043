import { isDeepStrictEqual } from 'node:util';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { ItemBody } from '../item-storage.ts';
import { liveItems, readContents } from '../items/read-items.ts';
import type { PromotionContext } from '../promotion-deps.ts';

export type ItemChangeKind = 'added' | 'modified' | 'removed';

/** An item that is not the same on two sides. */
export interface ItemDifference extends ConfigItem {
  readonly change: ItemChangeKind;
  readonly before: ItemBody | undefined;
  readonly after: ItemBody | undefined;
}

/** All that is live somewhere, by `itemKey`. */
export type Bodies = ReadonlyMap<string, ItemBody>;

export async function readAll(place: PromotionContext): Promise<Bodies> {
  const bodies = await readContents(place, liveItems(place));
  return new Map(bodies.map((body) => [itemKey(body), body]));
}

/** The changes that turn one side into the other, in the order of the target; removals last. */
export async function compareBodies(before: Bodies, after: Bodies): Promise<readonly ItemDifference[]> {
  const differences: ItemDifference[] = [];
  for await (const [key, body] of cooperatively(after)) {
    const difference = differenceOf(before.get(key), body);
    if (difference !== undefined) differences.push(difference);
  }
  for (const [key, body] of before)
    if (!after.has(key)) differences.push({ ...itemOf(body), change: 'removed', before: body, after: undefined });
  return differences;
}

function differenceOf(before: ItemBody | undefined, after: ItemBody): ItemDifference | undefined {
  if (before === undefined) return { ...itemOf(after), change: 'added', before, after };
  if (isDeepStrictEqual(before.content, after.content)) return undefined;
  return { ...itemOf(after), change: 'modified', before, after };
}

export function itemOf({ kind, name }: ConfigItem): ConfigItem {
  return { kind, name };
}
