/** What a call asks of the rows that its caller has. */
import { pointerTo } from '../../../lib/json-pointer.ts';
import type { CompiledEntity, FieldValue } from '../../../schema/port.ts';
import type { RecordData } from '../../record.ts';
import { type FieldNames, isOfEnvelope, type RecordGrant, type RecordPolicy } from '../../record-policy.ts';
import type { RecordCall } from '../write-loop.ts';

type RecordPolicyCall = Pick<RecordCall, 'rows' | 'entity'>;

/** What the caller has of a record; undefined is nothing. */
export function grantOn(rows: RecordPolicy, entity: CompiledEntity, data: RecordData): RecordGrant | undefined {
  return rows.judge(asDefined(entity, data));
}

/** The same rows, if there may be any. @throws Problem `access_denied`. */
export function assertNotDenied(rows: RecordPolicy | undefined): RecordPolicy | undefined {
  if (rows?.isNone === true) throw rows.denied();
  return rows;
}

/** A record that isUnchanged, and of which the call may know. @throws Problem `not_found`, as where there is none. */
export function assertVisible({ rows, entity }: RecordPolicyCall, data: RecordData): RecordGrant {
  if (rows === undefined) return wholeGrant;
  const grant = grantOn(rows, entity, data);
  if (grant === undefined) throw rows.missing(asDefined(entity, data));
  return grant;
}

const wholeGrant: RecordGrant = { fields: undefined };

/** A record as a write would leave it, with all that the body says. @throws Problem `access_denied`. */
export function assertWriteAllowed({ rows, entity }: RecordPolicyCall, written: FieldsInQuestion): void {
  if (rows === undefined) return;
  const grant = grantOn(rows, entity, written.data);
  if (grant === undefined) throw rows.denied(asDefined(entity, written.data));
  assertFieldsAllowed(rows, grant, written);
}

/** A record and the body of a write to it. */
interface FieldsInQuestion {
  readonly data: RecordData;
  readonly body: unknown;
  /** Whether the value of a field is the stored one, so that the field is not written. */
  readonly isUnchanged?: FieldTest | undefined;
}

export type FieldTest = (name: string) => boolean;

/** That the body writes no field but those that the grant has. @throws Problem `access_denied`. */
export function assertFieldsAllowed(
  rows: RecordPolicy | undefined,
  { fields }: RecordGrant,
  { data, body, isUnchanged = () => false }: FieldsInQuestion,
): void {
  if (rows === undefined || fields === undefined) return;
  const errors = fieldsBeyond(fields, body, isUnchanged).map((name) => ({
    pointer: pointerTo(name),
    code: 'access_denied',
    message: `the caller may not write field \`${name.slice(0, 100)}\``,
  }));
  if (errors.length > 0) throw rows.denied(data, errors);
}

/**
 * What a body would write beside the fields that are granted. An unchanged value is no write, but a body of nothing
 * else is no form that was sent back: it names what the caller may not write.
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
