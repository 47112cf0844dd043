import type { LookupMember, Member, Projection } from '../../schema/port.ts';
import {
  depthMax,
  type LookupSource,
  type Lookups,
  loadLookups,
  lookupKey,
  referenceOf,
  type Shown,
  type ShownRecord,
  shownBy,
} from './load-lookups.ts';

/** How much one reply may yet read and write of records beside those that were asked for, in characters. */
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
 * The JSON texts of records by a view. A lookup whose record is gone, or is not the caller's to get, shows `null`; one
 * that lies too deep, or for which there is no room left in the reply, shows the id alone.
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
