import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import { bothFigures } from '../../store/tally.ts';
import { AggregateStep } from '../aggregates/kept/fill-kept.ts';
import { keptFillPartition } from '../aggregates/kept/kept-rows.ts';
import { type Derived, derive } from '../indexes/derive.ts';
import { type RecordData, readRecord, renewedRecord, type StoredRecord, unconvertedFields } from '../record.ts';
import { keyText, updatedRecordKey } from '../record-keys.ts';
import type { PlacedRecord } from '../records-of-org.ts';
import type { PlannedChange } from '../writing/planned-change.ts';
import { recordChanges } from '../writing/record-changes.ts';
import { readSealed } from '../writing/sealed-values.ts';
import type { FillTask, IndexTask } from './build-task.ts';

/** The changes that some records ask for. They hold only together, and only as long as each record is as it was read. */
export interface StepPlan {
  readonly changes: readonly Change[];
  /** How many of the records it is about: the first ones. */
  readonly taken: number;
  /** The place of the last of these. */
  readonly end: string;
  /** Known to be so once the changes are committed. */
  readonly duplicates: readonly DuplicatePair[];
  readonly unfilled: readonly UnfilledRecord[];
}

export interface UnfilledRecord {
  readonly id: string;
  readonly fields: readonly string[];
}

export interface DuplicatePair {
  readonly indexName: string;
  readonly ids: readonly [string, string];
}

const changesPerStep = 500;

/** Some records, one after the other, and whether enough is known of those that contradict an index. */
export interface StepPage {
  /** Where the places are. */
  readonly pk: string;
  readonly records: readonly PlacedRecord[];
  readonly isFull: (indexName: string) => boolean;
}

export async function planStep(scope: Scope, task: IndexTask, { pk, records, isFull }: StepPage): Promise<StepPlan> {
  const building = { ...task.building, uniques: task.building.uniques.filter(({ name }) => !isFull(name)) };
  const read = records.map(({ place, item }): ReadRecord => {
    const record = readRecord(task.entity, item);
    return { place, record, wanted: derive(building, record.data) };
  });
  const sentinels = await readItems(
    scope,
    read.flatMap(({ wanted }) => wanted.sentinels.map(({ key }) => key)),
  );
  const sealed = await readSealedItems(scope, task, read);
  const kept = await AggregateStep.open(scope, task.kept);
  const step = {
    changes: new Map<string, Change>(),
    taken: 0,
    end: '',
    duplicates: [] as DuplicatePair[],
    unfilled: [],
  };
  for (const one of read) {
    const own = planRecord(task, one, { sentinels, sealed });
    const isTooMuch = step.changes.size + own.changes.length > changesPerStep;
    // Two that want one value: the next step finds it with the first of them.
    const isTaken = own.changes.some((change) => isTaking(change) && step.changes.has(keyText(change)));
    if (step.taken > 0 && (isTooMuch || isTaken || kept.isFull)) break;
    kept.add(one.place, one.record.data);
    for (const change of own.changes) step.changes.set(keyText(change), change);
    step.duplicates.push(...own.duplicates);
    step.taken += 1;
    step.end = one.place;
  }
  return { ...step, changes: [...step.changes.values(), ...kept.changes(pk)] };
}

interface ReadRecord {
  readonly place: string;
  readonly record: StoredRecord;
  /** What it is to have beside it of what is being built. */
  readonly wanted: Derived;
}

type ItemsByKey = ReadonlyMap<string, Item>;

async function readItems(scope: Scope, keys: readonly Key[]): Promise<ItemsByKey> {
  const items = keys.length === 0 ? [] : await scope.get(keys);
  return new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
}

/** The sealed values of each record, where some of them are to go. */
async function readSealedItems(scope: Scope, task: IndexTask, records: readonly ReadRecord[]): Promise<ItemsByKey> {
  const { erased, entity } = task;
  return readItems(scope, erased.length > 0 && entity.hasSealed ? records.map(({ wanted }) => wanted.sealed) : []);
}

interface AdjacentItems {
  readonly sentinels: ItemsByKey;
  readonly sealed: ItemsByKey;
}

function planRecord(task: IndexTask, { record, wanted }: ReadRecord, { sentinels, sealed }: AdjacentItems) {
  const { key, data } = record;
  const changes: KeyedChange[] = [...withoutErased(task, record, sealed.get(keyText(wanted.sealed)))];
  const duplicates: DuplicatePair[] = [];
  for (const { pk, sk } of wanted.entries) changes.push({ kind: 'put-index', pk, sk, target: key });
  for (const { unique, key: place, id } of wanted.sentinels) {
    const held = sentinels.get(keyText(place));
    if (held === undefined) changes.push({ kind: 'put', ...place, value: id, if: 'absent' });
    else if (held.value !== id) {
      changes.push({ kind: 'check', ...place, if: { version: held.version } });
      duplicates.push({ indexName: unique.name, ids: [held.value, id] });
    }
  }
  // No process writes notes in these any more, so all notes are removed.
  const gone = derive(task.erasing, data);
  for (const { pk, sk } of [...gone.entries, ...gone.sentinels.map((sentinel) => sentinel.key)])
    changes.push({ kind: 'remove', pk, sk, if: 'any' });
  return { changes, duplicates };
}

