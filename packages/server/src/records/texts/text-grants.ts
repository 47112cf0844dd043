import type { CompiledEntity } from '../../schema/port.ts';
import { type Filter, meetsAll } from '../listing/filter.ts';
import { dataOf } from '../record.ts';
import type { RecordGrant, RecordPolicy } from '../record-policy.ts';

/** The caller's grants on records, by the few fields of their texts on which they depend. */
export interface TextGrants {
  /** Undefined where the text does not tell, so that the whole record has to be judged. */
  of(text: string): RecordGrant | 'none' | undefined;
  /** Steps saved since an earlier record had the same values: a list ends where it would have ended with them. */
  stepsSaved(): number;
}

/** Whether a record meets some filters, by its text alone. Undefined where the text does not tell. */
export type TextFilters = (text: string) => boolean | undefined;

/** The number of values that are remembered: a list has few owners, or too many to be worth it. */
const rememberedMax = 64;

/**
 * Undefined where records are judged by more than a few fields, or are not stored as they are judged.
 * @param filters what every record meets that is the caller's, by fields that the policy reads.
 */
export function textGrants(
  entity: CompiledEntity,
  rows: RecordPolicy,
  filters: readonly Filter[],
): TextGrants | undefined {
  const names = rows.reads?.();
  if (names === undefined || names.some((name) => entity.hidden.includes(name))) return undefined;
  if (!filters.every(({ field }) => names.includes(field))) return undefined;
  const read = plainReader(entity, names);
  let saved = 0;
  const grantOf = remembering((members) => {
    const data = dataOf(entity, { value: members });
    const before = rows.steps();
    const grant: RecordGrant | 'none' = (meetsAll(filters, data) ? rows.judge(data) : undefined) ?? 'none';
    return { grant, steps: rows.steps() - before };
  });
  return (
    read && {
      of: (text) => {
        const members = read(text);
        if (members === undefined) return undefined;
        const { known, made } = grantOf(members);
        if (!made) saved += known.steps;
        return known.grant;
      },
      stepsSaved: () => saved,
    }
  );
}

/** Undefined where records are not stored as they are filtered. */
export function textFilters(entity: CompiledEntity, filters: readonly Filter[]): TextFilters | undefined {
  const read = plainReader(entity, [...new Set(filters.map(({ field }) => field))]);
  const meets = remembering((members) => meetsAll(filters, dataOf(entity, { value: members })));
  return (
    read &&
    ((text) => {
      const members = read(text);
      return members === undefined ? undefined : meets(members).known;
    })
  );
}

const readsMax = 4;

function plainReader(
  { stored }: CompiledEntity,
  names: readonly string[],
): ReturnType<typeof membersReader> | undefined {
  return names.length > readsMax || stored.areOther ? undefined : membersReader(names);
}

/** Makes again what was forgotten. */
function remembering<T>(make: (text: string) => T): (text: string) => { readonly known: T; readonly made: boolean } {
  const remembered = new Map<string, { readonly known: T; readonly made: false }>();
  return (text) => {
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const known = make(text);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(text, { known, made: false });
    return { known, made: true };
  };
}

// Reads single members of stored texts, which `JSON.stringify` wrote, without reading the others.

/**
 * Gives the JSON of a member as it is in the text of a record. Undefined where it is no string without escapes, no
 * number and no boolean, and where it is not certain that a member of this name is the record's own.
 */
type MemberReader = (text: string) => string | undefined;

export function memberReader(name: string): MemberReader {
  // A quote within a string is escaped, so none is behind a comma there; the first member of a record is its id.
  const start = `,${JSON.stringify(name)}:`;
  return (text) => {
    const place = placeOf(text, start);
    return place === -1 ? undefined : scalarAt(text, place + start.length);
  };
}

/** Gives a JSON object of some members, as they stand in the text of a record. Undefined as soon as one of them is. */
export function membersReader(names: readonly string[]): MemberReader {
  const readers = names.map((name) => ({ start: `${JSON.stringify(name)}:`, read: memberReader(name) }));
  return (text) => {
    if (text.length > textLengthMax) return undefined;
    let members = '';
    for (const { start, read } of readers) {
      const value = read(text);
      if (value === undefined) return undefined;
      members += (members === '' ? '{' : ',') + start + value;
    }
    return members === '' ? '{}' : `${members}}`;
  };
}

/** A longer text is not searched: where it does not tell, it has to be parsed all the same, and that takes long enough. */
const textLengthMax = 4096;

/** The place of a member of the record itself: before the first object within it, or behind the last. */
function placeOf(text: string, start: string): number {
  const place = text.indexOf(start);
  if (place === -1) return -1;
  const inner = text.indexOf('{', 1);
  if (inner === -1 || place < inner) return place;
  return text.indexOf(start, text.lastIndexOf('}', text.length - 2) + 1);
}

const quote = 0x22;
const backslash = 0x5c;

function scalarAt(text: string, at: number): string | undefined {
  if (text.charCodeAt(at) === quote) {
    const end = text.indexOf('"', at + 1);
    const isPlain = end !== -1 && text.charCodeAt(end - 1) !== backslash;
    return isPlain ? text.slice(at, end + 1) : undefined;
  }
  const [scalar] = text.slice(at, at + scalarCharactersMax).match(/^(?:true|false|-?\d[\d.eE+-]*)(?=[,}])/) ?? [];
  return scalar;
}

/** Longer than any number that is written with 17 digits and an exponent. */
const scalarCharactersMax = 40;
