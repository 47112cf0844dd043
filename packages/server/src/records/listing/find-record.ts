import type { CompiledEntity } from '../../schema/port.ts';
import type { Item, RangeRead, Scope } from '../../store/port.ts';
import { dataOf, readRecord, type StoredRecord } from '../record.ts';
import { directKey } from '../record-keys.ts';
import type { RecordCall } from '../writing/write-loop.ts';

/** The record's item as it lies in the store, by id, under any key template. */
export async function findItem(call: Pick<RecordCall, 'workspace' | 'entity'>, id: string): Promise<Item | undefined> {
  if (!mayBeId(id)) return undefined;
  const { workspace, entity } = call;
  const key = directKey(entity, workspace, id);
  if (key !== undefined) return (await workspace.scope.get([key]))[0];
  return findByIdIndex(workspace.scope, entity, id);
}

/** A record whose key fields change moves between the two reads now and then: its index item is there to be read again. */
async function findByIdIndex(scope: Scope, entity: CompiledEntity, id: string): Promise<Item | undefined> {
  for (let attempt = 0; attempt < 8; attempt++) {
    const [entry] = await scope.get([{ pk: entity.idIndexPk, sk: id }]);
    if (entry?.target === undefined) return undefined;
    const [item] = await scope.get([entry.target]);
    // Another record may have taken the key that this one has left.
    if (item !== undefined && dataOf(entity, item).id === id) return item;
  }
  return undefined;
}

/** The items of those of several records that are there: one read where keys follow from ids, else two. */
export async function findItems(
  { workspace, entity }: Pick<RecordCall, 'workspace' | 'entity'>,
  ids: readonly string[],
): Promise<readonly Item[]> {
  const known = ids.filter(mayBeId);
  const direct = known.flatMap((id) => directKey(entity, workspace, id) ?? []);
  if (direct.length > 0) return (await workspace.scope.get(direct)).filter((item) => item !== undefined);
  const found = await Promise.all(known.map((id) => findByIdIndex(workspace.scope, entity, id)));
  return found.filter((item) => item !== undefined);
}

export async function findRecord(
  call: Pick<RecordCall, 'workspace' | 'entity'>,
  id: string,
): Promise<StoredRecord | undefined> {
  const item = await findItem(call, id);
  return item === undefined ? undefined : readRecord(call.entity, item);
}

/** Ids are lower-case UUIDs; anything else names no record, and is kept out of the store's keys. */
export function mayBeId(id: string): boolean {
  if (id.length !== 36) return false;
  for (let index = 0; index < 36; index++) {
    const unit = id.charCodeAt(index);
    const isHexDigit = (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66);
    const isHyphenPlace = index === 8 || index === 13 || index === 18 || index === 23;
    if (isHyphenPlace ? unit !== 0x2d : !isHexDigit) return false;
  }
  return true;
}

interface FollowedItem {
  readonly sk: string;
  readonly item: Item;
}

/** The items behind an index, with their keys and their places in it, for callers that change them. */
export async function followItems(scope: Scope, indexPk: string, read: RangeRead): Promise<readonly FollowedItem[]> {
  const entries = await scope.range(indexPk, read);
  const targets = entries.flatMap(({ sk, target }) => (target === undefined ? [] : [{ sk, target }]));
  const items = targets.length === 0 ? [] : await scope.get(targets.map(({ target }) => target));
  return targets.flatMap(({ sk }, index) => {
    const item = items[index];
    return item === undefined ? [] : [{ sk, item }];
  });
}

const pageBytesMax = 2 * 1024 * 1024;

/**
 * All items behind an index in pages of bounded size, for items of any size. An item that moves to another key
 * meanwhile may come with its new key and its old version: a commit that checks both is refused.
 */
export async function* followInPages(
  scope: Scope,
  indexPk: string,
  read: Omit<RangeRead, 'bytesMax'>,
): AsyncGenerator<readonly FollowedItem[]> {
  for (let from = read; ; ) {
    const followed = await scope.follow(indexPk, { ...from, bytesMax: pageBytesMax });
    const last = followed.at(-1);
    if (last === undefined) return;
    const entries = await scope.range(indexPk, { ...from, limit: followed.length });
    const targets = new Map(entries.map(({ sk, target }) => [sk, target]));
    yield followed.flatMap(({ sk, value, version }) => {
      const target = targets.get(sk);
      return target === undefined ? [] : [{ sk, item: { ...target, value, version } }];
    });
    from = { ...from, after: last.sk };
  }
}
