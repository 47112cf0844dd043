import type { ApiVersions, ConfigSet, StoredSetting } from '../../config/port.ts';
import { type ConfigItem, type ConfigItemKind, configItemKinds, itemKey, itemOfKey } from '../../config/port.ts';
import { pausesBetween } from '../../lib/scheduling/cooperatively.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { bodyKeys, contentOf, type ItemBody, newest } from './item-bodies.ts';

/** An item that is live, and where its bodies lie. */
export interface LiveItem extends ConfigItem {
  /** The config version that made it what it is; of an entity the newest of its five configs. */
  readonly version: number;
  readonly versions: number | ApiVersions;
}

/** The live items of a configuration, by kind and then by name in byte order. */
export function liveItems(set: ConfigSet, kind?: ConfigItemKind): readonly LiveItem[] {
  const kinds = kind === undefined ? configItemKinds : [kind];
  return kinds.flatMap((one) => namesOfKind(set, one).flatMap((name) => liveItem(set, { kind: one, name }) ?? []));
}

function namesOfKind(set: ConfigSet, kind: ConfigItemKind): readonly string[] {
  if (kind === 'entity') return set.entityNames;
  if (kind === 'settings') return [...set.settings.keys()];
  return [...set.items.keys()].map(itemOfKey).flatMap((item) => (item.kind === kind ? [item.name] : []));
}

export function liveItem(set: ConfigSet, item: ConfigItem): LiveItem | undefined {
  const versions = versionsOf(set, item);
  return versions === undefined ? undefined : { ...item, version: newest(versions), versions };
}

function versionsOf(set: ConfigSet, item: ConfigItem): number | ApiVersions | undefined {
  if (item.kind === 'entity') return set.active(item.name)?.versions;
  if (item.kind === 'settings') return set.settings.get(item.name)?.version;
  return set.items.get(itemKey(item));
}

/** What live items are, in their order. */
export async function readContents(
  { store, orgCode, set }: { readonly store: Store; readonly orgCode: string; readonly set: ConfigSet },
  items: readonly LiveItem[],
): Promise<readonly ItemBody[]> {
  const bodies = await readBodies(
    store,
    orgCode,
    items.filter(({ kind }) => kind !== 'settings'),
  );
  const read = new Map(bodies.map((body) => [itemKey(body), body]));
  return items.map((item) => {
    const body = item.kind === 'settings' ? settingBody(set, item) : read.get(itemKey(item));
    if (body === undefined) throw new Error(`the ${item.kind} ${item.name} cannot be read`);
    return body;
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
      bodies.push({ kind, name, version: newest(versions), content });
      place += keys.length;
    }
  }
  return bodies;
}

/** A setting lies as a whole among the live ones. */
function settingBody(set: ConfigSet, { kind, name, version }: LiveItem): ItemBody | undefined {
  const setting = set.settings.get(name);
  return setting === undefined ? undefined : { kind, name, version, content: settingContent(setting) };
}

function settingContent({ version: _, ...content }: StoredSetting): Omit<StoredSetting, 'version'> {
  return content;
}
