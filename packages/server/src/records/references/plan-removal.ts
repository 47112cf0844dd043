import { referencesTo } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type CompiledEntity, indexPrefix, type Reference, withoutIds } from '../../schema/port.ts';
import { laneOf } from '../../tenancy/port.ts';
import { followInPages } from '../listing/follow-items.ts';
import { makeRecord, readRecord, type StoredRecord } from '../record.ts';
import { updatedRecordKey } from '../record-keys.ts';
import { eventChanges, type RecordEvents } from '../writing/events/record-events.ts';
import type { PlannedChange } from '../writing/planned-change.ts';
import { recordChanges } from '../writing/record-changes.ts';
import type { RecordCall, WriteContext, WritePlan } from '../writing/write-loop.ts';

/** How many records the removals of a commit may take along or change. */
const cascadeMax = 200;

/** And how long their texts may be together: all of them are held until the commit. */
const charactersMax = 16 * 1024 * 1024;

/** A record that is to be removed, and what is made of a refusal of that. */
export interface Removing {
  readonly call: RecordCall;
  readonly record: StoredRecord;
  readonly refused: (problem: Problem) => Problem;
}

/** How the changes of records are made. */
export interface Made {
  /** The time of the records that change, as RFC 3339. */
  readonly at: string;
  readonly events?: RecordEvents | undefined;
}

/** What one of the removals comes to. */
interface Branch {
  readonly from: Removing;
  readonly guards: PlannedChange[];
}

/** By field: the ids that are taken out of it. */
export type Cleared = Map<string, Set<string>>;

/** A record, the removal that came to it first, and what is cleared in it. */
interface Reached {
  readonly branch: Branch;
  readonly entity: CompiledEntity;
  readonly record: StoredRecord;
  readonly cleared: Cleared;
}

interface Removal {
  /** By entity and id; one that is removed needs no clearing. */
  readonly removed: Map<string, Reached>;
  readonly changed: Map<string, Reached>;
  readonly recordsMax: number;
  /** What was read of them. */
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
  removing: readonly Removing[],
  made: Made,
): Promise<ReadonlyMap<Removing, WritePlan>> {
  const [one] = removing;
  if (one === undefined) return new Map();
  const pause = createYielder(laneOf(one.call.workspace));
  const branches = removing.map((from): Branch => ({ from, guards: [] }));
  const first = branches.map((branch) => reach(branch, branch.from.call.entity, branch.from.record));
  const removed = new Map(first.map((reached) => [placeOf(reached), reached]));
  const removal: Removal = { removed, changed: new Map(), recordsMax: cascadeMax + first.length, characters: 0, pause };
  // A map goes on to what is added to it meanwhile: records that are taken along are looked at in their turn.
  for (const reached of removed.values())
    for (const reference of referencesTo(reached.branch.from.call.config, reached.entity.name))
      await follow(removal, reached, reference);
  const plans = new Map<Removing, WritePlan>();
  for (const branch of branches) plans.set(branch.from, await branchPlan(removal, branch, made));
  return plans;
}

function reach(branch: Branch, entity: CompiledEntity, record: StoredRecord): Reached {
  return { branch, entity, record, cleared: new Map() };
}

async function follow(removal: Removal, { branch, entity, record }: Reached, reference: Reference): Promise<void> {
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
  reached: Reached,
  held: { readonly reference: Reference; readonly id: string },
): void {
  const { onDelete, field } = held.reference;
  const place = placeOf(reached);
  if (onDelete === 'cascade') {
    if (!removed.has(place)) removed.set(place, reached);
    return;
  }
  const known = changed.get(place) ?? reached;
  addCleared(known.cleared, field, held.id);
  changed.set(place, known);
}

async function branchPlan({ removed, changed, pause }: Removal, branch: Branch, made: Made): Promise<WritePlan> {
  const { call } = branch.from;
  const isOwn = (reached: Reached): boolean => reached.branch === branch;
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

function placeOf({ entity, record }: Reached): string {
  return `${entity.name} ${record.data.id}`;
}

/** The changes that take out a record, to whose references the caller looks. */
export async function removedRecord(
  context: WriteContext,
  { entity, record: before }: Pick<Reached, 'entity' | 'record'>,
  { events }: Pick<Made, 'events'>,
): Promise<readonly PlannedChange[]> {
  const changes = await recordChanges(context.workspace.scope, entity, { before });
  return [...changes, ...(await eventChanges(events, { call: { ...context, entity }, before }))];
}

/** The changes that take ids out of the lookups of a record. */
export async function clearedRecord(
  context: WriteContext,
  { entity, record: before, cleared }: Pick<Reached, 'entity' | 'record' | 'cleared'>,
  { at, events }: Made,
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

/** A removal reaches more records than one commit takes. */
export class TooManyDependents extends Problem {
  constructor(message: string) {
    super('conflict', message);
  }
}
