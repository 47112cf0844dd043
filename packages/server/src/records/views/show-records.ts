import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Projection } from '../../schema/port.ts';
import type { StoredRecord } from '../record.ts';
import { type FieldNames, isReadable } from '../record-policy.ts';

type Member = Projection[number];
type LookupMember = Extract<Member, { readonly entity: string }>;

/** The amount that one reply may yet read and write of records beside those that were asked for, in characters. */
export interface ReplyRoom {
  read: number;
  /** A record to which many others point is written with each of them. */
  written: number;
}

const charactersMax = 4 * 1024 * 1024;

export function newRoom(): ReplyRoom {
  return { read: charactersMax, written: charactersMax };
}

/** Whether there is room to write so much, which is taken then. */
export function takeWritten(room: ReplyRoom, characters: number): boolean {
  if (characters > room.written) return false;
  room.written -= characters;
  return true;
}

/**
 * The JSON texts of records by a view. A lookup whose record is gone, or is not the caller's to get, shows `null`; a
 * record that lies too deep, or for which there is no room left in the reply, shows the id alone.
 */
export async function showRecords(
  records: readonly ShownRecord[],
  projection: Projection,
  source: LookupSource & { readonly room?: ReplyRoom },
): Promise<readonly string[]> {
  const { room = newRoom() } = source;
  const shown = records.map((record) => shownBy(record, projection));
  const write = createWriter(await loadLookups(shown, source), room);
  return shown.map((one) => write(one, 0));
}

/** Writes a record with all that it looks up, `depth` lookups below the records that were asked for. */
function createWriter(lookups: Lookups, room: ReplyRoom): (shown: Shown, depth: number) => string {
  const written = new Map<string, string>();

  const writeRecord = ({ record, projection }: Shown, depth: number): string => {
    const members = projection.flatMap((member) => {
      const text = writeMember(member, record, depth);
      return text === undefined ? [] : [`${JSON.stringify(member.as)}:${text}`];
    });
    return `{${members.join(',')}}`;
  };

  const writeMember = (member: Member, record: ShownRecord, depth: number): string | undefined => {
    if ('entity' in member) return writeLookup(member, record, depth);
    const value = member.read(record);
    return value === undefined ? undefined : JSON.stringify(value);
  };

  const writeLookup = (member: LookupMember, record: ShownRecord, depth: number): string | undefined => {
    const reference = referenceOf(member, record);
    if (reference === undefined) return undefined;
    const idAlone = JSON.stringify({ id: reference.id });
    if (depth === depthMax) return idAlone;
    const shown = lookups(reference);
    if (shown === undefined) return 'null';
    if (shown === 'unread') return idAlone;
    const place = `${depth} ${lookupKey(reference)}`;
    const text = written.get(place) ?? writeRecord(shown, depth + 1);
    written.set(place, text);
    return takeWritten(room, text.length) ? text : idAlone;
  };

  return writeRecord;
}

/** A record to be shown, and which of its fields are the reader's; undefined is every field. */
export interface ShownRecord extends Pick<StoredRecord, 'data' | 'version'> {
  readonly fields?: FieldNames | undefined;
}

/** The members of a view that show fields that are the reader's. */
function readableMembers(projection: Projection, fields: FieldNames | undefined): Projection {
  return fields === undefined ? projection : projection.filter(({ field }) => isReadable(fields, field));
}

/** The source of the records that lookups point to. */
export interface LookupSource {
  /** Those that there are and that the caller may get, in any order, and the ids of those for which there was no room any more. */
  fetch(entityName: string, ids: readonly string[]): Promise<readonly (ShownRecord | UnreadRecord)[]>;
  /** Whether the caller may get the record, as far as that is known before it is read. */
  mayRead(entityName: string, id: string): MaybePromise<boolean>;
  /** Undefined where there is no such entity. */
  projection(entityName: string, view: string): Promise<Projection | undefined>;
}

export interface UnreadRecord {
  readonly id: string;
}

/** A record, as others refer to it. */
export interface RecordName {
  readonly entity: string;
  readonly id: string;
}

/** The outcome of looking for records, by `recordPlace`; undefined where there is none that the caller may get. */
export type LoadedRecords = Map<string, LoadedRecord>;

interface Shown {
  readonly record: ShownRecord;
  readonly projection: Projection;
}

/** The target of the field of a lookup. */
interface LookupReference {
  readonly member: LookupMember;
  readonly id: string;
}

/** The text of a reference; undefined where nothing is shown. */
type Lookups = (reference: LookupReference) => Shown | 'unread' | undefined;

type LoadedRecord = ShownRecord | 'unread' | undefined;

/** The number of lookups that may follow one another: records that point to one another must come to an end. */
const depthMax = 2;

/** Reads level by level: at once all that the records of one level point to in an entity, and nothing twice. */
async function loadLookups(first: readonly Shown[], source: LookupSource): Promise<Lookups> {
  const records: LoadedRecords = new Map();
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
function shownBy(record: ShownRecord, projection: Projection): Shown {
  return { record, projection: readableMembers(projection, record.fields) };
}

/** Undefined where the field is empty, or holds no id, as an older definition may have let it. */
function referenceOf(member: LookupMember, { data }: ShownRecord): LookupReference | undefined {
  const id = data[member.field];
  return typeof id === 'string' ? { member, id } : undefined;
}

function lookupKey({ member, id }: LookupReference): string {
  return JSON.stringify([member.entity, member.view, id]);
}

export function recordPlace({ entity, id }: RecordName): string {
  return JSON.stringify([entity, id]);
}

function referencesOf({ record, projection }: Shown): readonly LookupReference[] {
  return projection.flatMap((member) => ('entity' in member ? (referenceOf(member, record) ?? []) : []));
}

/** Reads those that were not looked for before: at once all of an entity, and nothing twice. */
export async function readRecords(
  names: readonly RecordName[],
  records: LoadedRecords,
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
