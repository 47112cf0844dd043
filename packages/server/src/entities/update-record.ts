import { timestamp } from '../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../lib/problem.ts';
import { keyTaken, unconditional } from './create-record.ts';
import type { FieldValue } from './field-types/field-type.ts';
import { findRecord } from './find-record.ts';
import { entityTag, type RecordData, readUpdate, type StoredRecord } from './record.ts';
import { indexChanges, sameKey } from './record-changes.ts';
import { updatedRecordKey } from './record-keys.ts';
import type { RuntimeParts } from './record-runtime.ts';
import type { PlannedChange, RecordCall } from './write-loop.ts';

export interface UpdateInput {
  readonly id: string;
  readonly body: unknown;
  readonly ifMatch?: IfMatch;
}

/** The entity tags a caller holds to be current; `*` is any. */
export type IfMatch = '*' | readonly string[];

/** Changes what is sent of a record. @throws Problem `not_found`, `validation_failed`, `version_mismatch`, … */
export async function updateRecord(parts: RuntimeParts, call: RecordCall, input: UpdateInput): Promise<StoredRecord> {
  const { plan, committed } = await parts.writeLoop(call, (current) => planUpdate(parts, current, input));
  parts.rules.get(call.entity.name)?.committed?.({ ...call, before: plan.before.data, after: plan.data });
  return { key: plan.key, version: committed.seq, data: plan.data };
}

async function planUpdate(parts: RuntimeParts, call: RecordCall, input: UpdateInput) {
  const { workspace, entity, actor } = call;
  const before = await findRecord(call, input.id);
  if (before === undefined) throw notFound();
  requireMatch(before, input.ifMatch);
  const read = readUpdate(entity, input.body, before);
  if ('errors' in read) throw invalidBody(read.errors);
  const now = timestamp(parts.clock.now());
  const data = merge(entity.fields.keys(), before.data, read.changes, { updated_at: now, updated_by: actor.userId });
  const key = updatedRecordKey(entity, before, data);
  const rules = parts.rules.get(entity.name);
  const ruled = rules === undefined ? [] : await rules.changes({ workspace, actor, before: before.data, after: data });
  const value = JSON.stringify(data);
  const condition = { version: before.version };
  const written: readonly PlannedChange[] = sameKey(key, before.key)
    ? [{ change: { kind: 'put', ...key, value, if: condition }, onConflict: 'replan' }]
    : [
        { change: { kind: 'remove', ...before.key, if: condition }, onConflict: 'replan' },
        { change: { kind: 'put', ...key, value, if: 'absent' }, onConflict: keyTaken },
      ];
  const changes = [...written, ...indexChanges(entity, before, { key, data }).map(unconditional), ...ruled];
  return { before, key, data, changes };
}

/** Fields in the order of the catalog, so that a record reads the same however it came to be. */
function merge(
  fieldNames: Iterable<string>,
  before: RecordData,
  changes: ReadonlyMap<string, FieldValue | undefined>,
  stamps: { readonly updated_at: string; readonly updated_by: string },
): RecordData {
  const fields: Record<string, FieldValue> = { id: before.id };
  for (const name of fieldNames) {
    const value = changes.has(name) ? changes.get(name) : before[name];
    if (value !== undefined) fields[name] = value;
  }
  const { created_at = stamps.updated_at, created_by = stamps.updated_by } = before;
  return {
    ...fields,
    id: before.id,
    created_at,
    updated_at: stamps.updated_at,
    created_by,
    updated_by: stamps.updated_by,
  };
}

/** @throws Problem `version_mismatch` where the caller's tag is not the record's. */
export function requireMatch(stored: StoredRecord, ifMatch: IfMatch | undefined): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(entityTag(stored.version))) return;
  throw new Problem('version_mismatch', 'the record has changed since it was read', {
    etag: entityTag(stored.version),
  });
}
