/** What a call asks of the rows that its caller has. */
import { pointerTo } from '../../../lib/json-pointer.ts';
import type { CompiledEntity, FieldValue } from '../../../schema/port.ts';
import type { RecordData } from '../../record.ts';
import {
  type FieldNames,
  isOfEnvelope,
  type RecordGrant,
  type RecordPolicy,
  type RecordStates,
} from '../../record-policy.ts';
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

/** A record and the body of a write to it. */
interface FieldsInQuestion {
  readonly data: RecordData;
  readonly body: unknown;
  readonly states?: RecordStates | undefined;
  /** Whether the value of a field is the stored one, so that the field is not written. */
  readonly isUnchanged?: FieldTest | undefined;
}

export type FieldTest = (name: string) => boolean;

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
