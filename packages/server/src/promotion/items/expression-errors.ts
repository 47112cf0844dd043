import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import { type EntityContent, recordType, systemEntities } from '../../schema/port.ts';
import type { ConfigKinds, RecordTypes } from '../config-kind.ts';
import type { ItemBody } from '../item-storage.ts';

/** An item whose expressions cannot be what they are. */
export interface MistakenItem {
  readonly item: ConfigItem;
  readonly errors: readonly InputError[];
}

/** Of those items that are to be live, the ones whose expressions do not fit to the entities among all. */
export async function expressionErrors(
  kinds: ConfigKinds,
  items: readonly ConfigItem[],
  all: readonly ItemBody[],
): Promise<readonly MistakenItem[]> {
  const bodies = new Map(all.map((body) => [itemKey(body), body]));
  const typeOf = recordTypes(bodies);
  const mistaken: MistakenItem[] = [];
  for await (const item of cooperatively(items)) {
    const content = bodies.get(itemKey(item))?.content;
    const errors = content === undefined ? undefined : kinds[item.kind].check?.(content, typeOf);
    if (errors !== undefined && errors.length > 0) mistaken.push({ item, errors });
  }
  return mistaken;
}

/** Items that stay as they are, and whose expressions fit no more once others are live. */
export async function newlyMistaken(
  kinds: ConfigKinds,
  before: readonly ItemBody[],
  after: readonly ItemBody[],
): Promise<readonly MistakenItem[]> {
  const versions = new Map(before.map((body) => [itemKey(body), body.version]));
  const staying = after.filter((body) => versions.get(itemKey(body)) === body.version);
  const mistaken = await expressionErrors(kinds, staying, after);
  const known = await expressionErrors(
    kinds,
    mistaken.map(({ item }) => item),
    before,
  );
  const knownKeys = new Set(known.map(({ item }) => itemKey(item)));
  return mistaken.filter(({ item }) => !knownKeys.has(itemKey(item)));
}

function recordTypes(bodies: ReadonlyMap<string, ItemBody>): RecordTypes {
  return (name) => {
    const content = bodies.get(itemKey({ kind: 'entity', name }))?.content as EntityContent | undefined;
    const catalog = content?.definition.UpdateParams ?? systemEntities.get(name)?.definition.UpdateParams;
    return catalog && recordType(catalog);
  };
}
