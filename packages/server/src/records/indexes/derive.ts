import { createHash } from 'node:crypto';
import {
  type CompiledEntity,
  elementIds,
  escapeKeyValue,
  type FieldValue,
  indexSortKey,
  keyOrder,
} from '../../schema/port.ts';
import type { Key } from '../../store/port.ts';
import type { RecordData } from '../record.ts';
import { searchTerms } from '../search/words.ts';

export type CompiledIndexes = Pick<CompiledEntity, 'indexes' | 'searches' | 'uniques' | 'compounds' | 'aggregates'>;
export type CompiledIndex = CompiledEntity['indexes'][number];
export type CompiledSearch = CompiledEntity['searches'][number];
export type CompiledUnique = CompiledEntity['uniques'][number];
export type CompiledCompound = CompiledEntity['compounds'][number];

/** Whose records the rows follow from: an entity, or without `idIndexPk` some of its indexes alone. */
export type Deriving = CompiledIndexes &
  Pick<CompiledEntity, 'name'> &
  Partial<Pick<CompiledEntity, 'idIndexPk' | 'directSortPrefix'>>;

/** The rows that a record has beside it. */
export interface Derived {
  /** Index items, each of which points to the record. */
  readonly entries: readonly Key[];
  /** Rows of unique indexes, each of which holds the id of the record. */
  readonly sentinels: readonly Sentinel[];
  /** The place of the sealed values of the record, if it has some. */
  readonly sealed: Key;
  readonly counter: Key;
}

export interface Sentinel {
  readonly unique: CompiledUnique;
  readonly key: Key;
  /** Of the record that has the values. */
  readonly id: string;
}

/**
 * Everything that follows from a record. It follows from the record alone, so writes, index builds, removals and
 * verification agree on it.
 * @param isAsked leaves indexes out.
 */
export function derive(
  { name, indexes, searches, uniques, compounds, idIndexPk, directSortPrefix }: Deriving,
  data: RecordData,
  isWanted: (index: CompiledIndex | CompiledCompound | CompiledSearch | CompiledUnique) => boolean = () => true,
): Derived {
  const entries: Key[] = [];
  if (idIndexPk !== undefined && directSortPrefix === undefined) entries.push({ pk: idIndexPk, sk: data.id });
  for (const index of indexes) {
    if (!isWanted(index)) continue;
    if (index.kind === 'elements') entries.push(...elementEntries(index, data));
    else entries.push(...indexEntry(index, data));
  }
  for (const compound of compounds) if (isWanted(compound)) entries.push(compoundEntry(compound, data));
  for (const search of searches) if (isWanted(search)) entries.push(...searchEntries(search, data));
  const sentinels: Sentinel[] = [];
  for (const unique of uniques) {
    const key = isWanted(unique) ? sentinelKey(unique, data) : undefined;
    if (key !== undefined) sentinels.push({ unique, key, id: data.id });
  }
  return { entries, sentinels, sealed: sealedKey(name, data.id), counter: recordCounter(name) };
}

/** The key of a record's sealed values, out of every range that is listed. */
export function sealedKey(entityName: string, id: string): Key {
  return { pk: `sealed#${entityName}`, sk: id };
}

/** The counter of an entity's records in a workspace, moved in each record's own commit. */
export function recordCounter(entityName: string): Key {
  return { pk: 'count', sk: entityName };
}

/** One, or none where the record is in no partition of the index. */
function indexEntry(index: CompiledIndex, data: RecordData): readonly Key[] {
  const pk = index.group === undefined ? index.pk : ownPartition(index, index.group, data);
  if (pk === undefined) return [];
  if (index.order === undefined) return [{ pk, sk: data.id }];
  const value = data[index.order.field];
  return [{ pk, sk: indexSortKey(value === undefined ? undefined : index.order.encode(value), data.id) }];
}

/** An element that is in the array twice has one entry. */
function elementEntries({ pk, order }: CompiledIndex, data: RecordData): readonly Key[] {
  if (order === undefined) return [];
  const sks = elementIds(data[order.field]).map((element) => indexSortKey(order.encode(element), data.id));
  return [...new Set(sks)].map((sk) => ({ pk, sk }));
}

function compoundEntry({ pk, fields }: CompiledCompound, data: RecordData): Key {
  const parts = fields.map((part) => {
    const value = data[part.field];
    return keyOrder.tuplePart(value === undefined ? undefined : part.encode(value), part);
  });
  return { pk, sk: parts.join('') + data.id };
}

function ownPartition(
  index: CompiledIndex,
  group: NonNullable<CompiledIndex['group']>,
  data: RecordData,
): string | undefined {
  const value = data[group.field];
  // A value that an older definition left, of another type, counts as none here.
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

export function termsOf(fields: readonly string[], data: RecordData): readonly string[] {
  return searchTerms(fields.map((field) => data[field]).filter((value) => value !== undefined));
}

/** A unique index's key for the holder of these values; undefined if a value is missing, which exempts the record. */
export function sentinelKey(unique: CompiledUnique, data: Partial<RecordData>): Key | undefined {
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
