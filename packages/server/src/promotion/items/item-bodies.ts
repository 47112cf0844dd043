import type { ConfigItem } from '../../config/port.ts';
import type { Item, Key, Put } from '../../store/port.ts';
import type { ConfigKinds } from '../config-kind.ts';
import type { BodyVersions, ItemBody } from '../item-storage.ts';

/** Where the bodies of an item lie. */
export function bodyKeys(kinds: ConfigKinds, item: ConfigItem, versions: BodyVersions): readonly Key[] {
  return kinds[item.kind].storage.bodyKeys(item, versions);
}

/** The bodies of an item that are to be written. */
export function bodyPuts(kinds: ConfigKinds, body: ItemBody, versions: BodyVersions = body.version): readonly Put[] {
  return kinds[body.kind].storage.bodyPuts(body, versions);
}

/** Bodies that are live or were so are there for good; what is only staged may have been withdrawn. */
export class MissingBody extends Error {}

/** What was read from `bodyKeys`. @throws MissingBody */
export function contentOf(kinds: ConfigKinds, item: ConfigItem, read: readonly (Item | undefined)[]): unknown {
  const bodies = read.map((found) => {
    if (found === undefined) throw new MissingBody(`a version of the ${item.kind} ${item.name} is missing`);
    return JSON.parse(found.value);
  });
  return kinds[item.kind].storage.contentOf(bodies);
}
