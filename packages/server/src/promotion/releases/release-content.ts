import { type ConfigItem, itemKey, itemOfKey } from '../../config/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { compareBodies, type ItemDifference, itemOf } from '../differences/compare.ts';
import { liveItems, readBodies, readContents } from '../items/read-items.ts';
import type { ItemTarget } from '../kind-records.ts';
import { type PromotionContext, type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { readSnapshot, type Snapshot } from './releases.ts';

/** What would change in production for exactly the configuration of an activation to be live again. */
export async function changesTo(
  deps: PromotionDeps,
  orgCode: string,
  activation: number,
): Promise<readonly ItemDifference[]> {
  const place = await promotionContext(deps, 'prod', orgCode);
  const snapshot = await readSnapshot(place.store.scope(orgScopeName(orgCode)), activation);
  if (snapshot === undefined) throw new Error(`release ${activation} has no snapshot`);
  const targets = await targetsOf(place, snapshot);
  const changed = new Set(targets.map(itemKey));
  const live = liveItems(place).filter((item) => changed.has(itemKey(item)));
  const before = new Map((await readContents(place, live)).map((body) => [itemKey(body), body]));
  const after = targets.flatMap(({ wanted, ...item }) =>
    wanted === undefined ? [] : [[itemKey(item), { ...item, version: 0, content: wanted.content }] as const],
  );
  return compareBodies(before, new Map(after));
}

/** What has to become of each item for exactly a snapshot to be live. */
export async function targetsOf(place: PromotionContext, snapshot: Snapshot): Promise<readonly ItemTarget[]> {
  const live = new Map(liveItems(place).map((item) => [itemKey(item), item.version]));
  const wanted = new Map(Object.entries(snapshot));
  const gone: readonly ConfigItem[] = liveItems(place).filter((item) => !wanted.has(itemKey(item)));
  const others = [...wanted].filter(([key, version]) => live.get(key) !== version);
  const bodies = await readBodies(
    place,
    others.map(([key, versions]) => ({ ...itemOfKey(key), versions })),
  );
  return [
    ...bodies.map(
      (body): ItemTarget => ({ ...itemOf(body), wanted: { content: body.content, versions: body.version } }),
    ),
    ...gone.map((item): ItemTarget => ({ ...itemOf(item), wanted: undefined })),
  ];
}
