import { type ConfigItem, itemKey } from '../entities/config-item.ts';
import { Problem } from '../lib/problem.ts';
import type { ConfigKinds, ItemReference } from './config-kind.ts';
import type { ItemBody } from './item-bodies.ts';

/** What an item cannot do without. */
export function referencesOf(
  kinds: ConfigKinds,
  { kind, name, content }: Pick<ItemBody, 'kind' | 'name' | 'content'>,
): readonly ItemReference[] {
  return kinds[kind].references(content, name);
}

/** An item that is missing, and who refers to it. */
export interface DanglingReference extends ConfigItem {
  readonly referenced_by: ConfigItem & { readonly pointer: string };
  readonly reason: string;
}

/** What some items refer to that is not among all of them. */
export function danglingReferences(
  kinds: ConfigKinds,
  bodies: readonly ItemBody[],
  present: ReadonlySet<string> = new Set(bodies.map(itemKey)),
): readonly DanglingReference[] {
  return bodies.flatMap((body) =>
    referencesOf(kinds, body)
      .filter((reference) => !present.has(itemKey(reference)))
      .map(({ kind, name, pointer, reason }) => ({
        kind,
        name,
        referenced_by: { kind: body.kind, name: body.name, pointer },
        reason,
      })),
  );
}

export function danglingSentence({ kind, name, referenced_by: by, reason }: DanglingReference): string {
  return `${kind} \`${name}\` is missing: ${by.kind} \`${by.name}\` ${reason}`;
}

const toldMax = 5;
const listedMax = 100;

/** @throws Problem `dangling_reference` with all of them, where there are some. */
export function refuseDangling(dangling: readonly DanglingReference[]): void {
  if (dangling.length === 0) return;
  const told = dangling.slice(0, toldMax).map(danglingSentence);
  if (dangling.length > toldMax) told.push(`and ${dangling.length - toldMax} more`);
  throw new Problem('dangling_reference', told.join('; '), { dangling: dangling.slice(0, listedMax) });
}
