import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import type { Item, Key } from '../store/port.ts';
import type { CompiledEntity, CompiledField } from './compile-entity.ts';
import { isPlatformField } from './definition.ts';
import { type FieldValue, isValueProblem } from './field-types/field-type.ts';

/** A record's fields and what the platform set, but for `version`, which is the version of the item it lies in. */
export type RecordData = Readonly<Record<string, FieldValue>> & { readonly id: string };

/** A record as it lies in the store. */
export interface StoredRecord {
  readonly key: Key;
  readonly version: number;
  readonly data: RecordData;
}

/** The JSON of a record as every reply shows it: the stored text and its version, without parsing it. */
export function recordText(item: Pick<Item, 'value' | 'version'>): string {
  return `${item.value.slice(0, -1)},"version":${item.version}}`;
}

export function readRecord(item: Item): StoredRecord {
  return { key: { pk: item.pk, sk: item.sk }, version: item.version, data: JSON.parse(item.value) as RecordData };
}

/** Strong and opaque: it changes with every write of the record. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

export type FieldChanges = ReadonlyMap<string, FieldValue | undefined>;
export type ReadFields = { readonly changes: FieldChanges } | { readonly errors: readonly InputError[] };

/** Reads the body of a create: every field may be sent, none of the platform's. Defaults fill what was left out, never a `null`. */
export function readCreate(entity: CompiledEntity, body: unknown): ReadFields {
  const { changes, errors } = readBody(entity, body, (name) => refusePlatformField(name));
  for (const field of entity.fields.values()) {
    if (changes.get(field.name) !== undefined) continue;
    const byDefault = field.definition.default;
    if (byDefault !== undefined && !changes.has(field.name)) readField(field, byDefault, { changes, errors });
    else if (field.required && !errors.some((error) => error.pointer === `/${field.name}`))
      errors.push(required(field.name));
  }
  return errors.length > 0 ? { errors } : { changes };
}

/** Reads the body of an update: only what is sent changes, `null` clears; platform fields may stand as they are. */
export function readUpdate(entity: CompiledEntity, body: unknown, stored: StoredRecord): ReadFields {
  const { changes, errors } = readBody(entity, body, (name, value) => {
    const stands = name === 'version' ? stored.version : stored.data[name];
    return value === stands ? undefined : refusePlatformField(name);
  });
  for (const [name, value] of changes)
    if (value === undefined && entity.fields.get(name)?.required === true) errors.push(required(name));
  return errors.length > 0 ? { errors } : { changes };
}

interface Reading {
  readonly changes: Map<string, FieldValue | undefined>;
  readonly errors: InputError[];
}

function readBody(
  entity: CompiledEntity,
  body: unknown,
  platformField: (name: string, value: unknown) => InputError | undefined,
): Reading {
  const reading: Reading = { changes: new Map(), errors: [] };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    reading.errors.push({ pointer: '', code: 'wrong_type', message: 'a record is a JSON object' });
    return reading;
  }
  for (const [name, value] of Object.entries(body)) {
    const field = entity.fields.get(name);
    if (field !== undefined) {
      if (value === null) reading.changes.set(name, undefined);
      else readField(field, value, reading);
      continue;
    }
    const error = isPlatformField(name) ? platformField(name, value) : unknownField(entity.name, name);
    if (error !== undefined) reading.errors.push(error);
  }
  return reading;
}

function readField(field: CompiledField, input: unknown, reading: Reading): void {
  const parsed = field.behaviour.parse(input);
  const problem = isValueProblem(parsed)
    ? parsed
    : field.definition.validate === true
      ? field.behaviour.check?.(parsed.value)
      : undefined;
  if (problem !== undefined) {
    const message = `field \`${field.name}\` ${problem.message}`;
    reading.errors.push({ pointer: `/${field.name}`, code: problem.code, message });
  } else if (!isValueProblem(parsed)) reading.changes.set(field.name, parsed.value);
}

function required(name: string): InputError {
  return { pointer: `/${name}`, code: 'required', message: `field \`${name}\` is required` };
}

function refusePlatformField(name: string): InputError {
  return { pointer: `/${name}`, code: 'unknown_field', message: `field \`${name}\` is set by the platform` };
}

function unknownField(entityName: string, name: string): InputError {
  return {
    pointer: pointerTo(name),
    code: 'unknown_field',
    message: `entity \`${entityName}\` has no field \`${name.slice(0, 100)}\``,
  };
}
