import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { ConfigKind, ConfigKinds } from '../config-kind.ts';
import type { Bodies } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import { referencesOf } from './item-references.ts';

/** An item whose expressions cannot be what they are. */
export interface MistakenItem {
  readonly item: ConfigItem;
  readonly errors: readonly InputError[];
}

/** The result of `parse` of an item's kind for its content, found with little delay for others. */
export async function parseContent(
  kinds: ConfigKinds,
  { kind, name, content }: ConfigItem & { readonly content: unknown },
): Promise<ReturnType<ConfigKind['parse']>> {
  await kinds[kind].prepare?.(content);
  return kinds[kind].parse(name, content);
}

/** Those of the items that are not there yet and have a name that no new one may have. */
export function newNameErrors(
  kinds: ConfigKinds,
  before: Bodies,
  wanted: readonly ConfigItem[],
): readonly MistakenItem[] {
  return wanted.flatMap((item) => {
    const errors = before.has(itemKey(item)) ? [] : (kinds[item.kind].newNameErrors?.(item.name) ?? []);
    return errors.length === 0 ? [] : [{ item, errors }];
  });
}

/** Of those items that are to be live, the ones whose expressions do not fit to the entities among all. */
export async function expressionErrors(
  kinds: ConfigKinds,
  items: readonly ConfigItem[],
  all: readonly ItemBody[],
): Promise<readonly MistakenItem[]> {
  const bodies = new Map(all.map((body) => [itemKey(body), body]));
  const live = { contentOf: (item: ConfigItem) => bodies.get(itemKey(item))?.content };
  const mistaken: MistakenItem[] = [];
  for await (const item of cooperatively(items)) {
    const content = bodies.get(itemKey(item))?.content;
    const errors = content === undefined ? undefined : kinds[item.kind].check?.(content, live);
    if (errors !== undefined && errors.length > 0) mistaken.push({ item, errors });
  }
  return mistaken;
}

/** Items that stay as they are, and do not fit any more to those that they refer to once these are other ones. */
export async function newlyMistaken(
  kinds: ConfigKinds,
  changed: readonly ConfigItem[],
  { before, after }: { readonly before: Bodies; readonly after: readonly ItemBody[] },
): Promise<readonly MistakenItem[]> {
  const concerned = await concernedBy(kinds, changed, after);
  const mistaken = await expressionErrors(kinds, concerned, after);
  const items = mistaken.map(({ item }) => item);
  const known = await expressionErrors(kinds, items, [...before.values()]);
  const knownKeys = new Set(known.map(({ item }) => itemKey(item)));
  return mistaken.filter(({ item }) => !knownKeys.has(itemKey(item)));
}

/** Those with expressions that refer to changed items, or to others that do: a block calls blocks that call others. */
async function concernedBy(
  kinds: ConfigKinds,
  changed: readonly ConfigItem[],
  all: readonly ItemBody[],
): Promise<readonly ConfigItem[]> {
  const referring = new Map<string, ItemBody[]>();
  for await (const body of cooperatively(all)) {
    if (kinds[body.kind].check === undefined) continue;
    for (const key of new Set(referencesOf(kinds, body).map(itemKey)))
      referring.set(key, [...(referring.get(key) ?? []), body]);
  }
  const known = new Set(changed.map(itemKey));
  const concerned: ConfigItem[] = [];
  // Items that are added on the way are followed as well.
  for (const key of known)
    for (const body of referring.get(key) ?? []) {
      if (known.has(itemKey(body))) continue;
      known.add(itemKey(body));
      concerned.push(body);
    }
  return concerned;
}
