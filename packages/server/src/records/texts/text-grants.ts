import type { CompiledEntity } from '../../schema/port.ts';
import { type Filter, meetsAll } from '../listing/filter.ts';
import { dataOf } from '../record.ts';
import type { RecordGrant, RecordPolicy } from '../record-policy.ts';
import { membersReader } from './stored-member.ts';

/** What a caller has of records, by the few fields of their texts on which it depends. */
export interface TextGrants {
  /** Undefined where the text does not tell, so that the whole record has to be judged. */
  of(text: string): RecordGrant | 'none' | undefined;
  /** What was not taken because an earlier record had the same values: a list ends where it would have ended with it. */
  stepsSaved(): number;
}

/** Whether a record meets some filters, by its text alone. Undefined where the text does not tell. */
export type TextFilters = (text: string) => boolean | undefined;

/** How many values are remembered: a list has few owners, or too many to be worth it. */
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
