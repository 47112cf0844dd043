import { type CompiledEntity, elementIndex, fieldIndex, isLookupList, lookupOf } from '../schema/port.ts';

/** That records of one entity hold ids of another's, and what becomes of them when such a record is removed. */
export interface Reference {
  readonly entity: string;
  readonly field: string;
  /** The field's name in the store where it differs: references keep their order by it when a field is renamed. */
  readonly storedAs?: string;
  readonly onDelete: NonNullable<NonNullable<ReturnType<typeof lookupOf>>['onDelete']>;
  /** The index by which the holders of an id are found; it is not to be trusted until it is ready. */
  readonly pk: string;
  readonly isReady: boolean;
}

/** The constraints on an entity because others refer to it. */
interface Referred {
  /** The config version at which this last changed: writers of the entity must not know an older one. */
  readonly generation: number;
  readonly by: readonly Reference[];
}

/** By the name of the entity that is referred to. */
export type ReferenceMap = ReadonlyMap<string, Referred>;

/** The map once an entity is as it is compiled here; undefined takes its references out. */
export function withReferences(
  map: ReferenceMap,
  entity: { readonly name: string; readonly compiled: CompiledEntity | undefined },
  generation: number,
): ReferenceMap {
  const own = entity.compiled === undefined ? [] : referencesOf(entity.compiled);
  const next = new Map(map);
  for (const target of new Set([...map.keys(), ...own.map(({ target }) => target)])) {
    const before = map.get(target)?.by ?? [];
    const others = before.filter((reference) => reference.entity !== entity.name);
    const added = own.filter((one) => one.target === target).map(({ reference }) => reference);
    if (added.length === 0 && others.length === before.length) continue;
    const by = [...others, ...added];
    if (JSON.stringify(by) !== JSON.stringify(before)) next.set(target, { generation, by });
  }
  return next;
}

function referencesOf(entity: CompiledEntity): readonly { readonly target: string; readonly reference: Reference }[] {
  return [...entity.fields.values()].flatMap(({ name, definition }) => {
    const lookup = lookupOf(definition);
    const index = isLookupList(definition) ? elementIndex(entity, name) : fieldIndex(entity, name);
    if (lookup === undefined || index === undefined) return [];
    const { onDelete = 'restrict' } = lookup;
    const { pk, isReady } = index;
    const { storedAs } = definition;
    const field = storedAs === undefined ? { field: name } : { field: name, storedAs };
    return [{ target: lookup.entity, reference: { entity: entity.name, ...field, onDelete, pk, isReady } }];
  });
}

export function writeReferences(map: ReferenceMap): string {
  return JSON.stringify([...map]);
}

export function readReferences(text: string): ReferenceMap {
  return new Map(JSON.parse(text) as [string, Referred][]);
}
