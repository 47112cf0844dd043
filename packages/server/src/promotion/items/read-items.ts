import { type ConfigItem, type ConfigItemKind, type ConfigSet, configItemKinds, itemKey } from '../../config/port.ts';
import { pausesBetween } from '../../lib/scheduling/cooperatively.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { traitsOf } from '../config-kinds.ts';
import type { BodyVersions, ItemBody } from '../item-storage.ts';
import { newestOf } from './body-versions.ts';
import { bodyKeys, contentOf } from './item-bodies.ts';

/** An item that is live, and where its bodies lie. */
export interface LiveItem extends ConfigItem {
  /** The config version that made it what it is; of an entity the newest of its five configs. */
  readonly version: number;
  readonly versions: BodyVersions;
}

/** The live items of a configuration, by kind and then by name in byte order. */
export function liveItems(set: ConfigSet, kind?: ConfigItemKind): readonly LiveItem[] {
  const kinds = kind === undefined ? configItemKinds : [kind];
  return kinds.flatMap((one) =>
    traitsOf({ kind: one })
      .storage.liveNames(set, one)
      .flatMap((name) => liveItem(set, { kind: one, name }) ?? []),
  );
}

export function liveItem(set: ConfigSet, item: ConfigItem): LiveItem | undefined {
  const versions = traitsOf(item).storage.liveVersions(set, item);
  return versions === undefined ? undefined : { ...item, version: newestOf(versions), versions };
}

/** What live items are, in their order. */
export async function readContents(
  { store, orgCode, set }: { readonly store: Store; readonly orgCode: string; readonly set: ConfigSet },
  items: readonly LiveItem[],
): Promise<readonly ItemBody[]> {
  const unread = items.filter((item) => traitsOf(item).storage.liveContent === undefined);
  const read = new Map((await readBodies(store, orgCode, unread)).map((body) => [itemKey(body), body.content]));
  return items.map((item) => {
    const { kind, name, version } = item;
    const { liveContent } = traitsOf(item).storage;
    const content = liveContent === undefined ? read.get(itemKey(item)) : liveContent(set, name);
    if (content === undefined) throw new Error(`the ${kind} ${name} cannot be read`);
    return { kind, name, version, content };
  });
}

/** How many items one read asks for; other requests are served between two reads, and between two items that were read. */
const itemsPerRead = 10;

/** What items were at the versions that are named. */
export async function readBodies(
  store: Store,
  orgCode: string,
  items: readonly Pick<LiveItem, 'kind' | 'name' | 'versions'>[],
): Promise<readonly ItemBody[]> {
  const scope = store.scope(orgScopeName(orgCode));
  const bodies: ItemBody[] = [];
  const pause = pausesBetween();
  for (let start = 0; start < items.length; start += itemsPerRead) {
    await pause();
    const places = items
      .slice(start, start + itemsPerRead)
      .map((item) => ({ ...item, keys: bodyKeys(item, item.versions) }));
    const found = await scope.get(places.flatMap(({ keys }) => keys));
    let place = 0;
    for (const { kind, name, versions, keys } of places) {
      await pause();
      const content = contentOf({ kind, name }, found.slice(place, place + keys.length));
      bodies.push({ kind, name, version: newestOf(versions), content });
      place += keys.length;
    }
  }
  return bodies;
}
