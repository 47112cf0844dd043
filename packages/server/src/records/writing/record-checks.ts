/** The questions of a call about the rows that its caller has. */
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../lib/clock.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { type CompiledEntity, type FieldValue, fieldName } from '../../schema/port.ts';
import {
  isMadeByPlatform,
  makeRecord,
  platformValue,
  type RecordData,
  readCreate,
  readUpdate,
  type StoredRecord,
} from '../record.ts';
import {
  type FieldNames,
  isOfEnvelope,
  isReadable,
  type RecordGrant,
  type RecordPolicy,
  type RecordStates,
} from '../record-policy.ts';
import type { RecordCall } from './write-loop.ts';

type RecordPolicyCall = Pick<RecordCall, 'rows' | 'entity'>;

/** The caller's grant on a record; undefined is nothing. */
export function grantOn(rows: RecordPolicy, entity: CompiledEntity, data: RecordData): RecordGrant | undefined {
  return rows.judge(asDefined(entity, data));
}

/** The same where no rows means all of them. @param effort to which the steps of judging are added. */
export function countedGrantOn(
  rows: RecordPolicy | undefined,
  entity: CompiledEntity,
  { data, effort }: { readonly data: RecordData; readonly effort: { steps: number } },
): RecordGrant | undefined {
  if (rows === undefined) return { fields: undefined };
  const before = rows.steps();
  const grant = grantOn(rows, entity, data);
  effort.steps += rows.steps() - before;
  return grant;
}

/** The same rows, if there may be any. @throws Problem `access_denied`. */
export function assertNotDenied(rows: RecordPolicy | undefined): RecordPolicy | undefined {
  if (rows?.isNone === true) throw rows.denied();
  return rows;
}

/** A record that isUnchanged, and of which the call may know. @throws Problem `not_found`, as where there is none. */
export function assertVisible(
  { rows, entity }: RecordPolicyCall,
  data: RecordData,
  states?: RecordStates,
): RecordGrant {
  if (rows === undefined) return wholeGrant;
  const judged = asJudged(entity, data, states);
  const grant = rows.judge(...judged);
  if (grant === undefined) throw rows.missing(...judged);
  return grant;
}

const wholeGrant: RecordGrant = { fields: undefined };

/** A record as a write would leave it, with all that the body says. @throws Problem `access_denied`. */
export function assertWriteAllowed({ rows, entity }: RecordPolicyCall, written: FieldsInQuestion): void {
  if (rows === undefined) return;
  const [record, states] = asJudged(entity, written.data, written.states);
  const grant = rows.judge(record, states);
  if (grant === undefined) throw rows.denied(record, undefined, states);
  assertFieldsAllowed(rows, grant, { ...written, data: record, states });
}

/**
 * An update of a record that was visible for it, by the record as it is and as the update would leave it.
 * @param visible what was granted while it was open how the update leaves the record. @throws Problem `access_denied`.
 */
export function assertUpdateAllowed(
  call: RecordPolicyCall,
  { before, visible }: { readonly before: RecordData; readonly visible: RecordGrant },
  { data, ...written }: FieldsInQuestion,
): void {
  const states = { before, after: data };
  if (visible.isProvisional === true) assertWriteAllowed(call, { ...written, data: before, states });
  assertWriteAllowed(call, { ...written, data, states });
}

interface FieldsInQuestion {
  readonly data: RecordData;
  readonly body: unknown;
  readonly states?: RecordStates | undefined;
  /** Whether the value of a field is the stored one, so that the field is not written. */
  readonly isUnchanged?: FieldTest | undefined;
}

type FieldTest = (name: string) => boolean;

/** That the body writes no field but those that the grant has. @throws Problem `access_denied`. */
export function assertFieldsAllowed(
  rows: RecordPolicy | undefined,
  { fields }: RecordGrant,
  { data, body, states, isUnchanged = () => false }: FieldsInQuestion,
): void {
  if (rows === undefined || fields === undefined) return;
  const errors = fieldsBeyond(fields, body, isUnchanged).map((name) => ({
    pointer: pointerTo(name),
    code: 'access_denied',
    message: `the caller may not write field \`${name.slice(0, 100)}\``,
  }));
  if (errors.length > 0) throw rows.denied(data, errors, states);
}

/**
 * The fields in a body beside those that are granted. An unchanged value is no write, but a body of nothing else is no
 * form that was sent back: it names fields that the caller may not write.
 */
export function fieldsBeyond(fields: FieldNames, body: unknown, isUnchanged: FieldTest): readonly string[] {
  const named = namesIn(body).filter((name) => !isOfEnvelope(name));
  const beyond = named.filter((name) => !fields.has(name));
  return beyond.length === named.length ? beyond : beyond.filter((name) => !isUnchanged(name));
}

/** The members of a body, which is any JSON. */
export function namesIn(body: unknown): readonly string[] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
}

/**
 * A record and the states of it as policies see them. A field that is or was called like a state takes its place, so
 * that policies about the field keep their meaning.
 */
function asJudged(
  entity: CompiledEntity,
  data: RecordData,
  { before, after }: RecordStates = {},
): readonly [RecordData, RecordStates] {
  const record = asDefined(entity, data);
  const shown = (state: RecordData): RecordData => (state === data ? record : asDefined(entity, state));
  const states: RecordStates = {
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: after === 'open' ? after : shown(after) }),
  };
  return [record, statesBesideFields(entity, states)];
}

export function statesBesideFields<States extends object>(entity: CompiledEntity, states: States): Partial<States> {
  const isField = (state: string): boolean =>
    entity.naming === undefined
      ? [...entity.fields.keys()].some((name) => name.toLowerCase() === state)
      : entity.naming.byFolded.has(state);
  return Object.fromEntries(Object.entries(states).filter(([state]) => !isField(state))) as Partial<States>;
}

/** A stored record may have kept what its definition shows no more: that decides nothing. */
export function asDefined(entity: CompiledEntity, data: RecordData): RecordData {
  if (entity.hidden.length === 0) return data;
  const shown: Record<string, FieldValue> = {};
  for (const [name, value] of Object.entries(data)) if (!entity.hidden.includes(name)) shown[name] = value;
  return { ...shown, id: data.id, ...stampsOf(data) };
}

function stampsOf({ created_at, updated_at, created_by, updated_by }: RecordData) {
  return { created_at, updated_at, created_by, updated_by };
}

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
  let request: { readonly grant: RecordGrant | undefined } | undefined;
  return (name) => {
    request ??= { grant: ask() };
    return request.grant !== undefined && isReadable(request.grant.fields, name);
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
