import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Derived, type Deriving, derive, type RecordData, sameKey } from '../../records/port.ts';
import type { CompiledEntity, EntityState, IndexState } from '../../schema/port.ts';
import { type CompiledIndexes, compileIndexes, type KeyTemplate, mayOverlap } from '../../schema/port.ts';
import type { Key } from '../../store/port.ts';

/** Index entries that another room keeps of an entity's records, beside those that the entity's indexes ask for. */
export type FurtherEntries = ReadonlyMap<string, (record: RecordData) => readonly Key[]>;

/** An entity and what lies beside its records. */
export interface KeptEntity {
  readonly entity: CompiledEntity;
  /** With the indexes that every record is in. */
  readonly required: Deriving;
  /** With those too that a record may be in: they are still being built or erased. */
  readonly allowed: Deriving;
  readonly further: (record: RecordData) => readonly Key[];
}

/** @param state undefined for a system entity, and for one that is being removed: then less is known and less asked. */
export function keptEntity(
  entity: CompiledEntity,
  state: EntityState | undefined,
  further: FurtherEntries,
): KeptEntity {
  const some = (isAsked: (index: IndexState) => boolean): CompiledIndexes | undefined =>
    state === undefined ? undefined : compileIndexes(entity, state.indexes.filter(isAsked));
  return {
    entity,
    required: {
      ...entity,
      ...(some((index) => index.state === 'ready' || index.state === 'dropping') ?? readyIndexes(entity)),
    },
    allowed: { ...entity, ...some(({ isErased }) => isErased !== true) },
    further: further.get(entity.name) ?? (() => []),
  };
}

function readyIndexes({ indexes, uniques, searches, compounds }: CompiledIndexes): CompiledIndexes {
  const isReady = (index: { readonly isReady: boolean }): boolean => index.isReady;
  return {
    indexes: indexes.filter(isReady),
    uniques: uniques.filter(isReady),
    searches: searches.filter(isReady),
    compounds: compounds.filter(isReady),
  };
}

/** What has to lie beside a record. */
export function requiredBy({ required, further }: KeptEntity, data: RecordData): Derived {
  const derived = derive(required, data);
  return { ...derived, entries: [...derived.entries, ...further(data)] };
}

/** Whether a row of an index may lie beside a record. Rows lie in the partition of their index, or in one below it. */
export function follows({ pk, sk }: Key, { allowed, further }: KeptEntity, data: RecordData): boolean {
  const { entries, sentinels } = derive(allowed, data, (index) => `${pk};`.startsWith(`${index.pk};`));
  return [...entries, ...sentinels.map(({ key }) => key), ...further(data)].some((key) => sameKey(key, { pk, sk }));
}

/**
 * Says whose record a key is. No two entities have templates that could give one key. Of the last partitions it is known
 * which entities have records there, since their records follow one another.
 */
export function createOwners(entities: readonly KeptEntity[]): (key: Key) => KeptEntity | undefined {
  const inPartition = new BoundedMap<string, readonly KeptEntity[]>(partitionsMax);
  return ({ pk, sk }) => {
    const known = inPartition.get(pk) ?? entities.filter(({ entity }) => mayOverlap(asTemplate(pk), entity.keys.pk));
    inPartition.set(pk, known);
    return known.find(({ entity }) => mayOverlap(asTemplate(sk), entity.keys.sk));
  };
}

const partitionsMax = 1000;

function asTemplate(key: string): KeyTemplate {
  return { source: key, parts: [{ literal: key }], tokens: [] };
}
