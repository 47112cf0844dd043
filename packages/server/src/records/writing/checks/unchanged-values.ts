import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../../lib/clock.ts';
import { type CompiledEntity, type FieldValue, fieldName } from '../../../schema/port.ts';
import {
  isMadeByPlatform,
  makeRecord,
  platformValue,
  type RecordData,
  readCreate,
  readUpdate,
  type StoredRecord,
} from '../../record.ts';
import { isOfEnvelope, isReadable, type RecordGrant, type RecordPolicy } from '../../record-policy.ts';
import { asDefined, type FieldTest } from './record-checks.ts';

/** The body of an update, and what was read from it. */
interface ReadBody {
  readonly body: unknown;
  readonly changes: ReadonlyMap<string, FieldValue | undefined>;
}

/**
 * Tells the fields whose value in a body is the stored one, compared as it would be stored. Encrypted values are not
 * compared, nor are values that cannot be read.
 */
function unchangedFields(entity: CompiledEntity, stored: StoredRecord, { body, changes }: ReadBody): FieldTest {
  return (sent) => {
    const name = fieldName(entity, sent);
    if (isMadeByPlatform(entity, name)) return memberOf(body, name) === platformValue(stored, name);
    const field = entity.fields.get(name);
    if (field === undefined || field.behaviour.isSecret === true || !changes.has(name)) return false;
    const value = changes.get(name);
    // A field that was encrypted in an earlier definition may have its value beside the record, where `null` erases it.
    if (value === undefined && entity.hasSealed) return false;
    return isDeepStrictEqual(value, stored.data[name]);
  };
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

interface UpdateCall {
  readonly rows?: Pick<RecordPolicy, 'readable'> | undefined;
  readonly entity: CompiledEntity;
}

/**
 * Those of them that the caller may get of this record. A caller who tried values of another field would learn from the
 * answers when he had found its value.
 */
export function readableUnchangedFields({ rows, entity }: UpdateCall, stored: StoredRecord, read: ReadBody): FieldTest {
  const isUnchanged = unchangedFields(entity, stored, read);
  const readable = readableFields({ rows, entity }, stored);
  return (name) => isUnchanged(name) && readable(name);
}

/** The fields of a record that the caller of an update may get. Who may do everything with all records may get all. */
export function readableFields({ rows, entity }: UpdateCall, stored: StoredRecord): FieldTest {
  if (rows === undefined) return () => true;
  const readable = grantToRead(() => rows.readable?.(asDefined(entity, stored.data)));
  return (name) => isOfEnvelope(name) || readable(name);
}

/** Asked for once, and only for a body that goes beyond what the caller may write. */
function grantToRead(ask: () => RecordGrant | undefined): FieldTest {
  let asked: { readonly grant: RecordGrant | undefined } | undefined;
  return (name) => {
    asked ??= { grant: ask() };
    return asked.grant !== undefined && isReadable(asked.grant.fields, name);
  };
}

/** The value of a field after an update: an unchanged one is no write, and leaves the value as it is stored. */
export function updatedValue(
  data: RecordData,
  changes: ReadBody['changes'],
  isUnchanged: FieldTest,
): (name: string) => FieldValue | undefined {
  return (name) => (changes.has(name) && !isUnchanged(name) ? changes.get(name) : data[name]);
}

/** Who would write, what, and when. */
interface SupposedWrite {
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
