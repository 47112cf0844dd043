import type { Management } from '@freehold/client/management';
import { configItemKinds } from '@freehold/contract/config-kinds';
import { readArchive } from './archive.ts';
import { type Item, itemKey } from './item.ts';

/** The configuration of an environment as the platform has it, also of kinds that this program does not know. */
export async function exportedItems(management: Management, env: 'test' | 'prod'): Promise<readonly Item[]> {
  // The archive is UTF-8 throughout, so its text has all of its bytes.
  const archive: unknown = await management.call('exportConfig', { query: { env } });
  return readArchive(Buffer.from(typeof archive === 'string' ? archive : ''));
}

/**
 * The items that are sent where others are removed. A platform that is newer than this program may have kinds that it does
 * not know, and whose files an older pull did not write: they are sent as the platform has them, and so stay.
 */
export async function withUnknownKinds(management: Management, items: readonly Item[]): Promise<readonly Item[]> {
  const sent = new Set(items.map(itemKey));
  const known: readonly string[] = configItemKinds;
  const exported = await exportedItems(management, 'test');
  return [...items, ...exported.filter((item) => !known.includes(item.kind) && !sent.has(itemKey(item)))];
}
