import { createHash } from 'node:crypto';
import type {
  CompiledEntity,
  CompiledIndex,
  CompiledIndexes,
  CompiledSearch,
  CompiledUnique,
  EncodedField,
  FieldValue,
  FieldValues,
} from '../../schema/port.ts';
import { escapeKeyValue, indexSortKey } from '../../schema/port.ts';
import type { Key } from '../../store/port.ts';
import type { RecordData } from '../record.ts';
import { searchTerms } from '../search/words.ts';

/** Every index item that a record has: derived from the record alone, so that it can be made again and checked. */
export function indexEntries(entity: CompiledEntity, data: RecordData): readonly Key[] {
  return [...idEntries(entity, data), ...entriesIn(entity, data, ({ isErasing }) => !isErasing)];
}

/** The same, and those of indexes that are being erased. */
export function indexEntriesEver(entity: CompiledEntity, data: RecordData): readonly Key[] {
  return [...idEntries(entity, data), ...entriesIn(entity, data)];
}

function idEntries(entity: CompiledEntity, data: RecordData): readonly Key[] {
  return entity.directSortPrefix === undefined ? [{ pk: entity.idIndexPk, sk: data.id }] : [];
}

/** A record's entries in some indexes. */
export function entriesIn(
  { indexes, searches }: Pick<CompiledIndexes, 'indexes' | 'searches'>,
  data: RecordData,
  isAsked: (index: CompiledIndex | CompiledSearch) => boolean = () => true,
): readonly Key[] {
  const keys: Key[] = [];
  for (const index of indexes) {
    const entry = isAsked(index) ? indexEntry(index, data) : undefined;
    if (entry !== undefined) keys.push(entry);
  }
  for (const search of searches) if (isAsked(search)) keys.push(...searchEntries(search, data));
  return keys;
}

function indexEntry(index: CompiledIndex, data: RecordData): Key | undefined {
  const pk = index.group === undefined ? index.pk : ownPartition(index, index.group, data);
  if (pk === undefined) return undefined;
  if (index.order === undefined) return { pk, sk: data.id };
  const value = data[index.order.field];
  return { pk, sk: indexSortKey(value === undefined ? undefined : index.order.encode(value), data.id) };
}

function ownPartition(index: CompiledIndex, group: EncodedField, data: RecordData): string | undefined {
  const value = data[group.field];
  // A value that an older definition left, of another type, stands for nothing here.
  return value === undefined || group.encode(value) === undefined ? undefined : groupPartition(index, value);
}

/** The partition of the records with this value; undefined where the value can stand in no key. */
export function groupPartition(index: Pick<CompiledIndex, 'pk'>, value: FieldValue | undefined): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = escapeKeyValue(String(value));
  if (text === '') return undefined;
  return `${index.pk};${Buffer.byteLength(text) <= groupBytesMax ? text : digestOf(text)}`;
}

const groupBytesMax = 400;

/** An escaped value has two hexadecimal digits behind each `%`, so it is never taken for a digest. */
function digestOf(text: string): string {
  return `%~${createHash('sha256').update(text).digest('base64url')}`;
}

function searchEntries(search: CompiledSearch, data: RecordData): readonly Key[] {
  return termsOf(search.fields, data).map((term) => ({ pk: search.pk, sk: indexSortKey(term, data.id) }));
}

/** The words of a record by which it is found. */
export function termsOf(fields: readonly string[], data: RecordData): readonly string[] {
  return searchTerms(fields.map((field) => data[field]).filter((value) => value !== undefined));
}

/** Where a unique index notes who has these values; undefined for a record that lacks one of them, which is exempt. */
export function sentinelKey(unique: CompiledUnique, data: FieldValues): Key | undefined {
  const tuple: string[] = [];
  for (const { field, encode } of unique.fields) {
    const value = data[field];
    const encoded = value === undefined ? undefined : encode(value);
    if (encoded === undefined) return undefined;
    tuple.push(unique.ignoreCase ? foldAscii(encoded) : encoded);
  }
  return { pk: unique.pk, sk: createHash('sha256').update(JSON.stringify(tuple)).digest('base64url') };
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
