import type { InputError } from '@freehold/contract/problem';
import { type Reference, referencesTo } from '../config/port.ts';
import { Problem } from '../lib/problem.ts';
import { createYielder } from '../lib/scheduling/event-loop.ts';
import { type CompiledEntity, heldIds, indexPrefix, isLookupList, lookupOf, withoutIds } from '../schema/port.ts';
import type { Item, Key } from '../store/port.ts';
import { shareKeyOf, type Workspace } from '../tenancy/port.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { followInPages, mayBeId } from './listing/find-record.ts';
import { dataOf, makeRecord, type RecordData, readRecord, type StoredRecord } from './record.ts';
import { keyText, recordPlace, updatedRecordKey } from './record-keys.ts';
import { type PlannedChange, unconditional } from './writing/planned-change.ts';
import { recordChanges } from './writing/record-changes.ts';
import { asDefined, grantOn, namesIn } from './writing/record-checks.ts';
import { eventChanges, type RecordEvents } from './writing/record-events.ts';
import { placeOfRecord, type RecordCall, type WriteContext, type WritePlan } from './writing/write-loop.ts';

interface LookupChecks {
  readonly errors: readonly InputError[];
  /** Hold the commit to it that what was found is still there. */
  readonly changes: readonly PlannedChange[];
}

/** The part of a call that decides on the records that it refers to. */
interface LookupCall extends Pick<RecordCall, 'config' | 'entity' | 'made'> {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
}

/** A caller's input: the ids in it must be of records that are the caller's to get. */
interface SentLookups {
  /** With the access of the caller, unless the platform writes. */
  readonly call: Pick<RecordCall, 'actor' | 'workspace'> & Partial<Pick<AuthorizedCall, 'access'>>;
  readonly body: unknown;
  /** The record with what was sent, before the platform or an event has changed more. */
  readonly record: RecordData;
  /** Of a record that there is: whether the caller may learn what a field holds. */
  readonly mayCompare?: (field: string) => boolean;
}

const nothing: LookupChecks = { errors: [], changes: [] };

/**
 * That the records exist whose ids a write puts into lookup fields, or that its own commit makes them. Ids that stay as
 * they are were checked before. A record that the caller may not get is refused like a missing one: else the answer
 * would tell that it is there. The caller knows of a record that the commit makes.
 * @param sent left out where no caller has sent anything.
 */
export async function checkLookups(
  call: LookupCall,
  before: RecordData | undefined,
  after: RecordData,
  sent?: SentLookups,
): Promise<LookupChecks> {
  const wanted = await wantedBy(call, { before, after, sent });
  if (wanted.length === 0) return nothing;
  const items = await call.workspace.scope.get(wanted.flatMap(({ key }) => key ?? []));
  const found = new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
  const isOwn = ({ id, entityName }: WantedReference): boolean =>
    (id === before?.id && entityName === call.entity.name) || call.made?.has(placeOfRecord(entityName, id)) === true;
  const mayRefer = sent === undefined ? undefined : referringOf(call.entity, sent);
  const errors: InputError[] = [];
  const present = new Map<string, Key>();
  for (const one of wanted) {
    if (isOwn(one)) continue;
    const item = one.key && found.get(keyText(one.key));
    if (item === undefined || (await mayRefer?.(one, item)) === false) errors.push(unknownReference(one));
    else present.set(keyText(item), { pk: item.pk, sk: item.sk });
  }
  return {
    errors,
    changes: [...present.values()].map((key) => unconditional({ kind: 'check', ...key, if: 'present' })),
  };
}

interface WantedReference {
  readonly pointer: string;
  readonly field: string;
  readonly id: string;
  readonly entityName: string;
  /** Undefined where there is no such entity. */
  readonly target: CompiledEntity | undefined;
  readonly key: Key | undefined;
}

interface ComparedStates {
  readonly before: RecordData | undefined;
  readonly after: RecordData;
  readonly sent: SentLookups | undefined;
}

/** The ids that are new in a record, and those that are sent for a field that the sender may not read: they are guesses. */
async function wantedBy(
  call: LookupCall,
  { before, after, sent }: ComparedStates,
): Promise<readonly WantedReference[]> {
  const guessed = sent?.mayCompare === undefined ? [] : namesIn(sent.body).filter((name) => !sent.mayCompare?.(name));
  const wanted: WantedReference[] = [];
  for (const { name, definition } of call.entity.fields.values()) {
    const lookup = lookupOf(definition);
    if (lookup === undefined) continue;
    const held = new Set(before === undefined || guessed.includes(name) ? [] : heldIds(call.entity, name, before));
    const added = [...heldIds(call.entity, name, after).entries()].filter(([, id]) => !held.has(id));
    if (added.length === 0) continue;
    const target = await call.config.entity(lookup.entity);
    for (const [index, id] of added) {
      const pointer = isLookupList(definition) ? `/${name}/${index}` : `/${name}`;
      wanted.push({ pointer, field: name, id, entityName: lookup.entity, target, key: placeOf(call, target, id) });
    }
  }
  return wanted;
}