/** Takes the values of fields out that are lost, and holds the record to the version that was read in any case. */
function withoutErased(
  { entity, erased }: IndexTask,
  { key, version, data }: StoredRecord,
  sealed: Item | undefined,
): readonly KeyedChange[] {
  const condition = { version };
  const held = readSealed(sealed?.value);
  const values = entity.stored.written(data);
  const isIn = (some: object): boolean => erased.some((name) => Object.hasOwn(some, name));
  if (!isIn(values) && !isIn(held)) return [{ kind: 'check', ...key, if: condition }];
  const left = (some: object): string =>
    JSON.stringify(Object.fromEntries(Object.entries(some).filter(([name]) => !erased.includes(name))));
  const written: KeyedChange = { kind: 'put', ...key, value: left(values), if: condition };
  if (sealed === undefined || !isIn(held)) return [written];
  return [written, { kind: 'put', pk: sealed.pk, sk: sealed.sk, value: left(held), if: 'any' }];
}

type KeyedChange = Extract<Change, Key>;

function isTaking(change: Change): boolean {
  return change.kind === 'put';
}

/**
 * The writes of the records that a fill changes. They are those of any write of a record, and the stamps stay: it is the
 * platform that changes them. A record that needs no write is not checked: behind the fence none loses a value.
 */
export async function planFill(
  scope: Scope,
  task: FillTask,
  { records }: Pick<StepPage, 'records'>,
): Promise<StepPlan> {
  const step = { changes: new Map<string, Change>(), bytes: 0, taken: 0, end: '', unfilled: [] as UnfilledRecord[] };
  for await (const { place, item } of cooperatively(records)) {
    const record = readRecord(task.entity, item);
    const { changes, fields } = await planFilled(scope, task, {
      record,
      unconverted: unconvertedFields(task.entity, item),
    });
    const bytes = step.bytes + bytesOf(changes);
    const isTooMuch = step.changes.size + changes.length > fillChangesPerStep || bytes > fillBytesPerStep;
    // What one record gives up another may take: the next step finds it so.
    const isShared = changes.some((change) => !isForAll(change) && step.changes.has(keyText(change)));
    if (step.taken > 0 && (isTooMuch || isShared)) break;
    for (const change of changes) {
      const known = step.changes.get(keyText(change));
      step.changes.set(keyText(change), known === undefined ? change : bothChanges(known, change));
    }
    const unfilled = fields.map(task.entity.stored.inStore);
    if (fields.length > 0) step.unfilled.push({ id: record.data.id, fields: unfilled });
    step.bytes = bytes;
    step.taken += 1;
    step.end = place;
  }
  const { taken, end, unfilled } = step;
  return { changes: [...step.changes.values()], taken, end, duplicates: [], unfilled };
}

/** Records of one group move one row, and look how far an aggregate is that is being built. */
function isForAll({ kind, pk }: KeyedChange): boolean {
  return kind === 'tally' || (kind === 'check' && pk === keptFillPartition);
}

function bothChanges(known: Change, next: KeyedChange): Change {
  if (known.kind === 'tally' && next.kind === 'tally') return { ...known, by: bothFigures(known.by, next.by) };
  const isSame = known.kind === 'check' && isDeepStrictEqual(known.if, next.kind === 'check' && next.if);
  // It was moved in between: the step is planned again.
  return isSame ? next : { kind: 'check', pk: next.pk, sk: next.sk, if: { version: -1 } };
}

/** A writer waits for one step at most: small ones leave it a greater part of the time. */
const fillChangesPerStep = 120;
const fillBytesPerStep = 4 * 1024 * 1024;

interface FilledRecord {
  readonly changes: readonly KeyedChange[];
  /** The fields that it still has no value of. */
  readonly fields: readonly string[];
}

interface UnwrittenRecord {
  readonly record: StoredRecord;
  readonly unconverted: readonly string[];
}

async function planFilled(
  scope: Scope,
  { entity, fills }: FillTask,
  { record: before, unconverted }: UnwrittenRecord,
): Promise<FilledRecord> {
  const names = fills.map(({ field }) => entity.stored.inMemory(field));
  const requested = entity.fills.filter(({ name }) => names.includes(name));
  const missing = (data: RecordData): readonly string[] =>
    [...new Set([...requested.map(({ name }) => name), ...unconverted])].filter((name) => !Object.hasOwn(data, name));
  const isStored = unconverted.every((name) => !Object.hasOwn(before.data, name));
  // A value that another record has already keeps none of the others from being filled.
  for (const fill of [requested, requested.filter(({ isByWriters }) => isByWriters)]) {
    const after = renewed(entity, before, fill);
    if (after === undefined) continue;
    if (isStored && names.every((name) => isDeepStrictEqual(before.data[name], after[name])))
      return { changes: [], fields: missing(after) };
    const changes = await changesOf(scope, entity, { before, after });
    if (changes !== undefined) return { changes, fields: missing(after) };
  }
  return { changes: [], fields: names };
}

function renewed(
  entity: CompiledEntity,
  { data }: StoredRecord,
  fills: CompiledEntity['fills'],
): RecordData | undefined {
  return orRefused(() => renewedRecord(entity, data, fills));
}

/** Undefined where another record has the place or the values that this one would take. */
async function changesOf(
  scope: Scope,
  entity: CompiledEntity,
  { before, after }: { readonly before: StoredRecord; readonly after: RecordData },
): Promise<readonly KeyedChange[] | undefined> {
  const key = orRefused(() => updatedRecordKey(entity, before, after));
  if (key === undefined) return undefined;
  const planned = await recordChanges(scope, entity, { before, after: { key, data: after } });
  const claimed = planned.filter(isClaim).flatMap(({ change }) => ('sk' in change ? [change] : []));
  const held = claimed.length === 0 ? [] : await scope.get(claimed.map(({ pk, sk }) => ({ pk, sk })));
  if (held.some((item) => item !== undefined)) return undefined;
  return planned.flatMap(({ change }) => ('sk' in change ? [change] : []));
}

function isClaim({ onConflict }: PlannedChange): boolean {
  return onConflict !== 'replan';
}

function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function bytesOf(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + (change.kind === 'put' ? change.value.length : 0), 0);
}
