import { systemEntityNames } from '@freehold/contract/system-entities';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { keptChanges } from '../aggregates/kept/kept-rows.ts';
import { type CompiledUnique, type Derived, derive, recordCounter, type Sentinel } from '../indexes/derive.ts';
import type { RecordData, StoredRecord } from '../record.ts';
import { type PlannedChange, unconditional } from './planned-change.ts';
import { storedJson } from './record-size.ts';

interface NewState {
  readonly key: Key;
  readonly data: RecordData;
}

/** A write of one record: made (`after` only), changed (both) or removed (`before` only). */
interface RecordChange {
  readonly before?: StoredRecord | undefined;
  readonly after?: NewState | undefined;
  /** The sealed values that the record is to have beside it; undefined leaves them as they are. */
  readonly sealed?: string | undefined;
}

/**
 * Everything that a write of one record comes to: the record, its index items, its unique values, its sealed values, its
 * place in the count and in the aggregates, all in one commit.
 */
export async function recordChanges(
  scope: Scope,
  entity: CompiledEntity,
  change: RecordChange,
): Promise<readonly PlannedChange[]> {
  const { before, after } = change;
  const old = before && derive(entity, before.data);
  // Nothing is added any more to an index that is being erased.
  const wanted = after && derive(entity, after.data, ({ isErasing }) => !isErasing);
  const derived = { ...change, old, wanted };
  return [
    ...writtenRecord(entity, before, after),
    ...entryChanges(derived).map(unconditional),
    ...(await uniqueChanges(scope, entity, derived)),
    ...sealedAndCount(entity, derived).map(unconditional),
    ...(entity.aggregates.length === 0 ? nothing : (await keptChanges(scope, entity, change)).map(unconditional)),
  ];
}

const nothing: readonly PlannedChange[] = [];

/** A write, the rows that follow from the record until then, and those that are to follow from it. */
interface DerivedChange extends RecordChange {
  readonly old: Derived | undefined;
  readonly wanted: Derived | undefined;
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

function entryChanges({ before, after, old, wanted }: DerivedChange): readonly Change[] {
  const [had, wants] = [old?.entries ?? [], wanted?.entries ?? []];
  const isMoved = before !== undefined && after !== undefined && !sameKey(before.key, after.key);
  const [previous, stays] = [new Set(had.map(keyText)), new Set(wants.map(keyText))];
  const removed = had.filter((key) => !stays.has(keyText(key)));
  const added = isMoved ? wants : wants.filter((key) => !previous.has(keyText(key)));
  const changes: Change[] = removed.map((key) => ({ kind: 'remove', pk: key.pk, sk: key.sk, if: 'any' }));
  if (after !== undefined)
    for (const key of added) changes.push({ kind: 'put-index', pk: key.pk, sk: key.sk, target: after.key });
  return changes;
}

function keyText({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk]);
}

/** Takes values and frees those before them: of any number of writers one takes a value. */
async function uniqueChanges(
  scope: Scope,
  { uniques }: CompiledEntity,
  { old, wanted }: DerivedChange,
): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const unique of uniques) {
    const isOwn = (sentinel: Sentinel): boolean => sentinel.unique === unique;
    const [freed, taken] = [old?.sentinels.find(isOwn), wanted?.sentinels.find(isOwn)];
    if (freed?.key.sk === taken?.key.sk) continue;
    if (freed !== undefined) changes.push(await freeValue(scope, freed));
    if (taken !== undefined) changes.push(takeValue(taken));
  }
  return changes;
}

function takeValue({ unique, key, id }: Sentinel): PlannedChange {
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
async function freeValue(scope: Scope, { unique, key, id }: Sentinel): Promise<PlannedChange> {
  if (unique.isReady) return unconditional({ kind: 'remove', ...key, if: 'any' });
  const [held] = await scope.get([key]);
  if (held === undefined) return unconditional({ kind: 'check', ...key, if: 'absent' });
  const condition = { version: held.version };
  const isOwn = held.value === id;
  return unconditional({ kind: isOwn ? 'remove' : 'check', ...key, if: condition });
}

function sealedAndCount({ hasSealed }: CompiledEntity, { sealed, old, wanted }: DerivedChange): readonly Change[] {
  const changes: Change[] = [];
  if (old !== undefined && wanted === undefined) {
    if (hasSealed) changes.push({ kind: 'remove', ...old.sealed, if: 'any' });
    changes.push({ kind: 'add', ...old.counter, by: -1 });
  }
  if (wanted !== undefined) {
    if (sealed !== undefined) changes.push({ kind: 'put', ...wanted.sealed, value: sealed, if: 'any' });
    if (old === undefined) changes.push({ kind: 'add', ...wanted.counter, by: 1 });
  }
  return changes;
}

/** The number of records of entities that builders define that these changes create, less those that they remove. */
export function recordsAdded(changes: readonly PlannedChange[]): number {
  return recordsAddedBy(changes.map(({ change }) => change));
}

/** The same of changes as a store takes them. */
export function recordsAddedBy(changes: readonly Change[]): number {
  const { pk } = recordCounter('');
  let sum = 0;
  for (const change of changes)
    if (change.kind === 'add' && change.pk === pk && !systemEntityNames.includes(change.sk)) sum += change.by;
  return sum;
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

export function sameKey(left: Key, right: Key): boolean {
  return left.pk === right.pk && left.sk === right.sk;
}
