import { timestamp } from '../lib/clock.ts';
import { invalidBody, Problem } from '../lib/problem.ts';
import type { FieldValue } from './field-types/field-type.ts';
import { type RecordData, readCreate, type StoredRecord } from './record.ts';
import { countChange, indexChanges } from './record-changes.ts';
import { newRecordKey } from './record-keys.ts';
import type { RuntimeParts } from './record-runtime.ts';
import type { PlannedChange, RecordCall } from './write-loop.ts';

/** Makes a record. @throws Problem `validation_failed`, `unknown_field`, `conflict`, or what the entity's rules refuse. */
export async function createRecord(parts: RuntimeParts, call: RecordCall, body: unknown): Promise<StoredRecord> {
  const id = parts.newId();
  const { plan, committed } = await parts.writeLoop(call, (current) => planCreate(parts, current, { id, body }));
  parts.rules.get(call.entity.name)?.committed?.({ ...call, after: plan.data });
  return { key: plan.key, version: committed.seq, data: plan.data };
}

/** A new record with the id given, and the changes that make it: for whoever commits several things at once. */
export async function planCreate(
  parts: Pick<RuntimeParts, 'clock' | 'rules'>,
  call: RecordCall,
  input: { readonly id: string; readonly body: unknown },
): Promise<StoredRecord & { readonly changes: readonly PlannedChange[] }> {
  const { workspace, entity, actor } = call;
  const read = readCreate(entity, input.body);
  if ('errors' in read) throw invalidBody(read.errors);
  const now = timestamp(parts.clock.now());
  const fields: Record<string, FieldValue> = { id: input.id };
  for (const name of entity.fields.keys()) {
    const value = read.changes.get(name);
    if (value !== undefined) fields[name] = value;
  }
  const data: RecordData = {
    ...fields,
    id: input.id,
    created_at: now,
    updated_at: now,
    created_by: actor.userId,
    updated_by: actor.userId,
  };
  const key = newRecordKey(entity, data, workspace, actor);
  const rules = parts.rules.get(entity.name);
  const ruled = rules === undefined ? [] : await rules.changes({ workspace, actor, after: data });
  const changes: PlannedChange[] = [
    { change: { kind: 'put', ...key, value: JSON.stringify(data), if: 'absent' }, onConflict: keyTaken },
    { change: countChange(entity, 1), onConflict: 'replan' },
    ...indexChanges(entity, undefined, { key, data }).map(unconditional),
    ...ruled,
  ];
  return { key, version: 0, data, changes };
}

export function keyTaken(): Problem {
  return new Problem('conflict', 'a record with the same key exists');
}

export function unconditional(change: PlannedChange['change']): PlannedChange {
  return { change, onConflict: 'replan' };
}
