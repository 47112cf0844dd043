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

export function countChange(entity: CompiledEntity, by: number): Change {
  return { kind: 'add', ...recordCounter(entity.name), by };
}

/** Takes records of one entity out, with their index items and their place in the count. */
export function removeRecords(entity: CompiledEntity, records: readonly StoredRecord[]): readonly Change[] {
  if (records.length === 0) return [];
  const removals = records.flatMap((record): readonly Change[] => [
    { kind: 'remove', ...record.key, if: { version: record.version } },
    ...indexChanges(entity, record, undefined),
  ]);
  return [...removals, countChange(entity, -records.length)];
}

export function sameKey(left: Key, right: Key): boolean {
  return left.pk === right.pk && left.sk === right.sk;
}

/** Joins what several records of one commit add to one counter, since a commit names each key once. */
export function mergeCounts(changes: readonly Change[]): readonly Change[] {
  const merged: Change[] = [];
  for (const change of changes) {
    const at = change.kind === 'add' ? merged.findIndex((other) => other.kind === 'add' && sameKey(other, change)) : -1;
    const known = merged[at];
    if (change.kind === 'add' && known?.kind === 'add') merged[at] = { ...known, by: known.by + change.by };
    else merged.push(change);
  }
  return merged;
}
