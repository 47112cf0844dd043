import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type CompiledEntity, elementIds, type FieldValue, isLookupList } from '../../schema/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { type ListQuery, readListQuery } from '../listing/list-query.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import type { RecordPage } from '../listing/record-page.ts';
import { newScan, type ScanLeft } from '../listing/walking/record-walk.ts';
import type { OtherRecords } from '../present-records.ts';
import { dataOf, storedText } from '../record.ts';
import { isReadable, type ReadableText } from '../record-policy.ts';
import type { RecordRuntime } from '../record-runtime.ts';
import {
  type LoadedRecords,
  type RecordName,
  readRecords,
  recordPlace,
  type ShownRecord,
} from '../views/show-records.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import type { Expansion } from './expand-tree.ts';

export interface ExpandedRecord {
  readonly text: ReadableText;
  readonly entity: CompiledEntity;
  readonly expansions: readonly Expansion[];
  /** The expanded records of each; nothing of a record whose field is empty, or not the caller's to read. */
  readonly shown: Map<Expansion, Expanded>;
}

/** Of an array of lookups what each element refers to, in its order. */
export type Expanded = ExpandedLookup | readonly ExpandedLookup[] | ExpandedPage;

export function isExpandedList(value: Expanded): value is readonly ExpandedLookup[] {
  return Array.isArray(value);
}

/** The record that a field refers to: `unread` without room for it, undefined where the caller may not get it. */
export interface ExpandedLookup {
  readonly id: string;
  readonly record: ExpandedRecord | 'unread' | undefined;
}

/** The first records of those that refer to one. */
export interface ExpandedPage extends Omit<RecordPage, 'items'> {
  readonly items: readonly ExpandedRecord[];
}

/** The most records of a reply that others refer to, and the most pages that it reads of records that refer to one. */
export const forwardMax = 1000;
export const pagesMax = 400;
const pagesAtOnce = 4;

/** That of which the caller may list none is shown like that of which there is none. */
const emptyPage: ExpandedPage = { items: [], nexttoken: null, isPartial: false };
/** A page for which there was no room. */
export const unreadPage: ExpandedPage = { items: [], nexttoken: null, isPartial: true };

interface PendingLookup {
  readonly expansion: Expansion;
  readonly id: string;
  readonly show: (found: ExpandedLookup) => void;
}

/** Of which record others are to be read that refer to it. */
interface PendingPage {
  readonly holder: ExpandedRecord;
  readonly expansion: Expansion;
  readonly id: string;
}

interface LoadDeps {
  readonly runtime: Pick<RecordRuntime, 'list'>;
  readonly call: AuthorizedCall;
  readonly others: OtherRecords;
  /** The budget of all pages together: by default as much as one list. */
  readonly scan?: ScanLeft | undefined;
}

interface Loading extends LoadDeps {
  readonly records: LoadedRecords;
  readonly scan: ScanLeft;
  readonly pause: () => Promise<void> | undefined;
  forwardLeft: number;
  pagesLeft: number;
}

/** Reads what a reply shows beside these records, level by level: all levels together cost what one list may cost. */
export async function loadExpansions(
  deps: LoadDeps,
  texts: readonly ReadableText[],
  expansions: readonly Expansion[],
): Promise<readonly ExpandedRecord[]> {
  const { call } = deps;
  const pause = createYielder(shareKeyOf(call.workspace));
  const loading: Loading = {
    ...deps,
    records: new Map(),
    scan: deps.scan ?? newScan(),
    pause,
    forwardLeft: forwardMax,
    pagesLeft: pagesMax,
  };
  const first = texts.map((text) => expandedRecord(text, call.entity, expansions));
  let level: readonly ExpandedRecord[] = first;
  while (level.length > 0) {
    const requested = await lookupsOf(level, pause);
    const forward = await loadForward(loading, requested.records);
    level = [...forward, ...(await loadBackward(loading, requested.pages))];
  }
  return first;
}

function expandedRecord(text: ReadableText, entity: CompiledEntity, expansions: readonly Expansion[]): ExpandedRecord {
  return { text, entity, expansions, shown: new Map() };
}

interface PendingLoads {
  readonly records: readonly PendingLookup[];
  readonly pages: readonly PendingPage[];
}

async function lookupsOf(level: readonly ExpandedRecord[], pause: Loading['pause']): Promise<PendingLoads> {
  const records: PendingLookup[] = [];
  const pages: PendingPage[] = [];
  for (const holder of level) {
    if (holder.expansions.length === 0) continue;
    await pause();
    const data = dataOf(holder.entity, holder.text);
    for (const expansion of holder.expansions) {
      const { direction, field } = expansion;
      if (direction === 'backward') pages.push({ holder, expansion, id: data.id });
      else if (isReadable(holder.text.fields, field)) records.push(...lookupsOfField(holder, expansion, data[field]));
    }
  }
  return { records, pages };
}

function lookupsOfField(
  { entity, shown }: ExpandedRecord,
  expansion: Expansion,
  value: FieldValue | undefined,
): readonly PendingLookup[] {
  const definition = entity.fields.get(expansion.field)?.definition;
  if (definition === undefined || !isLookupList(definition)) {
    const show: PendingLookup['show'] = (found) => shown.set(expansion, found);
    return typeof value === 'string' ? [{ expansion, id: value, show }] : [];
  }
  if (!Array.isArray(value)) return [];
  const list: ExpandedLookup[] = [];
  shown.set(expansion, list);
  const show: PendingLookup['show'] = (found) => list.push(found);
  return elementIds(value).map((id) => ({ expansion, id, show }));
}

