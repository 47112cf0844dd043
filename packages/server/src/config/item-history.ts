import type { AuditActor, AuditContext } from '../audit/audit-entry.ts';
import type { Put } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import type { ApiVersions, ConfigItem } from './config-set.ts';
import { itemHistoryKey } from './org-keys.ts';

/** That an item changed at a config version: by whom, when, and what was done. */
export interface ItemChanged {
  readonly version: number;
  readonly action: 'created' | 'changed' | 'removed' | 'restored';
  readonly at: string;
  readonly actor: AuditActor;
  /** Of an entity the versions that its five configs then had. What other kinds were lies under the version itself. */
  readonly configs?: ApiVersions;
  /** Where it was brought back: which version. */
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
