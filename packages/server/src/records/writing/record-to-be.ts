import { timestamp } from '../../lib/clock.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { makeRecord, type RecordData, readCreate, readUpdate, type StoredRecord } from '../record.ts';
import { unchangedFields, updatedValue } from './checks/unchanged-values.ts';

/** Who would write, what, and when. */
export interface SupposedWrite {
  readonly entity: CompiledEntity;
  readonly userId: string;
  readonly body: unknown;
  readonly now: number;
}

/**
 * The record that a create would make, as far as that is known without making it: it has no id and no numbers, and what
 * is wrong in the body is not in it.
 */
export function recordOfCreate({ entity, userId, body, now }: SupposedWrite): RecordData {
  const { changes } = readCreate(entity, body, userId);
  const at = timestamp(now);
  const stamps = { id: '', created_at: at, updated_at: at, created_by: userId, updated_by: userId };
  return makeRecord(entity, (name) => changes.get(name), stamps);
}

/** The record as an update would leave it. */
export function recordOfUpdate({ entity, userId, body, now }: SupposedWrite, before: StoredRecord): RecordData {
  const read = readUpdate(entity, body, before);
  const value = updatedValue(before.data, read.changes, unchangedFields(entity, before, read));
  return makeRecord(entity, value, { ...before.data, updated_at: timestamp(now), updated_by: userId });
}