/** Whether the caller may get what he refers to. His own `user` record is his to name, and what he has not sent is not his. */
function referringOf(
  entity: CompiledEntity,
  { call, body, record }: SentLookups,
): ((one: WantedReference, item: Item) => Promise<boolean>) | undefined {
  const { access, actor, workspace } = call;
  if (access === undefined) return undefined;
  const named = new Set(namesIn(body));
  const pause = createYielder(shareKeyOf(workspace));
  const isSent = ({ field, id }: WantedReference): boolean =>
    named.has(field) && heldIds(entity, field, record).includes(id);
  return async (one, item) => {
    const { target, id } = one;
    if (target === undefined || !isSent(one) || (target.name === 'user' && id === actor.userId)) return true;
    await pause();
    const rows = access.rows({ verb: 'get', entity: target, id });
    if (rows === undefined) return true;
    const data = dataOf(target, item);
    if (!rows.isNone && grantOn(rows, target, data) !== undefined) return true;
    // Keeps the denial, so that a builder finds the reason; the caller gets the answer of a missing record.
    rows.missing(asDefined(target, data));
    return false;
  };
}

function placeOf(call: LookupCall, target: CompiledEntity | undefined, id: string): Key | undefined {
  if (target === undefined || !mayBeId(id)) return undefined;
  return recordPlace(target, call.workspace, id);
}

function unknownReference({ pointer, field, id, entityName }: WantedReference): InputError {
  const message = `field \`${field}\`: there is no \`${entityName}\` with the id \`${id.slice(0, 64)}\` in this workspace`;
  return { pointer, code: 'unknown_reference', message };
}

/** The number of records that the removals of a commit may take along or change. */
const cascadeMax = 200;

/** And how long their texts may be together: all of them are held until the commit. */
const charactersMax = 16 * 1024 * 1024;

/** A record that is to be removed, and what is made of a refusal of that. */
export interface RemovalRequest {
  readonly call: RecordCall;
  readonly record: StoredRecord;
  readonly refused: (problem: Problem) => Problem;
}

export interface RemovalContext {
  /** The time of the records that change, as RFC 3339. */
  readonly at: string;
  readonly events?: RecordEvents | undefined;
}

interface Branch {
  readonly from: RemovalRequest;
  readonly guards: PlannedChange[];
}

/** By field: the ids that are taken out of it. */
export type Cleared = Map<string, Set<string>>;

/** A record, the removal that came to it first, and what is cleared in it. */
interface ReachedRecord {
  readonly branch: Branch;
  readonly entity: CompiledEntity;
  readonly record: StoredRecord;
  readonly cleared: Cleared;
}

interface Removal {
  /** By entity and id; a record that is removed needs no clearing. */
  readonly removed: Map<string, ReachedRecord>;
  readonly changed: Map<string, ReachedRecord>;
  readonly recordsMax: number;
  /** The data that were read of them. */
  characters: number;
  /** Asked between two records. */
  readonly pause: () => Promise<void> | undefined;
}

/**
 * The removals of records, all in one commit, and of everything that references to them ask for: a plan for each, in
 * which no record is twice. Whether any reference is left is judged by the commit itself, after its own changes: a record
 * that comes to refer to one of these meanwhile is never left behind.
 * @throws Problem `dangling_reference`, `conflict`.
 */
export async function planRemovals(
  removing: readonly RemovalRequest[],
  made: RemovalContext,
): Promise<ReadonlyMap<RemovalRequest, WritePlan>> {
  const [one] = removing;
  if (one === undefined) return new Map();
  const pause = createYielder(shareKeyOf(one.call.workspace));
  const branches = removing.map((from): Branch => ({ from, guards: [] }));
  const first = branches.map((branch) => reach(branch, branch.from.call.entity, branch.from.record));
  const removed = new Map(first.map((reached) => [placeOfHolder(reached), reached]));
  const removal: Removal = { removed, changed: new Map(), recordsMax: cascadeMax + first.length, characters: 0, pause };
  // A map goes on to what is added to it meanwhile: records that are taken along are looked at in their turn.
  for (const reached of removed.values())
    for (const reference of referencesTo(reached.branch.from.call.config, reached.entity.name))
      await follow(removal, reached, reference);
  const plans = new Map<RemovalRequest, WritePlan>();
  for (const branch of branches) plans.set(branch.from, await branchPlan(removal, branch, made));
  return plans;
}

function reach(branch: Branch, entity: CompiledEntity, record: StoredRecord): ReachedRecord {
  return { branch, entity, record, cleared: new Map() };
}

