import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import {
  type PlannedChange,
  type RecordData,
  readRecord,
  recordChanges,
  renewedRecord,
  type StoredRecord,
  unconvertedFields,
  updatedRecordKey,
} from '../../records/port.ts';
import type { CompiledEntity, CompiledFill } from '../../schema/port.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import type { FillTask } from './fill-task.ts';
import { keyText, type StepPage, type StepPlan, type UnfilledRecord } from './plan-step.ts';

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
    const { changes, fields } = await planRecord(scope, task, {
      record,
      unconverted: unconvertedFields(task.entity, item),
    });
    const bytes = step.bytes + bytesOf(changes);
    const isTooMuch = step.changes.size + changes.length > changesPerStep || bytes > bytesPerStep;
    // What one record gives up another may take: the next step finds it so.
    const isShared = changes.some((change) => step.changes.has(keyText(change)));
    if (step.taken > 0 && (isTooMuch || isShared)) break;
    for (const change of changes) step.changes.set(keyText(change), change);
    const unfilled = fields.map(task.entity.stored.inStore);
    if (fields.length > 0) step.unfilled.push({ id: record.data.id, fields: unfilled });
    step.bytes = bytes;
    step.taken += 1;
    step.end = place;
  }
  const { taken, end, unfilled } = step;
  return { changes: [...step.changes.values()], taken, end, duplicates: [], unfilled };
}

/** A writer waits for one step at most: small ones leave it a greater part of the time. */
const changesPerStep = 120;
const bytesPerStep = 4 * 1024 * 1024;

type KeyedChange = Extract<Change, Key>;

interface FilledRecord {
  readonly changes: readonly KeyedChange[];
  /** The fields that it still has no value of. */
  readonly fields: readonly string[];
}

interface UnwrittenRecord {
  readonly record: StoredRecord;
  readonly unconverted: readonly string[];
}

async function planRecord(
  scope: Scope,
  { entity, fills }: FillTask,
  { record: before, unconverted }: UnwrittenRecord,
): Promise<FilledRecord> {
  const names = fills.map(({ field }) => entity.stored.inMemory(field));
  const asked = entity.fills.filter(({ name }) => names.includes(name));
  const missing = (data: RecordData): readonly string[] =>
    [...new Set([...asked.map(({ name }) => name), ...unconverted])].filter((name) => !Object.hasOwn(data, name));
  const isStored = unconverted.every((name) => !Object.hasOwn(before.data, name));
  // A value that another record has already keeps none of the others from being filled.
  for (const fill of [asked, asked.filter(({ isByWriters }) => isByWriters)]) {
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
  fills: readonly CompiledFill[],
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
