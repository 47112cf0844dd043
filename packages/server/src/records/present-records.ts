import { andThen } from '../lib/maybe-promise.ts';
import { invalidInput, Problem } from '../lib/problem.ts';
import { createYielder } from '../lib/scheduling/event-loop.ts';
import {
  type ApiAction,
  apiNamesOf,
  type CompiledEntity,
  fieldName,
  fieldNamed,
  type Projection,
  shapeOf,
} from '../schema/port.ts';
import { shareKeyOf } from '../tenancy/port.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { findItems } from './listing/find-record.ts';
import { dataOf, entityTag, partTag, readRecord, recordText, type StoredRecord, storedText } from './record.ts';
import { isOfEnvelope, type ReadableText, type RecordPolicy } from './record-policy.ts';
import {
  type LookupSource,
  newRoom,
  type ReplyRoom,
  type ShownRecord,
  showRecords,
  type UnreadRecord,
} from './views/show-records.ts';
import { grantOn, namesIn } from './writing/record-checks.ts';

/** A view that a reply is to be made by. */
export interface Presentation {
  readonly projection: Projection | 'stored';
  /** Whether the reply shows other records too, so that the record's version does not say whether it has changed. */
  readonly isEnriched: boolean;
  /** Distinguishes replies by this view from those by others. */
  readonly shape: string;
}

/** A request's choice of how records are shown. */
interface Showing {
  /** The name of a view; undefined is `default`. */
  readonly view?: string | undefined;
  /** Members of the view with commas between them; undefined is all. */
  readonly fields?: string | undefined;
  /** Whether only these are shown, without the members that identify the record and its version. */
  readonly isExact?: true;
}

/** @throws Problem `invalid_request`. */
export function presentationOf(
  call: AuthorizedCall,
  action: ApiAction,
  { view, fields, isExact }: Showing = {},
): Presentation {
  const chosen = viewOf(call.entity, action, view ?? 'default');
  if (fields !== undefined) {
    const whole = chosen === 'stored' ? call.entity.views.whole() : chosen;
    return presentationBy(membersOf(call.entity, whole, { fields, isExact: isExact === true }));
  }
  return chosen === 'stored' ? asStored : presentationBy(chosen);
}

function presentationBy(projection: Projection): Presentation {
  return { projection, isEnriched: projection.some((member) => 'entity' in member), shape: shapeOf(projection) };
}

/** The requested members of a view; unless `isExact`, also those that identify the record and its version. */
function membersOf(
  entity: CompiledEntity,
  projection: Projection,
  { fields, isExact }: { readonly fields: string; readonly isExact: boolean },
): Projection {
  const names = new Set(fields.split(','));
  const known = new Set(projection.map(({ as }) => as));
  const others = [...names].filter((name) => !known.has(name));
  const renamed = others.flatMap((name) => memberBy(entity, projection, name) ?? []);
  const errors = others
    .filter((name) => !renamed.some(({ as }) => as === name))
    .map((name) => ({
      pointer: '/fields',
      code: 'unknown_field',
      message: `what is shown has no field \`${name.slice(0, 100)}\``,
    }));
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  const isKept = ({ as, field }: Projection[number]): boolean => names.has(as) || (!isExact && isOfEnvelope(field));
  return [...projection.filter(isKept), ...renamed];
}

/** The member of a view for one name of a field, under another one. */
function memberBy(entity: CompiledEntity, projection: Projection, name: string): Projection[number] | undefined {
  const field = fieldNamed(entity, name);
  const names = field === undefined ? [] : apiNamesOf(field.definition);
  const member = projection.find((one) => names.includes(one.as) && one.field === field?.name);
  return member && { ...member, as: name };
}

function viewOf(entity: CompiledEntity, action: ApiAction, name: string): Projection | 'stored' {
  const projection = entity.views.of(action, name);
  if (projection === undefined)
    throw new Problem('invalid_request', `entity \`${entity.name}\` has no view \`${name.slice(0, 100)}\``, {
      errors: [{ pointer: '/view', code: 'unknown_view', message: 'there is no view of this name' }],
    });
  return projection;
}

const asStored: Presentation = { projection: 'stored', isEnriched: false, shape: '' };

/** The tag of a reply that shows a record so. @param text what it shows. */
export function shownTag({ isEnriched, shape }: Presentation, { version, fields }: ReadableText, text: string): string {
  return isEnriched || fields !== undefined ? partTag(version, text) : entityTag(version, shape);
}

