import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../lib/problem.ts';
import { sentinelKey } from '../records/port.ts';
import type { CompiledUnique } from '../schema/port.ts';
import { type CompiledEntity, type FieldValue, isPlatformMade, readValue } from '../schema/port.ts';
import type { Key } from '../store/port.ts';

/** The unique index that rows are to find their records by. @throws Problem `invalid_request`. */
export function upsertIndex(entity: CompiledEntity, name: string): CompiledUnique {
  const unique = entity.uniques.find((one) => one.name === name && !one.isErasing);
  const shown = name.slice(0, 100);
  if (unique === undefined) throw refusal(`entity \`${entity.name}\` has no unique index \`${shown}\``);
  if (!unique.isReady) throw refusal(`the unique index \`${shown}\` is still being built: try again in a moment`);
  const made = unique.fields.find(({ field }) => {
    const compiled = entity.fields.get(field);
    return compiled !== undefined && isPlatformMade(compiled.behaviour);
  });
  if (made !== undefined)
    throw refusal(`the platform itself sets \`${made.field}\` of the unique index \`${shown}\`, so no row can name it`);
  return unique;
}

function refusal(message: string): Problem {
  return new Problem('invalid_request', message, { errors: [{ pointer: '/upsert', code: 'invalid_upsert', message }] });
}

/** Where the index notes which record has the values of a row; undefined where the row does not have all of them. */
export function upsertKey(entity: CompiledEntity, unique: CompiledUnique, body: unknown): Key | undefined {
  const values: Record<string, FieldValue> = {};
  for (const { field } of unique.fields) {
    const input = memberOf(body, field);
    const read = input === undefined ? undefined : readField(entity, field, input);
    if (read !== undefined) values[field] = read;
  }
  return sentinelKey(unique, values);
}

/** What is wrong with a row that leaves out what it would be found by. */
export function missingValues(unique: CompiledUnique, body: unknown): readonly InputError[] {
  const missing = unique.fields.filter(({ field }) => memberOf(body, field) === undefined);
  return missing.map(({ field }) => ({
    pointer: `/${field}`,
    code: 'required',
    message: `field \`${field}\` is required, because \`${unique.name}\` finds the record by it`,
  }));
}

/** A `null` says as little as what is left out. */
function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return (body as Readonly<Record<string, unknown>>)[name] ?? undefined;
}

function readField(entity: CompiledEntity, name: string, input: unknown): FieldValue | undefined {
  const field = entity.fields.get(name);
  const read = field === undefined ? undefined : readValue(field.behaviour, false, input);
  return read !== undefined && 'value' in read ? read.value : undefined;
}