async function follow(
  removal: Removal,
  { branch, entity, record }: ReachedRecord,
  reference: Reference,
): Promise<void> {
  const { removed, changed, recordsMax } = removal;
  const { call, refused } = branch.from;
  const { onDelete, pk } = reference;
  if (!reference.isReady) throw refused(stillBuilding(reference));
  const prefix = indexPrefix(record.data.id);
  const onConflict = onDelete === 'restrict' ? () => danglingReference(entity.name, reference) : 'replan';
  branch.guards.push({ change: { kind: 'check-empty', pk, prefix }, onConflict });
  if (onDelete === 'restrict') return;
  const holder = await call.config.entity(reference.entity);
  if (holder === undefined) throw new TypeError(`entity ${reference.entity} refers to another and does not exist`);
  for await (const items of followInPages(call.workspace.scope, pk, { prefix, limit: recordsMax + 1 }))
    for (const { item } of items) {
      await removal.pause();
      take(removal, reach(branch, holder, readRecord(holder, item)), { reference, id: record.data.id });
      removal.characters += item.value.length;
      if (removed.size + changed.size > recordsMax || removal.characters > charactersMax)
        throw refused(tooMany(entity.name));
    }
}

/** @param held by what reference the record was reached, and which id it holds there. */
function take(
  { removed, changed }: Removal,
  reached: ReachedRecord,
  held: { readonly reference: Reference; readonly id: string },
): void {
  const { onDelete, field } = held.reference;
  const place = placeOfHolder(reached);
  if (onDelete === 'cascade') {
    if (!removed.has(place)) removed.set(place, reached);
    return;
  }
  const known = changed.get(place) ?? reached;
  addCleared(known.cleared, field, held.id);
  changed.set(place, known);
}

async function branchPlan(
  { removed, changed, pause }: Removal,
  branch: Branch,
  made: RemovalContext,
): Promise<WritePlan> {
  const { call } = branch.from;
  const isOwn = (reached: ReachedRecord): boolean => reached.branch === branch;
  const gone = [...removed.values()].filter(isOwn);
  const cleared = [...changed].filter(([place, reached]) => isOwn(reached) && !removed.has(place));
  const changes: PlannedChange[] = [];
  for (const { entity, record: before } of gone) {
    await pause();
    changes.push(...(await removedRecord(call, { entity, record: before }, made)));
  }
  for (const [, reached] of cleared) {
    await pause();
    changes.push(...(await clearedRecord(call, reached, made)));
  }
  const touched = [...gone, ...cleared.map(([, reached]) => reached)];
  return { changes: [...changes, ...branch.guards], touches: new Set(touched.map(({ entity }) => entity.name)) };
}

export function addCleared(cleared: Cleared, field: string, id: string): void {
  cleared.set(field, (cleared.get(field) ?? new Set()).add(id));
}

function placeOfHolder({ entity, record }: ReachedRecord): string {
  return `${entity.name} ${record.data.id}`;
}

/** The changes that take out a record, to whose references the caller looks. */
export async function removedRecord(
  context: WriteContext,
  { entity, record: before }: Pick<ReachedRecord, 'entity' | 'record'>,
  { events }: Pick<RemovalContext, 'events'>,
): Promise<readonly PlannedChange[]> {
  const changes = await recordChanges(context.workspace.scope, entity, { before });
  return [...changes, ...(await eventChanges(events, { call: { ...context, entity }, before }))];
}

/** The changes that take ids out of the lookups of a record. */
export async function clearedRecord(
  context: WriteContext,
  { entity, record: before, cleared }: Pick<ReachedRecord, 'entity' | 'record' | 'cleared'>,
  { at, events }: RemovalContext,
): Promise<readonly PlannedChange[]> {
  const value = (name: string) => {
    const ids = cleared.get(name);
    return ids === undefined ? before.data[name] : withoutIds(before.data[name], ids);
  };
  const data = makeRecord(entity, value, { ...before.data, updated_at: at, updated_by: context.actor.userId });
  const after = { key: updatedRecordKey(entity, before, data), data };
  const changes = await recordChanges(context.workspace.scope, entity, { before, after });
  return [...changes, ...(await eventChanges(events, { call: { ...context, entity }, before, after: data }))];
}

export function danglingReference(entityName: string, { entity, field }: Reference): Problem {
  return new Problem('dangling_reference', `records of \`${entity}\` refer to this \`${entityName}\` by \`${field}\``);
}

export function stillBuilding({ entity, field }: Reference): Problem {
  const message = `the index of \`${entity}\` on \`${field}\` is still being built, so references to this record cannot be found yet`;
  return new Problem('conflict', `${message}: try again in a moment`);
}

function tooMany(entityName: string): Problem {
  return new TooManyDependents(
    `more than ${cascadeMax} records, or too large ones, would go or change with this \`${entityName}\`: remove some of them first`,
  );
}

export class TooManyDependents extends Problem {
  constructor(message: string) {
    super('conflict', message);
  }
}