/** The JSON texts of records by a view. What they point to is read at once, and shown where the caller may get it. */
export async function presentRecords(
  call: AuthorizedCall,
  { projection }: Presentation,
  items: readonly ReadableText[],
  others: OtherRecords = otherRecords(call),
): Promise<readonly string[]> {
  if (projection === 'stored' && items.every(({ fields }) => fields === undefined)) return items.map(recordText);
  const shown = projection === 'stored' ? call.entity.views.whole() : projection;
  return showRecords(
    items.map((item) => shownRecord(call.entity, item)),
    shown,
    others,
  );
}

/** The source of the records that a reply shows beside those that were asked for, and its room for them. */
export interface OtherRecords extends LookupSource {
  readonly room: ReplyRoom;
}

/** Those of one reply: what the caller may get of a record is decided once for it. */
export function otherRecords(call: AuthorizedCall): OtherRecords {
  const { config } = call;
  const rowsOf = rowsToGet(call);
  const pause = createYielder(shareKeyOf(call.workspace));
  const room = newRoom();
  return {
    room,
    mayRead: (entityName, id) =>
      andThen(pause(), () =>
        andThen(config.entity(entityName), (entity) => entity !== undefined && rowsOf(entity, id)?.isNone !== true),
      ),
    fetch: roomyFetch(call, { rowsOf, pause, room }),
    projection: async (entityName, view) => {
      const entity = await config.entity(entityName);
      const shown = entity?.views.of('get', view);
      return shown === 'stored' ? entity?.views.whole() : shown;
    },
  };
}

type RecordPoliciesToGet = (entity: CompiledEntity, id: string) => RecordPolicy | undefined;

/** The caller's rights to get single records, each decided once for a reply. */
function rowsToGet({ access }: AuthorizedCall): RecordPoliciesToGet {
  const decided = new Map<string, RecordPolicy | undefined>();
  return (entity, id) => {
    const place = `${entity.name} ${id}`;
    if (!decided.has(place)) decided.set(place, access.rows({ verb: 'get', entity, id }));
    return decided.get(place);
  };
}

/**
 * A record as its writer may see it, who has not asked to get it: the part that a `get` would show, and the fields that
 * he sent. A caller who may not get it learns its id and version.
 */
export function writtenText(call: AuthorizedCall, { data, version }: WrittenRecord, body: unknown): ReadableText {
  const text = storedText(call.entity, { data, version });
  const rows = call.access.rows({ verb: 'get', entity: call.entity, id: data.id });
  if (rows === undefined) return text;
  const grant = grantOn(rows, call.entity, data);
  if (grant !== undefined && grant.fields === undefined) return text;
  const sent = new Set(namesIn(body).map((name) => fieldName(call.entity, name)));
  return { ...text, fields: { has: (name) => sent.has(name) || grant?.fields?.has(name) === true } };
}

type WrittenRecord = Pick<StoredRecord, 'data' | 'version'>;

const readAtOnce = 10;

interface ReplyWork {
  readonly rowsOf: RecordPoliciesToGet;
  readonly pause: () => Promise<void> | undefined;
  readonly room: ReplyRoom;
}

/** Reads what is looked up until it is too much for one reply. */
function roomyFetch({ config, workspace }: AuthorizedCall, reply: ReplyWork): LookupSource['fetch'] {
  const { rowsOf, pause, room } = reply;
  return async (entityName, ids) => {
    const entity = await config.entity(entityName);
    if (entity === undefined) return [];
    const found: (ShownRecord | UnreadRecord)[] = [];
    for (let start = 0; start < ids.length; start += readAtOnce) {
      const requested = ids.slice(start, start + readAtOnce);
      const items = room.read > 0 ? await findItems({ workspace, entity }, requested) : requested.map((id) => ({ id }));
      for (const one of items) {
        await pause();
        if ('value' in one) room.read -= one.value.length;
        found.push(...('value' in one ? granted(entity, readRecord(entity, one), rowsOf) : [one]));
      }
    }
    return found;
  };
}

function granted(entity: CompiledEntity, record: StoredRecord, rowsOf: RecordPoliciesToGet): readonly ShownRecord[] {
  const rows = rowsOf(entity, record.data.id);
  if (rows === undefined) return [record];
  const grant = grantOn(rows, entity, record.data);
  return grant === undefined ? [] : [{ ...record, fields: grant.fields }];
}

function shownRecord(entity: CompiledEntity, text: ReadableText): ShownRecord {
  return { data: dataOf(entity, text), version: text.version, fields: text.fields };
}
