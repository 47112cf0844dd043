import { type ConfigItem, type ConfigItemKind, configItemKinds, itemKey } from '../../config/port.ts';
import { pausesBetween } from '../../lib/scheduling/event-loop.ts';
import type { Item, Key, Put } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ConfigKinds } from '../config-kind.ts';
import { type BodyVersions, type ItemBody, newestOf } from '../item-storage.ts';
import type { PromotionContext } from '../promotion-deps.ts';

/** An item that is live, and where its bodies lie. */
export interface ReadItem extends ConfigItem {
  /** The config version that made it what it is; of an entity the newest of its five configs. */
  readonly version: number;
  readonly versions: BodyVersions;
}

type ItemsContext = Pick<PromotionContext, 'kinds' | 'set'>;

/** The live items of a configuration, by kind and then by name in byte order. */
export function liveItems(place: ItemsContext, kind?: ConfigItemKind): readonly ReadItem[] {
  const wanted = kind === undefined ? configItemKinds : [kind];
  return wanted.flatMap((one) =>
    place.kinds[one].storage.liveNames(place.set, one).flatMap((name) => liveItem(place, { kind: one, name }) ?? []),
  );
}

export function liveItem({ kinds, set }: ItemsContext, item: ConfigItem): ReadItem | undefined {
  const versions = kinds[item.kind].storage.liveVersions(set, item);
  return versions === undefined ? undefined : { ...item, version: newestOf(versions), versions };
}

/** The contents of live items, in their order. */
export async function readContents(place: PromotionContext, items: readonly ReadItem[]): Promise<readonly ItemBody[]> {
  const { kinds, set } = place;
  const unread = items.filter(({ kind }) => kinds[kind].storage.liveContent === undefined);
  const read = new Map((await readBodies(place, unread)).map((body) => [itemKey(body), body.content]));
  return items.map((item) => {
    const { kind, name, version } = item;
    const { liveContent } = kinds[kind].storage;
    const content = liveContent === undefined ? read.get(itemKey(item)) : liveContent(set, name);
    if (content === undefined) throw new Error(`the ${kind} ${name} cannot be read`);
    return { kind, name, version, content };
  });
}

/** Items of one read; other requests are served between two reads, and between two items that were read. */
const itemsPerRead = 10;

/** The store and org from which bodies are read. */
export type BodyContext = Omit<PromotionContext, 'set'>;

/** The bodies of items at the versions that are named. */
export async function readBodies(
  { store, orgCode, kinds }: BodyContext,
  items: readonly Pick<ReadItem, 'kind' | 'name' | 'versions'>[],
): Promise<readonly ItemBody[]> {
  const scope = store.scope(orgScopeName(orgCode));
  const bodies: ItemBody[] = [];
  const pause = pausesBetween();
  for (let start = 0; start < items.length; start += itemsPerRead) {
    await pause();
    const places = items
      .slice(start, start + itemsPerRead)
      .map((item) => ({ ...item, keys: bodyKeys(kinds, item, item.versions) }));
    const found = await scope.get(places.flatMap(({ keys }) => keys));
    let place = 0;
    for (const { kind, name, versions, keys } of places) {
      await pause();
      const content = contentOf(kinds, { kind, name }, found.slice(place, place + keys.length));
      bodies.push({ kind, name, version: newestOf(versions), content });
      place += keys.length;
    }
  }
  return bodies;
}

/** The keys of the bodies of an item. */
export function bodyKeys(kinds: ConfigKinds, item: ConfigItem, versions: BodyVersions): readonly Key[] {
  return kinds[item.kind].storage.bodyKeys(item, versions);
}

/** The bodies of an item that are to be written. */
export function bodyPuts(kinds: ConfigKinds, body: ItemBody, versions: BodyVersions = body.version): readonly Put[] {
  return kinds[body.kind].storage.bodyPuts(body, versions);
}

/** Bodies that are live or were so are there for good; what is only staged may have been withdrawn. */
export class MissingBody extends Error {}

/** The content in the items read from `bodyKeys`. @throws MissingBody */
function contentOf(kinds: ConfigKinds, item: ConfigItem, read: readonly (Item | undefined)[]): unknown {
  const bodies = read.map((found) => {
    if (found === undefined) throw new MissingBody(`a version of the ${item.kind} ${item.name} is missing`);
    return JSON.parse(found.value);
  });
  return kinds[item.kind].storage.contentOf(bodies);
}
