import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { LookupMember, Projection } from '../../schema/port.ts';
import type { StoredRecord } from '../record.ts';
import { type FieldNames, isReadable } from '../record-policy.ts';

/** A record to be shown, and which of its fields are the reader's; undefined is every field. */
export interface ShownRecord extends Pick<StoredRecord, 'data' | 'version'> {
  readonly fields?: FieldNames | undefined;
}

/** What of a view shows fields that are the reader's. */
function readableMembers(projection: Projection, fields: FieldNames | undefined): Projection {
  return fields === undefined ? projection : projection.filter(({ field }) => isReadable(fields, field));
}

/** Where the records come from that lookups point to. */
export interface LookupSource {
  /** Those that there are and that the caller may get, in any order, and the ids of those for which there was no room any more. */
  fetch(entityName: string, ids: readonly string[]): Promise<readonly (ShownRecord | UnreadRecord)[]>;
  /** Whether the caller may get the record, as far as that is known before it is read. */
  mayRead(entityName: string, id: string): MaybePromise<boolean>;
  /** Undefined where there is no such entity. */
  projection(entityName: string, view: string): Promise<Projection | undefined>;
}

/** A record that was not looked for. */
export interface UnreadRecord {
  readonly id: string;
}

/** A record, as others refer to it. */
export interface RecordName {
  readonly entity: string;
  readonly id: string;
}

/** What came of looking for records, by `recordPlace`; undefined where there is none that the caller may get. */
export type FoundRecords = Map<string, Found>;

/** A record and how it is shown. */
export interface Shown {
  readonly record: ShownRecord;
  readonly projection: Projection;
}

/** What the field of a lookup points to. */
interface Reference {
  readonly member: LookupMember;
  readonly id: string;
}

/** What a reference shows; undefined where that is nothing. */
export type Lookups = (reference: Reference) => Shown | 'unread' | undefined;

type Found = ShownRecord | 'unread' | undefined;

/** How many lookups may follow one another: records that point to one another must come to an end. */
export const depthMax = 2;

/** Reads level by level: at once all that the records of one level point to in an entity, and nothing twice. */
export async function loadLookups(first: readonly Shown[], source: LookupSource): Promise<Lookups> {
  const records: FoundRecords = new Map();
  const found = new Map<string, Shown | 'unread' | undefined>();
  const projectionOf = remembered(source);
  let level = first;
  for (let depth = 0; depth < depthMax; depth++) {
    const references = level.flatMap(referencesOf);
    await readRecords(
      references.map(({ member, id }) => ({ entity: member.entity, id })),
      records,
      source,
    );
    const next: Shown[] = [];
    for (const reference of references) {
      const place = lookupKey(reference);
      if (found.has(place)) continue;
      const record = records.get(recordPlace({ entity: reference.member.entity, id: reference.id }));
      if (record === 'unread') {
        found.set(place, record);
        continue;
      }
      const projection = record === undefined ? undefined : await projectionOf(reference.member);
      const shown = record === undefined || projection === undefined ? undefined : shownBy(record, projection);
      found.set(place, shown);
      if (shown !== undefined) next.push(shown);
    }
    level = next;
  }
  return (reference) => found.get(lookupKey(reference));
}

/** A record by as much of a view as its reader may see. */
export function shownBy(record: ShownRecord, projection: Projection): Shown {
  return { record, projection: readableMembers(projection, record.fields) };
}

/** Undefined where the field is empty, or holds no id, as an older definition may have let it. */
export function referenceOf(member: LookupMember, { data }: ShownRecord): Reference | undefined {
  const id = data[member.field];
  return typeof id === 'string' ? { member, id } : undefined;
}

export function lookupKey({ member, id }: Reference): string {
  return JSON.stringify([member.entity, member.view, id]);
}

export function recordPlace({ entity, id }: RecordName): string {
  return JSON.stringify([entity, id]);
}

function referencesOf({ record, projection }: Shown): readonly Reference[] {
  return projection.flatMap((member) => ('entity' in member ? (referenceOf(member, record) ?? []) : []));
}

/** Reads those that were not looked for before: at once all of an entity, and nothing twice. */
export async function readRecords(
  names: readonly RecordName[],
  records: FoundRecords,
  source: Pick<LookupSource, 'fetch' | 'mayRead'>,
): Promise<void> {
  const wanted = new Map<string, string[]>();
  for (const { entity, id } of names) {
    const place = recordPlace({ entity, id });
    if (records.has(place)) continue;
    records.set(place, undefined);
    if (!(await source.mayRead(entity, id))) continue;
    const ids = wanted.get(entity) ?? [];
    wanted.set(entity, ids);
    ids.push(id);
  }
  // One after the other: they share the room that there is.
  for (const [entity, ids] of wanted)
    for (const one of await source.fetch(entity, ids))
      if ('data' in one) records.set(recordPlace({ entity, id: one.data.id }), one);
      else records.set(recordPlace({ entity, id: one.id }), 'unread');
}

function remembered(source: LookupSource): (member: LookupMember) => Promise<Projection | undefined> {
  const projections = new Map<string, Promise<Projection | undefined>>();
  return ({ entity, view }) => {
    const key = JSON.stringify([entity, view]);
    const projection = projections.get(key) ?? source.projection(entity, view);
    projections.set(key, projection);
    return projection;
  };
}
