import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import {
  type CompiledEntity,
  compileIndexes,
  type EntityState,
  type IndexState,
  mayGive,
  systemEntities,
} from '../../schema/port.ts';
import type { Key, Store } from '../../store/port.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { type CompiledIndexes, type Derived, type Deriving, derive } from '../indexes/derive.ts';
import type { RecordData } from '../record.ts';
import { entitiesBeingRemoved } from '../reindex/purge-entity.ts';
import { sameKey } from '../writing/record-changes.ts';

/** Index entries that another room keeps of an entity's records, beside those that the entity's indexes ask for. */
export type FurtherEntries = ReadonlyMap<string, (record: RecordData) => readonly Key[]>;

export interface IndexedEntity {
  readonly entity: CompiledEntity;
  /** With the indexes that every record is in. */
  readonly required: Deriving;
  /** With those too that a record may be in: they are still being built or erased. */
  readonly allowed: Deriving;
  readonly further: (record: RecordData) => readonly Key[];
}

/** @param state undefined for a system entity, and for a removed one: then less is known and less asked. */
function keptEntity(entity: CompiledEntity, state: EntityState | undefined, further: FurtherEntries): IndexedEntity {
  const some = (isWanted: (index: IndexState) => boolean): CompiledIndexes | undefined =>
    state === undefined ? undefined : compileIndexes(entity, state.indexes.filter(isWanted));
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

function readyIndexes({ indexes, uniques, searches, compounds, aggregates }: CompiledIndexes): CompiledIndexes {
  const isReady = (index: { readonly isReady: boolean }): boolean => index.isReady;
  return {
    indexes: indexes.filter(isReady),
    uniques: uniques.filter(isReady),
    searches: searches.filter(isReady),
    compounds: compounds.filter(isReady),
    aggregates: aggregates.filter(isReady),
  };
}

/** The items that belong beside a record. */
export function requiredBy({ required, further }: IndexedEntity, data: RecordData): Derived {
  const derived = derive(required, data);
  return { ...derived, entries: [...derived.entries, ...further(data)] };
}

/** Whether a row of an index may lie beside a record. Rows lie in the partition of their index, or in one below it. */
export function follows({ pk, sk }: Key, { allowed, further }: IndexedEntity, data: RecordData): boolean {
  const { entries, sentinels } = derive(allowed, data, (index) => `${pk};`.startsWith(`${index.pk};`));
  return [...entries, ...sentinels.map(({ key }) => key), ...further(data)].some((key) => sameKey(key, { pk, sk }));
}

/**
 * Says whose record a key is. No two entities have templates that could give one key. Of the last partitions it is known
 * which entities have records there, since their records follow one another.
 */
export function createOwners(entities: readonly IndexedEntity[]): (key: Key) => IndexedEntity | undefined {
  const inPartition = new BoundedMap<string, readonly IndexedEntity[]>(partitionsMax);
  return ({ pk, sk }) => {
    const known = inPartition.get(pk) ?? entities.filter(({ entity }) => mayGive(entity.keys.pk, pk));
    inPartition.set(pk, known);
    return known.find(({ entity }) => mayGive(entity.keys.sk, sk));
  };
}

const partitionsMax = 1000;

interface VerifiedConfig {
  readonly workspace: Pick<Workspace, 'orgCode'>;
  readonly config: ConfigSet;
  readonly further: FurtherEntries;
}

/** The entities that may have records: of the configuration, of the platform, and those that are being removed. */
export async function keptEntities(
  store: Store,
  { workspace, config, further }: VerifiedConfig,
): Promise<ReadonlyMap<string, IndexedEntity>> {
  const kept = new Map<string, IndexedEntity>();
  for (const name of [...systemEntities.keys(), ...config.entityNames]) {
    const entity = await config.entity(name);
    if (entity !== undefined) kept.set(name, keptEntity(entity, config.active(name)?.state, further));
  }
  for (const entity of await entitiesBeingRemoved(store.scope(orgScopeName(workspace.orgCode))))
    kept.set(entity.name, keptEntity(entity, undefined, further));
  return kept;
}
