/** What the definition of an entity says of the values of a seed. */
import { isDeepStrictEqual } from 'node:util';
import { integerText, numberText, readInstant } from '@freehold/contract/value-texts';
import { isObject, type JsonObject } from '../json-object.ts';

export interface SeedType {
  readonly colType: string;
  /** Of the elements of an array. */
  readonly items?: string;
}

/** By the name of the field, or an alias. */
export type FieldTypes = ReadonlyMap<string, SeedType>;

/** @param definition the create config of an entity. */
export function fieldTypes(definition: JsonObject): FieldTypes {
  const fields = Array.isArray(definition.UpdateParams) ? definition.UpdateParams.filter(isObject) : [];
  return new Map(
    fields.flatMap(({ name, aliases, colType, items }) => {
      const names: readonly unknown[] = [name, ...(Array.isArray(aliases) ? aliases : [])];
      const type = { colType: typeOf(colType), items: typeOf(isObject(items) ? items.colType : undefined) };
      return names.map((each) => [String(each), type] as const);
    }),
  );
}

function typeOf(colType: unknown): string {
  return typeof colType === 'string' ? colType : 'string';
}

/** The fields of the only unique index of an entity; undefined if it has none, or several. */
export function onlyUniqueIndex(definition: JsonObject): readonly string[] | undefined {
  const indexes = Array.isArray(definition.UniqueIndexes) ? definition.UniqueIndexes.filter(isObject) : [];
  const [index] = indexes;
  return indexes.length === 1 && Array.isArray(index?.fields) ? index.fields.map(String) : undefined;
}

/** Whether a unique index says of these fields, and no others, that the case of their letters does not count. */
export function ignoresCase(definition: JsonObject, key: readonly string[]): boolean {
  const indexes = Array.isArray(definition.UniqueIndexes) ? definition.UniqueIndexes.filter(isObject) : [];
  return indexes.some(
    ({ fields, ignoreCase }) =>
      ignoreCase === true && Array.isArray(fields) && fields.toSorted().join() === key.toSorted().join(),
  );
}

/** The value of a cell. A text that is no value of the type is left to the platform, which says what is wrong. */
export function cellValue(type: SeedType | undefined, cell: string): unknown {
  switch (type?.colType) {
    case 'number':
      return numberText.test(cell) && Number.isFinite(Number(cell)) ? Number(cell) : cell;
    case 'integer':
      return integerText.test(cell) ? Number(cell) : cell;
    case 'boolean':
      // Spreadsheets write them in capitals.
      return /^(true|TRUE)$/.test(cell) ? true : /^(false|FALSE)$/.test(cell) ? false : cell;
    case 'array':
    case 'json':
      return jsonOf(cell);
    default:
      return cell;
  }
}

function jsonOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Whether a record has what a seed says, in any of the ways in which the type can be written. */
export function hasValue(type: SeedType | undefined, given: unknown, stored: unknown): boolean {
  // No reply holds an encrypted value, so a seed sets it once.
  if (type?.colType === 'encrypted') return true;
  if (given === null) return stored === undefined || stored === null;
  return isDeepStrictEqual(asStored(type, given), stored);
}

/** A value as the platform keeps it, which has one way to write each. */
function asStored(type: SeedType | undefined, given: unknown): unknown {
  if (Array.isArray(given) && type?.colType === 'array')
    return given.map((element) => asStored({ colType: type.items ?? 'string' }, element));
  if (typeof given === 'string' && type?.colType === 'datetime') return readInstant(given) ?? given;
  if (typeof given === 'string' && type?.colType === 'guid') return given.toLowerCase();
  // JSON has one zero.
  return JSON.parse(JSON.stringify(given));
}
