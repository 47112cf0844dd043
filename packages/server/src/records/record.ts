import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import { errorsMax, Problem } from '../lib/problem.ts';
import {
  type CompiledEntity,
  type CompiledField,
  type FieldValue,
  isOwnedByCaller,
  isPlatformField,
  isPlatformMade,
  isValueProblem,
  newCheckEffort,
  readValue,
} from '../schema/port.ts';
import type { Item, Key } from '../store/port.ts';
import { type NamedBody, namedBody } from './writing/named-body.ts';
import { evaluationStepsMax, RoomForComputed, recordBytesMax } from './writing/record-size.ts';

/** A record's fields and what the platform set, but for `version`, which is the version of the item it lies in. */
export type RecordData = Readonly<Record<string, FieldValue>> & RecordStamps;

export interface StoredRecord {
  readonly key: Key;
  readonly version: number;
  readonly data: RecordData;
}

/** A record's text and its version, as they come from the store. */
export type StoredText = Pick<Item, 'value' | 'version'>;

/** The JSON of a record as replies show it: the stored text and its version, without parsing it. */
export function recordText(item: StoredText): string {
  return `${item.value.slice(0, -1)},"version":${item.version}}`;
}

export function storedText(
  { stored }: StoredEntity,
  { data, version }: Pick<StoredRecord, 'data' | 'version'>,
): StoredText {
  return { value: JSON.stringify(stored.written(data)), version };
}

/** Whose records they are: its fields may have other names than those that stored records have. */
type StoredEntity = Pick<CompiledEntity, 'stored'>;

export function readRecord(entity: StoredEntity, item: Item): StoredRecord {
  return { key: { pk: item.pk, sk: item.sk }, version: item.version, data: dataOf(entity, item) };
}

/** The data of a stored text. It was checked before it was written, and is not checked again: many are read at once. */
export function dataOf({ stored }: StoredEntity, { value }: Pick<Item, 'value'>): RecordData {
  return stored.named(JSON.parse(value) as RecordData);
}

/** The fields of which the record as it is stored has a value from before a conversion alone. */
export function unconvertedFields({ stored }: StoredEntity, { value }: Pick<Item, 'value'>): readonly string[] {
  return stored.conversions.length === 0 ? [] : stored.convertedWhenRead(JSON.parse(value) as RecordData);
}

/** That of a system entity, whose fields always have their names in the store. */
export function systemData({ value }: Pick<Item, 'value'>): RecordData {
  return JSON.parse(value) as RecordData;
}

/**
 * Strong and opaque: it changes with every write of the record, and with what shapes the reply.
 * @param shape what the reply is made by, where it is not the record as it lies in the store.
 */
export function entityTag(version: number, shape = ''): string {
  return shape === '' ? `"${version}"` : `"${version}.${shape}"`;
}

/** That of a reply which shows a record in part, or others beside it. A write may send it in `If-Match` like the record's own. */
export function partTag(version: number, shown: string): string {
  return entityTag(version, hash('sha256', shown, 'base64url').slice(0, 22));
}

/** Whether a tag was given with a record of this version, however it was shown: a write is about the record alone. */
export function isTagOf(version: number, tag: string): boolean {
  return tag === entityTag(version) || (tag.startsWith(`"${version}.`) && tag.endsWith('"'));
}

/** The changes that a body asks for, and all its mistakes; `undefined` clears a field. */
interface ReadFields {
  readonly changes: ReadonlyMap<string, FieldValue | undefined>;
  readonly errors: readonly InputError[];
  /** The body with the names of the fields. */
  readonly body: unknown;
}

/**
 * Reads the body of a create: every field may be sent, none of the platform's. What was left out, never a `null`, is
 * filled by its default, and an owner by the creator of the record.
 */
export function readCreate(entity: CompiledEntity, sent: unknown, creatorId?: string): ReadFields {
  const named = namedBody(entity, sent);
  const { changes, errors, effort } = readBody(entity, named, (name) => refusePlatformField(name));
  for (const field of entity.fields.values()) {
    if (changes.get(field.name) !== undefined) continue;
    const byDefault =
      field.definition.default ?? (isOwnedByCaller(entity.definition, field.name) ? creatorId : undefined);
    if (byDefault !== undefined && !changes.has(field.name)) readField(field, byDefault, { changes, errors, effort });
    else if (field.required && !errors.some(({ pointer }) => `${pointer}/`.startsWith(`/${field.name}/`)))
      errors.push(required(field.name));
  }
  return { changes, errors, body: named.body };
}

