/** What the definition of an entity says of the values of a seed. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../json-object.ts';

/** By the name of the field, or an alias. */
export type FieldTypes = ReadonlyMap<string, string>;

/** @param definition the create config of an entity. */
export function fieldTypes(definition: JsonObject): FieldTypes {
  const fields = Array.isArray(definition.UpdateParams) ? definition.UpdateParams.filter(isObject) : [];
  return new Map(
    fields.flatMap(({ name, aliases, colType }) => {
      const names: readonly unknown[] = [name, ...(Array.isArray(aliases) ? aliases : [])];
      return names.map((each) => [String(each), typeof colType === 'string' ? colType : 'string'] as const);
    }),
  );
}

/** The fields of the only unique index of an entity; undefined if it has none, or several. */
export function onlyUniqueIndex(definition: JsonObject): readonly string[] | undefined {
  const indexes = Array.isArray(definition.UniqueIndexes) ? definition.UniqueIndexes.filter(isObject) : [];
  const [index] = indexes;
  return indexes.length === 1 && Array.isArray(index?.fields) ? index.fields.map(String) : undefined;
}

/** The value of a cell. A text that is no value of the type is left to the platform, which says what is wrong. */
export function cellValue(type: string | undefined, cell: string): unknown {
  if (type === 'number' || type === 'integer') {
    const value = Number(cell);
    return cell.trim() === '' || !Number.isFinite(value) ? cell : value;
  }
  if (type === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : cell;
  if (type !== 'array' && type !== 'json') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Whether a record has what a seed says, in any of the ways in which the type can be written. */
export function hasValue(type: string | undefined, given: unknown, stored: unknown): boolean {
  // No reply holds an encrypted value, so a seed sets it once.
  if (type === 'encrypted') return true;
  if (given === null) return stored === undefined || stored === null;
  if (typeof given === 'string' && typeof stored === 'string') {
    if (type === 'datetime') return Date.parse(given) === Date.parse(stored);
    if (type === 'guid') return given.toLowerCase() === stored.toLowerCase();
  }
  return isDeepStrictEqual(given, stored);
}
