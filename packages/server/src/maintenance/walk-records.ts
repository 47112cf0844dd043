import { directPartition } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Item, RangeRead, Scope } from '../store/port.ts';
import { type Cursor, walk } from '../store/walk.ts';
import type { WorkspaceOfOrg } from '../tenancy/port.ts';

/** A record's item, and its place in the order in which all records of an entity are gone through: that of their ids. */
export interface PlacedRecord {
  readonly place: string;
  readonly item: Item;
}

/** The place of the last record that is done, and how much is read at once. */
export interface RecordsCursor extends Cursor<string>, Pick<RangeRead, 'bytesMax'> {
  limit: number;
}

/**
 * The records of an entity in a workspace, in bounded pages. Not one snapshot: a writer that uses the result checks the
 * records' versions.
 */
export function walkRecords(
  entity: CompiledEntity,
  workspace: WorkspaceOfOrg,
  cursor: RecordsCursor,
): AsyncGenerator<readonly PlacedRecord[]> {
  const partition = directPartition(entity, workspace);
  const read = async (after: string | undefined): Promise<readonly PlacedRecord[]> => {
    const { limit, bytesMax } = cursor;
    const from = { limit, ...(bytesMax && { bytesMax }), ...(after === undefined ? {} : { after }) };
    if (entity.directSortPrefix === undefined) return followIds(workspace.scope, entity.idIndexPk, from);
    const items = await workspace.scope.range(partition, { ...from, prefix: entity.directSortPrefix });
    return items.map((item) => ({ place: item.sk, item }));
  };
  return walk(cursor, read, ({ place }) => place);
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