/**
 * Reads the body of an update: only what is sent changes, `null` clears; platform fields may stand as they are.
 * @param mayCompare leaves fields out whose values the caller may not learn from the answer.
 */
export function readUpdate(
  entity: CompiledEntity,
  sent: unknown,
  stored: StoredRecord,
  mayCompare: (name: string) => boolean = () => true,
): ReadFields {
  const isStored = (name: string, value: unknown): boolean =>
    mayCompare(name) && isValueOf(entity, stored, { name, value });
  const named = namedBody(entity, sent, isStored);
  const { changes, errors } = readBody(entity, named, (name, value) => {
    const isUnchanged = value === platformValue(stored, name) && mayCompare(name);
    return isUnchanged ? undefined : refusePlatformField(name);
  });
  for (const [name, value] of changes)
    if (value === undefined && entity.fields.get(name)?.required === true) errors.push(required(name));
  return { changes, errors, body: named.body };
}

/** Whether a field of the record has the value that was sent. Encrypted values are not compared. */
function isValueOf(
  entity: CompiledEntity,
  { data }: StoredRecord,
  { name, value }: { readonly name: string; readonly value: unknown },
): boolean {
  const field = entity.fields.get(name);
  if (field === undefined || field.behaviour.isSecret === true) return false;
  if (value === null) return data[name] === undefined && !entity.hasSealed;
  const read = field.behaviour.parse(value);
  return !isValueProblem(read) && isDeepStrictEqual(read.value, data[name]);
}

export function platformValue({ version, data }: StoredRecord, name: string): FieldValue | undefined {
  return name === 'version' ? version : data[name];
}

export function isMadeByPlatform({ fields }: CompiledEntity, name: string): boolean {
  const field = fields.get(name);
  return field === undefined ? isPlatformField(name) : isPlatformMade(field.behaviour);
}

/** The platform's stamps of a record's creation and its last change. */
type RecordStamps = {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly updated_by: string;
};

/**
 * A record of these values: fields in the order of the catalog, so that it reads the same however it came to be, and
 * with what is computed from them. Existing values that the definition does not know stay, unless they are not to be
 * kept: the definition may be an earlier one, and a later one knows them again.
 * @param current the stamps, and of a record that is written again all its current values.
 * @throws Problem `validation_failed` before a computed value is made that the record has no room for.
 */
export function makeRecord(
  entity: CompiledEntity,
  value: (name: string) => FieldValue | undefined,
  current: RecordStamps,
): RecordData {
  const data = computedRecord(entity, value, current);
  const fills = entity.fills.filter(({ isByWriters }) => isByWriters);
  return fills.length === 0 ? data : filledRecord(entity, data, fills);
}

/**
 * An existing record, as formulas and fills of its entity make it now.
 * @throws Problem `validation_failed` where it has no room for a computed value.
 */
export function renewedRecord(entity: CompiledEntity, data: RecordData, fills: CompiledEntity['fills']): RecordData {
  return filledRecord(entity, computedRecord(entity, heldIn(data), data), fills);
}

/** The number of characters and elements that the fills of a record may go through together: about 3 ms. */
const fillStepsMax = 1024 * 1024;

/** A fill must not keep a record from being written: it leaves out what would contradict the record's rules. */
function filledRecord(entity: CompiledEntity, data: RecordData, fills: CompiledEntity['fills']): RecordData {
  const values: Record<string, FieldValue> & RecordData = { ...data };
  let stepsLeft = fillStepsMax;
  for (const { name, value, steps } of fills) {
    if (Object.hasOwn(values, name)) continue;
    stepsLeft -= steps(values);
    const made = stepsLeft < 0 ? undefined : value(values);
    if (made !== undefined) values[name] = made;
  }
  if (Object.keys(values).length === Object.keys(data).length) return data;
  try {
    const filled = computedRecord(entity, heldIn(values), data);
    const hasRoom = Buffer.byteLength(JSON.stringify(entity.stored.written(filled))) <= recordBytesMax;
    return hasRoom && checkRecord(entity, filled).length === 0 ? filled : data;
  } catch (error) {
    if (error instanceof Problem) return data;
    throw error;
  }
}

