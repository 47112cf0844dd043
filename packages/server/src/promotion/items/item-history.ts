import type { AuditActor, AuditContext } from '../../audit/audit-entry.ts';
import type { ApiVersions, ConfigItem } from '../../config/port.ts';
import type { Key, Put } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';

/** The outcome of each config item, by `<kind>#<name>` and the version: who changed it and when. */
const itemHistoryPartition = 'config;history';

/** That an item changed at a config version: by whom, when, and what was done. */
export interface ItemChanged {
  readonly version: number;
  readonly action: 'created' | 'changed' | 'removed' | 'restored';
  readonly at: string;
  readonly actor: AuditActor;
  /** Of an entity the versions that its five configs then had. What other kinds were lies under the version itself. */
  readonly configs?: ApiVersions;
  /** The version that was brought back, if one was. */
  readonly restored?: number;
}

/** By the item and the version. */
export const itemHistory = table(
  ({ version, ...item }: ConfigItem & { readonly version: number }) => itemHistoryKey(item, version),
  json<ItemChanged>('note of a changed config item', { version: 'number', action: 'string', at: 'string' }),
);

/** The change that notes it, for the commit that makes it so. */
export function itemChanged(
  item: ConfigItem,
  { at, actor }: Pick<AuditContext, 'at' | 'actor'>,
  what: Omit<ItemChanged, 'at' | 'actor'>,
): Put {
  const noted: ItemChanged = { ...what, at, actor };
  return itemHistory.put({ ...item, version: what.version }, noted, { if: 'any' });
}

/** The key of an item's history at a version; versions are in their order. */
function itemHistoryKey(item: ConfigItem, version: number): Key {
  return { pk: itemHistoryPartition, sk: `${itemHistoryPrefix(item)}${String(version).padStart(16, '0')}` };
}

export function itemHistoryPrefix({ kind, name }: ConfigItem): string {
  return `${kind}#${name};`;
}
