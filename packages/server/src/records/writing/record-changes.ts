import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity, CompiledUnique } from '../../schema/port.ts';
import { systemEntityNames } from '../../schema/port.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import { indexEntries, indexEntriesEver, sentinelKey } from '../indexes/index-entries.ts';
import { dataOf, type RecordData, type StoredRecord } from '../record.ts';
import { type PlannedChange, unconditional } from './planned-change.ts';
import { storedJson } from './record-size.ts';

/** A record as a write is to leave it. */
export interface NewState {
  readonly key: Key;
  readonly data: RecordData;
}

/** A write of one record: made (`after` only), changed (both) or removed (`before` only). */
export interface RecordChange {
  readonly before?: StoredRecord | undefined;
  readonly after?: NewState | undefined;
  /** The sealed values that the record is to have beside it; undefined leaves them as they are. */
  readonly sealed?: string | undefined;
}

/**
 * Everything that a write of one record comes to: the record, its index items, its unique values, its sealed values and
 * its place in the count, all in one commit.
 */
export async function recordChanges(
  scope: Scope,
  entity: CompiledEntity,
  change: RecordChange,
): Promise<readonly PlannedChange[]> {
  const { before, after } = change;
  return [
    ...writtenRecord(entity, before, after),
    ...indexChanges(entity, before, after).map(unconditional),
    ...(await uniqueChanges(scope, entity, { before, after })),
    ...sealedChanges(entity, change),
    ...(before === undefined ? [countChange(entity, 1)] : []),
    ...(after === undefined ? [countChange(entity, -1)] : []),
  ];
}

function writtenRecord(
  entity: CompiledEntity,
  before: StoredRecord | undefined,
  after: NewState | undefined,
): readonly PlannedChange[] {
  const put = (condition: 'absent' | { readonly version: number }): Change[] =>
    after === undefined ? [] : [{ kind: 'put', ...after.key, value: storedJson(entity, after.data), if: condition }];
  if (before === undefined) return put('absent').map((change) => ({ change, onConflict: keyTaken }));
  const condition = { version: before.version };
  if (after !== undefined && sameKey(before.key, after.key)) return put(condition).map(unconditional);
  return [
    unconditional({ kind: 'remove', ...before.key, if: condition }),
    ...put('absent').map((change) => ({ change, onConflict: keyTaken })),
  ];
}

function keyTaken(): Problem {
  return new Problem('conflict', 'a record with the same key exists');
}

function indexChanges(
  entity: CompiledEntity,
  before: StoredRecord | undefined,
  after: NewState | undefined,
): readonly Change[] {
  const old = before === undefined ? [] : indexEntriesEver(entity, before.data);
  const wanted = after === undefined ? [] : indexEntries(entity, after.data);
  const isMoved = before !== undefined && after !== undefined && !sameKey(before.key, after.key);
  const removed = old.filter((key) => !wanted.some((other) => sameKey(key, other)));
  const added = isMoved ? wanted : wanted.filter((key) => !old.some((other) => sameKey(key, other)));
  const changes: Change[] = removed.map((key) => ({ kind: 'remove', pk: key.pk, sk: key.sk, if: 'any' }));
  if (after !== undefined)
    for (const key of added) changes.push({ kind: 'put-index', pk: key.pk, sk: key.sk, target: after.key });
  return changes;
}

/** Takes values and frees those before them: of any number of writers one takes a value. */
async function uniqueChanges(
  scope: Scope,
  entity: CompiledEntity,
  { before, after }: RecordChange,
): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const unique of entity.uniques) {
    const old = before === undefined ? undefined : sentinelKey(unique, before.data);
    const wanted = after === undefined || unique.isErasing ? undefined : sentinelKey(unique, after.data);
    if (old?.sk === wanted?.sk) continue;
    if (old !== undefined && before !== undefined) changes.push(await freeValue(scope, unique, { key: old, before }));
    if (wanted !== undefined && after !== undefined) changes.push(takeValue(unique, wanted, after.data.id));
  }
  return changes;
}

function takeValue(unique: CompiledUnique, key: Key, id: string): PlannedChange {
  return {
    change: { kind: 'put', ...key, value: id, if: 'absent' },
    onConflict: () => uniqueViolation(unique),
  };
}

function uniqueViolation({ name, fields }: CompiledUnique): Problem {
  const detail = `Unique constraint violation on field: ${name}`;
  const errors = fields.map(({ field }) => ({ pointer: `/${field}`, code: 'unique_violation', message: detail }));
  return new Problem('unique_violation', detail, { errors });
}

/**
 * In a unique index that is still being built, the value of an older record may not be noted yet, or may be noted as
 * another's: then there is nothing to free, as long as that stays so.
 */
async function freeValue(
  scope: Scope,
  unique: CompiledUnique,
  { key, before }: { readonly key: Key; readonly before: StoredRecord },
): Promise<PlannedChange> {
  if (unique.isReady) return unconditional({ kind: 'remove', ...key, if: 'any' });
  const [held] = await scope.get([key]);
  if (held === undefined) return unconditional({ kind: 'check', ...key, if: 'absent' });
  const condition = { version: held.version };
  const isOwn = held.value === before.data.id;
  return unconditional({ kind: isOwn ? 'remove' : 'check', ...key, if: condition });
}

/** Where a record's sealed values lie, out of every range that is listed. */
export function sealedKey(entityName: string, id: string): Key {
  return { pk: `sealed#${entityName}`, sk: id };
}

function sealedChanges(entity: CompiledEntity, { before, after, sealed }: RecordChange): readonly PlannedChange[] {
  if (after === undefined && before !== undefined && entity.hasSealed)
    return [unconditional({ kind: 'remove', ...sealedKey(entity.name, before.data.id), if: 'any' })];
  if (after === undefined || sealed === undefined) return [];
  const key = sealedKey(entity.name, after.data.id);
  return [unconditional({ kind: 'put', ...key, value: sealed, if: 'any' })];
}

/** The counter of an entity's records in a workspace, moved in each record's own commit. */
export function recordCounter(entityName: string): Key {
  return { pk: 'count', sk: entityName };
}

/** How many records of entities that builders define come to be by these changes, less those that go. */
export function recordsAdded(changes: readonly PlannedChange[]): number {
  const { pk } = recordCounter('');
  let sum = 0;
  for (const { change } of changes)
    if (change.kind === 'add' && change.pk === pk && !systemEntityNames.includes(change.sk)) sum += change.by;
  return sum;
}

function countChange(entity: CompiledEntity, by: number): PlannedChange {
  return unconditional({ kind: 'add', ...recordCounter(entity.name), by });
}

/** Takes records of one entity out, with everything that was written for them. */
export async function removeRecords(
  scope: Scope,
  entity: CompiledEntity,
  records: readonly StoredRecord[],
): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const before of records) changes.push(...(await recordChanges(scope, entity, { before })));
  return changes;
}

/** How many changes a commit needs at most to remove one record. */
export function changesPerRemoval(entity: CompiledEntity, item: Item): number {
  const entries = indexEntriesEver(entity, dataOf(item));
  return 3 + entity.uniques.length + entries.length;
}

export function sameKey(left: Key, right: Key): boolean {
  return left.pk === right.pk && left.sk === right.sk;
}