function heldIn(data: RecordData): (name: string) => FieldValue | undefined {
  return (name) => (Object.hasOwn(data, name) ? data[name] : undefined);
}

function computedRecord(
  entity: CompiledEntity,
  value: (name: string) => FieldValue | undefined,
  current: RecordStamps,
): RecordData {
  const { id, created_at, updated_at, created_by, updated_by } = current;
  const inputs: Record<string, FieldValue | undefined> = { id };
  for (const { name, behaviour } of entity.fields.values())
    if (behaviour.compute === undefined && behaviour.isSecret !== true) inputs[name] = value(name);
  const fields: Record<string, FieldValue> = { id };
  const room = new RoomForComputed();
  for (const { name, behaviour } of entity.fields.values()) {
    const held = behaviour.compute === undefined ? inputs[name] : room.compute(name, behaviour, inputs);
    if (held !== undefined) fields[name] = held;
  }
  const overtaken = entity.stored.overtaken(entity, { before: current, after: fields });
  const isKept = (name: string): boolean => !entity.unkept.includes(name) && !overtaken.has(name);
  for (const [name, held] of Object.entries(current))
    if (!entity.fields.has(name) && !isPlatformField(name) && isKept(name)) fields[name] = held;
  return { ...fields, id, created_at, updated_at, created_by, updated_by };
}

/** The faults of a record as a whole, once its values hold. */
export function checkRecord(entity: CompiledEntity, data: RecordData): readonly InputError[] {
  const steps = entity.checks.reduce((sum, check) => sum + check.steps(data), 0);
  if (steps > evaluationStepsMax)
    return [
      { pointer: '', code: 'too_long', message: 'the values that the checks of the record read are too long together' },
    ];
  return entity.checks.flatMap(({ refuse }) => refuse(data) ?? []);
}

interface RecordReading {
  readonly effort: ReturnType<typeof newCheckEffort>;
  readonly changes: Map<string, FieldValue | undefined>;
  /** No more than a refusal tells of, and an entry that says that there are more. */
  readonly errors: InputError[];
}

function addError({ errors }: RecordReading, error: InputError | undefined): void {
  if (error !== undefined && errors.length <= errorsMax) errors.push(error);
}

function readBody(
  entity: CompiledEntity,
  { body, errors }: NamedBody,
  platformField: (name: string, value: unknown) => InputError | undefined,
): RecordReading {
  const reading: RecordReading = { effort: newCheckEffort(), changes: new Map(), errors: [...errors] };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    addError(reading, { pointer: '', code: 'wrong_type', message: 'a record must be a JSON object' });
    return reading;
  }
  for (const [name, value] of Object.entries(body)) {
    const field = entity.fields.get(name);
    if (field !== undefined && isPlatformMade(field.behaviour)) addError(reading, platformField(name, value));
    else if (field !== undefined) {
      if (value === null) reading.changes.set(name, undefined);
      else readField(field, value, reading);
    } else if (reading.errors.length <= errorsMax) {
      addError(reading, isPlatformField(name) ? platformField(name, value) : unknownField(entity.name, name));
    }
  }
  return reading;
}

function readField(field: CompiledField, input: unknown, reading: RecordReading): void {
  const read = readValue(field.behaviour, field.definition.validate === true, input, reading.effort);
  if ('value' in read) reading.changes.set(field.name, read.value);
  else
    for (const { pointer = '', code, message } of read.problems)
      addError(reading, { pointer: `/${field.name}${pointer}`, code, message: `field \`${field.name}\` ${message}` });
}

function required(name: string): InputError {
  return { pointer: `/${name}`, code: 'required', message: `field \`${name}\` is required` };
}

function refusePlatformField(name: string): InputError {
  return { pointer: `/${name}`, code: 'unknown_field', message: `field \`${name}\` is set by the platform` };
}

export function unknownField(entityName: string, name: string): InputError {
  return {
    pointer: pointerTo(name),
    code: 'unknown_field',
    message: `entity \`${entityName}\` has no field \`${name.slice(0, 100)}\``,
  };
}
