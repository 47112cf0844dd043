/** Which stored records may have values that a definition refuses, for an engine that leaves out all others. */
import type { JsonSchema } from '../../lib/json-schema.ts';
import type { MemberPath, MemberValue, Where } from '../../lib/where.ts';
import {
  allOfBounds,
  anyOfBounds,
  exactly,
  notBounds,
  unknownBounds,
  type WhereBounds,
} from '../../lib/where-bounds.ts';
import { type CompiledEntity, type CompiledField, isFilled, isLookupList, lookupOf } from '../../schema/port.ts';
import { storedMember } from './stored-member.ts';

/** Holds of each record that has a value of one of the fields. */
export function holdingAny(entity: CompiledEntity, names: readonly string[]): Where {
  return anyOfBounds(names.map((name) => presentBounds(entity, name))).above;
}

/** Holds of each record that one of the fields refuses, by its value or since it has none. */
export function refusedByAny(entity: CompiledEntity, names: readonly string[]): Where {
  const fields = names.flatMap((name) => entity.fields.get(name) ?? []);
  return anyOfBounds(fields.map((field) => refusedBounds(entity, field))).above;
}

function refusedBounds(entity: CompiledEntity, field: CompiledField): WhereBounds {
  const path = storedMember(entity, field.name);
  if (path === undefined) return unknownBounds;
  const isRefused = notBounds(takenBounds(field, path));
  const isNeeded = field.required && !isFilled(entity.definition, field.definition);
  return isNeeded ? isRefused : allOfBounds([presentBounds(entity, field.name), isRefused]);
}

function presentBounds(entity: CompiledEntity, name: string): WhereBounds {
  const path = storedMember(entity, name);
  return path === undefined ? unknownBounds : exactly({ kind: 'present', path });
}

/** The values that the field takes by its schema, and no others, where trees say what the schema does. */
function takenBounds({ definition, behaviour }: CompiledField, path: MemberPath): WhereBounds {
  if (lookupOf(definition) !== undefined || isLookupList(definition)) return unknownBounds;
  return behaviour.compute === undefined ? schemaBounds(behaviour.schema, path) : unknownBounds;
}

function schemaBounds(schema: JsonSchema, path: MemberPath): WhereBounds {
  const { type, minimum, maximum, enum: values, format, pattern, maxLength, ...others } = schema;
  if (Object.keys(others).length > 0) return unknownBounds;
  if (type === 'number' || type === 'integer') {
    const compare = (operator: 'gte' | 'lte', value: unknown): WhereBounds =>
      typeof value === 'number' ? exactly({ kind: 'compare', path, type, operator, value }) : unknownBounds;
    return allOfBounds([compare('gte', minimum), compare('lte', maximum)]);
  }
  if (type === 'boolean') return exactly({ kind: 'exists', path, type });
  if (type !== 'string') return unknownBounds;
  if (Array.isArray(values))
    return exactly({ kind: 'in', path, type: 'text', values: values as readonly MemberValue[] });
  const isAnyText = [format, pattern, maxLength].every((hint) => hint === undefined);
  const known = isAnyText ? 'text' : timesByFormat.get(format);
  return known === undefined ? unknownBounds : exactly({ kind: 'exists', path, type: known });
}

/** A text of this form is the only one of its day or time. */
const timesByFormat: ReadonlyMap<unknown, 'date' | 'datetime'> = new Map([
  ['date', 'date'],
  ['date-time', 'datetime'],
]);