/** At once all records of an entity that a level refers to. */
async function loadForward(loading: Loading, request: readonly PendingLookup[]): Promise<readonly ExpandedRecord[]> {
  const { records } = loading;
  const wanted = new Map<string, RecordName>();
  for (const { expansion, id } of request) {
    await loading.pause();
    const name = { entity: expansion.entity.name, id };
    const place = recordPlace(name);
    if (!records.has(place) && wanted.size < loading.forwardLeft) wanted.set(place, name);
  }
  loading.forwardLeft -= wanted.size;
  await readRecords([...wanted.values()], records, loading.others);
  const next = new Map<Expansion, Map<string, ExpandedRecord>>();
  for (const { expansion, id, show } of request) {
    await loading.pause();
    const place = recordPlace({ entity: expansion.entity.name, id });
    const found = records.has(place) ? records.get(place) : 'unread';
    if (found === undefined || found === 'unread') show({ id, record: found });
    else {
      const known = next.get(expansion) ?? new Map<string, ExpandedRecord>();
      // Many may refer to it: its text is made once.
      const record = known.get(id) ?? foundRecord(found, expansion);
      next.set(expansion, known.set(id, record));
      show({ id, record });
    }
  }
  return [...next.values()].flatMap((known) => [...known.values()]);
}

function foundRecord(found: ShownRecord, { entity, nested }: Expansion): ExpandedRecord {
  return expandedRecord({ ...storedText(entity, found), fields: found.fields }, entity, nested);
}

/** The first page of what refers to each record of a level, a few of them at a time. */
async function loadBackward(loading: Loading, request: readonly PendingPage[]): Promise<readonly ExpandedRecord[]> {
  const next: ExpandedRecord[] = [];
  for (let start = 0; start < request.length; start += pagesAtOnce) {
    const together: PlannedPage[] = [];
    for (const one of request.slice(start, start + pagesAtOnce)) {
      await loading.pause();
      together.push({ ...one, share: shareOf(loading.scan), listing: planPage(loading, one) });
    }
    const pages = await Promise.all(together.map((one) => loadPage(loading, one)));
    for (const [index, { holder, expansion }] of together.entries()) {
      const page = pages[index] ?? unreadPage;
      holder.shown.set(expansion, page);
      next.push(...page.items);
    }
  }
  return next;
}

interface PlannedPage extends PendingPage {
  readonly share: ScanLeft;
  /** The call of the list, or what is shown in its place. */
  readonly listing: AuthorizedCall | ExpandedPage;
}

/** The share of each of the pages that are read at a time, so that none of them takes all that is left. */
function shareOf({ items, bytes, steps, hasTime }: ScanLeft): ScanLeft {
  const share = (left: number): number => Math.floor(left / pagesAtOnce);
  return { items: share(items), bytes: share(bytes), steps: share(steps), hasTime };
}

/** Decides as `GET /list` is decided, asked with the field as its one filter. */
function planPage(loading: Loading, { expansion, id }: PendingPage): PlannedPage['listing'] {
  const { call } = loading;
  const { entity, field } = expansion;
  if (loading.pagesLeft <= 0) return unreadPage;
  loading.pagesLeft -= 1;
  const query = [...parametersBy(entity, field, id)].map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  const rows = call.access.rows({ verb: 'list', entity, query: query.join('&') });
  return mayListBy(rows, field) ? { ...call, entity, rows } : emptyPage;
}

async function loadPage(
  { runtime, scan }: Loading,
  { expansion, id, share, listing }: PlannedPage,
): Promise<ExpandedPage> {
  if ('items' in listing) return listing;
  if (share.items <= 0 || share.bytes <= 0 || share.steps <= 0 || !scan.hasTime()) return unreadPage;
  const { entity, field, nested } = expansion;
  const { rows } = listing;
  const started = { ...share, taken: rows?.steps() ?? 0 };
  const page = await runtime.list(listing, scopeToCaller(listing, queryBy(entity, field, id)), share);
  scan.items -= started.items - share.items;
  scan.bytes -= started.bytes - share.bytes;
  scan.steps -= (rows?.steps() ?? 0) - started.taken;
  return { ...page, items: page.items.map((text) => expandedRecord(text, entity, nested)) };
}

/** Whether a list by the field would be answered at all. */
function mayListBy(rows: RecordCall['rows'], field: string): boolean {
  return rows === undefined || (!rows.isNone && isReadable(rows.sureFields, field));
}

function queryBy(entity: CompiledEntity, field: string, id: string): ListQuery {
  return readListQuery(entity, parametersBy(entity, field, id));
}

/** As a client sends them. */
function parametersBy(entity: CompiledEntity, field: string, id: string): ReadonlyMap<string, string> {
  const definition = entity.fields.get(field)?.definition;
  const isList = definition !== undefined && isLookupList(definition);
  return new Map([[field, id], ...(isList ? [[`${field}_op`, 'contains'] as const] : [])]);
}
