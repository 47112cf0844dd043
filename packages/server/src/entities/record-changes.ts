import type { Change, Key } from '../store/port.ts';
import type { CompiledEntity } from './compile-entity.ts';
import type { RecordData, StoredRecord } from './record.ts';
import { indexKeys } from './record-keys.ts';

/** The index changes that a write of a record brings with it. */
export function indexChanges(
  entity: CompiledEntity,
  before: StoredRecord | undefined,
  after: { readonly key: Key; readonly data: RecordData } | undefined,
): readonly Change[] {
  const old = before === undefined ? [] : indexKeys(entity, before.data);
  const wanted = after === undefined ? [] : indexKeys(entity, after.data);
  const isMoved = before !== undefined && after !== undefined && !sameKey(before.key, after.key);
  const removed = old.filter((key) => !wanted.some((other) => sameKey(key, other)));
  const added = isMoved ? wanted : wanted.filter((key) => !old.some((other) => sameKey(key, other)));
  const changes: Change[] = removed.map((key) => ({ kind: 'remove', pk: key.pk, sk: key.sk, if: 'any' }));
  if (after !== undefined)
    for (const key of added) changes.push({ kind: 'put-index', pk: key.pk, sk: key.sk, target: after.key });
  return changes;
}

/** The counter of an entity's records in a workspace, moved in each record's own commit. */
export function recordCounter(entityName: string): Key {
  return { pk: 'count', sk: entityName };
}

export function countChange(entity: CompiledEntity, by: 1 | -1): Change {
  return { kind: 'add', ...recordCounter(entity.name), by };
}

export function sameKey(left: Key, right: Key): boolean {
  return left.pk === right.pk && left.sk === right.sk;
}
