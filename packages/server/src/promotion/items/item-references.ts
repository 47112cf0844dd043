import { type ConfigItem, type ConfigSet, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { ConfigKinds, ItemReference } from '../config-kind.ts';
import type { ItemBody } from '../item-storage.ts';
import type { PromotionDeps } from '../promotion-deps.ts';
import { liveItems, readContents } from './read-items.ts';

/** The items that an item cannot do without. */
export function referencesOf(
  kinds: ConfigKinds,
  { kind, name, content }: Pick<ItemBody, 'kind' | 'name' | 'content'>,
): readonly ItemReference[] {
  return kinds[kind].references(content, name);
}

/** Whether what an item refers to is there. Of a view it is asked only where there is the item. */
export function isMet(kinds: ConfigKinds, reference: ItemReference, { has, contentOf }: PresentItems): boolean {
  const { kind, name, view } = reference;
  const key = itemKey(reference);
  if (view === undefined) return has(key);
  const isBuiltInShown = kinds[kind].isBuiltInShownBy?.(name, view);
  if (isBuiltInShown !== undefined) return isBuiltInShown;
  const content = contentOf(key);
  return !has(key) || content === undefined || kinds[kind].isShownBy?.(content, view) !== false;
}

export interface PresentItems {
  readonly has: (key: string) => boolean;
  readonly contentOf: (key: string) => unknown;
}

/** An item, or a view of it, that is missing, and who refers to it. */
interface DanglingReference extends ConfigItem {
  readonly view?: string;
  readonly referenced_by: ConfigItem & { readonly pointer: string };
  readonly reason: string;
}

/** References of some items that are not among all of them. */
export async function danglingReferences(
  kinds: ConfigKinds,
  bodies: readonly ItemBody[],
  present: ReadonlySet<string> = new Set(bodies.map(itemKey)),
): Promise<readonly DanglingReference[]> {
  const contents = new Map(bodies.map((body) => [itemKey(body), body.content]));
  const items = { has: (key: string) => present.has(key), contentOf: (key: string) => contents.get(key) };
  const dangling: DanglingReference[] = [];
  for await (const body of cooperatively(bodies))
    for (const reference of referencesOf(kinds, body)) {
      if (isMet(kinds, reference, items)) continue;
      const { kind, name, view, pointer, reason } = reference;
      dangling.push({
        kind,
        name,
        ...(view === undefined ? {} : { view }),
        referenced_by: { kind: body.kind, name: body.name, pointer },
        reason,
      });
    }
  return dangling;
}

/** References that an earlier change left open are no reason to refuse this one. */
export async function newlyDangling(
  kinds: ConfigKinds,
  before: readonly ItemBody[],
  after: readonly ItemBody[],
): Promise<readonly DanglingReference[]> {
  const keyOf = (one: DanglingReference): string => `${itemKey(one.referenced_by)} ${itemKey(one)} ${one.view ?? ''}`;
  const previous = new Set((await danglingReferences(kinds, before)).map(keyOf));
  return (await danglingReferences(kinds, after)).filter((one) => !previous.has(keyOf(one)));
}

export function danglingSentence({ kind, name, view, referenced_by: by, reason }: DanglingReference): string {
  if (view !== undefined) return `${kind} \`${name}\` has no view \`${view}\`: ${by.kind} \`${by.name}\` ${reason}`;
  return `${kind} \`${name}\` is missing: ${by.kind} \`${by.name}\` ${reason}`;
}

const reportedMax = 5;
const listedMax = 100;

/** @throws Problem `dangling_reference` with all of them, where there are some. */
export function refuseDangling(dangling: readonly DanglingReference[]): void {
  if (dangling.length === 0) return;
  const sentences = dangling.slice(0, reportedMax).map(danglingSentence);
  if (dangling.length > reportedMax) sentences.push(`and ${dangling.length - reportedMax} more`);
  throw new Problem('dangling_reference', sentences.join('; '), { dangling: dangling.slice(0, listedMax) });
}

/** @throws Problem `dangling_reference` where items of other kinds refer to an item of test: those of its own know each other. */
export async function refuseRemoval(
  { stores, kinds }: Pick<PromotionDeps, 'stores' | 'kinds'>,
  { orgCode, set }: { readonly orgCode: string; readonly set: ConfigSet },
  item: ConfigItem,
): Promise<void> {
  const place = { store: stores.test, orgCode, set, kinds };
  const others = liveItems(place).filter(({ kind }) => kind !== item.kind);
  const dangling = await danglingReferences(kinds, await readContents(place, others), new Set());
  refuseDangling(dangling.filter((reference) => itemKey(reference) === itemKey(item)));
}
