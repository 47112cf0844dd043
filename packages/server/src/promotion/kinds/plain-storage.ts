import { activeItems, itemBodies, itemKey, itemsOfKind, itemVersionKey } from '../../config/port.ts';
import type { ItemStorage } from '../item-storage.ts';
import { newestOf } from '../items/body-versions.ts';

/** One body for each version, and a row that says which of them is live. */
export const plainStorage: ItemStorage = {
  liveNames: (set, kind) => itemsOfKind(set, kind).map(({ name }) => name),
  liveVersions: (set, item) => set.items.get(itemKey(item)),
  bodyKeys: (item, versions) => [itemVersionKey(item, newestOf(versions))],
  contentOf: ([body]) => body,
  bodyPuts: ({ kind, name, version, content }) => [itemBodies.insert({ kind, name, version }, content)],
  liveRow: {
    put: ({ kind, name, version }, condition) => activeItems.put({ kind, name }, { version }, condition),
    remove: (item) => activeItems.remove(item, 'present'),
  },
};
