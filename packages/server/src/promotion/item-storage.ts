import {
  type ApiVersions,
  activeItems,
  type ConfigItem,
  type ConfigItemKind,
  type ConfigSet,
  itemBodies,
  itemKey,
  itemsOfKind,
  itemVersionKey,
} from '../config/port.ts';
import type { Change, Condition, Key, Put } from '../store/port.ts';

/** Under which config versions the bodies of an item lie: all under one, or each under its own. */
export type BodyVersions = number | ApiVersions;

/** A config item as a whole, at the version under which it lies. */
export interface ItemBody extends ConfigItem {
  readonly version: number;
  readonly content: unknown;
}

/** The way the items of a kind lie in the scope of an org. */
export interface ItemStorage {
  /** The names of those that are live, in byte order. */
  readonly liveNames: (set: ConfigSet, kind: ConfigItemKind) => readonly string[];
  readonly liveVersions: (set: ConfigSet, item: ConfigItem) => BodyVersions | undefined;
  /** The content of a live item, where no body has to be read for it. */
  readonly liveContent?: (set: ConfigSet, name: string) => unknown;
  readonly bodyKeys: (item: ConfigItem, versions: BodyVersions) => readonly Key[];
  /** The content, of the bodies under `bodyKeys`. */
  readonly contentOf: (bodies: readonly unknown[]) => unknown;
  /** The bodies that get the version of the item; those under others of its versions lie there already. */
  readonly bodyPuts: (body: ItemBody, versions: BodyVersions) => readonly Put[];
  /** Under which versions a new content lies, where parts that stay as they are keep theirs; left out, all under the next. */
  readonly versionsAfter?: (change: BodyChange) => BodyVersions;
  /** The row that makes a version live. Left out where items have records: what plans these makes it live with them. */
  readonly liveRow?: {
    readonly put: (body: ItemBody, condition: { readonly if: Condition }) => Change;
    readonly remove: (item: ConfigItem) => Change;
  };
}

export interface BodyChange {
  readonly before: unknown;
  readonly after: unknown;
  /** Of `before`. */
  readonly live: BodyVersions | undefined;
  readonly next: number;
}

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

export function newestOf(versions: BodyVersions): number {
  return typeof versions === 'number' ? versions : Math.max(...Object.values(versions));
}
