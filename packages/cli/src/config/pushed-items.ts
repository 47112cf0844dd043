import { configItemKinds } from '@freehold/contract/config-kinds';
import type { Management } from '../management/call.ts';
import { readArchive } from './archive.ts';
import { type Item, itemKey } from './item.ts';

/**
 * The items that are sent where others are removed. A platform that is newer than this program may have kinds that it does
 * not know, and whose files an older pull did not write: they are sent as the platform has them, and so stay.
 */
export async function withUnknownKinds(management: Management, items: readonly Item[]): Promise<readonly Item[]> {
  const sent = new Set(items.map(itemKey));
  const known: readonly string[] = configItemKinds;
  const exported = readArchive(await management.bytes('exportConfig'));
  return [...items, ...exported.filter((item) => !known.includes(item.kind) && !sent.has(itemKey(item)))];
}
