import type { CompiledEntity } from '../schema/port.ts';
import type { Item, RangeRead, Scope } from '../store/port.ts';

/** A record's item, and its place in the order in which all records of an entity are gone through: that of their ids. */
export interface PlacedRecord {
  readonly place: string;
  readonly item: Item;
}

export interface RecordsRead extends Pick<RangeRead, 'limit' | 'bytesMax'> {
  /** Where the records lie, if they are found by their keys: see `directPartition`. */
  readonly partition: string;
  /** The place of the record behind which to go on; undefined begins. */
  readonly after?: string | undefined;
}

/**
 * The next records of an entity, in bounded steps; none once there are no more. Not one snapshot: a writer that uses
 * the result checks the records' versions.
 */
export async function nextRecords(
  scope: Scope,
  entity: CompiledEntity,
  { partition, after, ...read }: RecordsRead,
): Promise<readonly PlacedRecord[]> {
  const from = after === undefined ? read : { ...read, after };
  if (entity.directSortPrefix === undefined) return followIds(scope, entity.idIndexPk, from);
  const items = await scope.range(partition, { ...from, prefix: entity.directSortPrefix });
  return items.map((item) => ({ place: item.sk, item }));
}

/** A record that has been removed between the two reads is left out; a record that has moved comes with its new key. */
async function followIds(scope: Scope, idIndexPk: string, read: RangeRead): Promise<readonly PlacedRecord[]> {
  for (;;) {
    const followed = await scope.follow(idIndexPk, read);
    const entries = await scope.get(followed.map(({ sk }) => ({ pk: idIndexPk, sk })));
    const found = followed.flatMap(({ sk, version, value }, index) => {
      const target = entries[index]?.target;
      return target === undefined ? [] : [{ place: sk, item: { ...target, version, value } }];
    });
    // Nothing is the end only where nothing was followed.
    if (found.length > 0 || followed.length === 0) return found;
  }
}
