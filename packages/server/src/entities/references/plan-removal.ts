import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../compile-entity.ts';
import { referencesTo } from '../config-set.ts';
import { followItems } from '../follow-items.ts';
import { indexPrefix } from '../order-encoding.ts';
import { mergeChanges, type PlannedChange } from '../planned-change.ts';
import { makeRecord, readRecord, type StoredRecord } from '../record.ts';
import { recordChanges } from '../record-changes.ts';
import { updatedRecordKey } from '../record-keys.ts';
import type { RecordCall, WritePlan } from '../write-loop.ts';
import type { Reference } from './reference-map.ts';

/** How many records one removal may take along or change. */
export const cascadeMax = 200;

/** A record and the fields that a removal clears in it. */
interface Reached {
  readonly entity: CompiledEntity;
  readonly record: StoredRecord;
  readonly cleared: Set<string>;
}

interface Removal {
  readonly call: RecordCall;
  /** By entity and id; one that is removed needs no clearing. */
  readonly removed: Map<string, Reached>;
  readonly changed: Map<string, Reached>;
  readonly guards: PlannedChange[];
}

/**
 * The removal of a record and of everything that references to it ask for. Whether any is left is judged by the commit
 * itself, after its own changes: a record that comes to refer to this one meanwhile is never left behind.
 * @param at the time of the records that change, as RFC 3339.
 * @throws Problem `dangling_reference`, `conflict`.
 */
export async function planRemoval(call: RecordCall, record: StoredRecord, at: string): Promise<WritePlan> {
  const first: Reached = { entity: call.entity, record, cleared: new Set() };
  const removal: Removal = { call, removed: new Map([[placeOf(first), first]]), changed: new Map(), guards: [] };
  // A map goes on to what is added to it meanwhile: records that are taken along are looked at in their turn.
  for (const reached of removal.removed.values())
    for (const reference of referencesTo(call.config, reached.entity.name)) await follow(removal, reached, reference);
  const changes: PlannedChange[] = [];
  for (const { entity, record: before } of removal.removed.values())
    changes.push(...(await recordChanges(call.workspace.scope, entity, { before })));
  for (const [place, reached] of removal.changed)
    if (!removal.removed.has(place)) changes.push(...(await clearedRecord(call, reached, at)));
  const touches = new Set([...removal.removed.values(), ...removal.changed.values()].map(({ entity }) => entity.name));
  return { changes: mergeChanges([...changes, ...removal.guards]), touches };
}

async function follow(removal: Removal, { entity, record }: Reached, reference: Reference): Promise<void> {
  const { call, removed, changed, guards } = removal;
  const { onDelete, pk } = reference;
  if (!reference.isReady) throw stillBuilding(reference);
  const prefix = indexPrefix(record.data.id);
  const onConflict = onDelete === 'restrict' ? () => danglingReference(entity.name, reference) : 'replan';
  guards.push({ change: { kind: 'check-empty', pk, prefix }, onConflict });
  if (onDelete === 'restrict') return;
  const holder = await call.config.entity(reference.entity);
  if (holder === undefined) throw new TypeError(`entity ${reference.entity} refers to another and does not exist`);
  for (const { item } of await followItems(call.workspace.scope, pk, { prefix, limit: cascadeMax + 1 })) {
    const reached: Reached = { entity: holder, record: readRecord(item), cleared: new Set() };
    const place = placeOf(reached);
    if (onDelete === 'cascade') {
      if (!removed.has(place)) removed.set(place, reached);
    } else {
      const known = changed.get(place) ?? reached;
      known.cleared.add(reference.field);
      changed.set(place, known);
    }
    if (removed.size + changed.size > cascadeMax + 1) throw tooMany(entity.name);
  }
}

function placeOf({ entity, record }: Reached): string {
  return `${entity.name} ${record.data.id}`;
}

async function clearedRecord(
  { workspace, actor }: RecordCall,
  { entity, record: before, cleared }: Reached,
  at: string,
): Promise<readonly PlannedChange[]> {
  const value = (name: string) => (cleared.has(name) ? undefined : before.data[name]);
  const data = makeRecord(entity, value, { ...before.data, updated_at: at, updated_by: actor.userId });
  const after = { key: updatedRecordKey(entity, before, data), data };
  return recordChanges(workspace.scope, entity, { before, after });
}

function danglingReference(entityName: string, { entity, field }: Reference): Problem {
  return new Problem('dangling_reference', `records of \`${entity}\` refer to this \`${entityName}\` by \`${field}\``);
}

function stillBuilding({ entity, field }: Reference): Problem {
  const message = `the index of \`${entity}\` on \`${field}\` is still being built, so it is not known who refers to this record`;
  return new Problem('conflict', `${message}: try again in a moment`);
}

function tooMany(entityName: string): Problem {
  return new Problem(
    'conflict',
    `more than ${cascadeMax} records would go or change with this \`${entityName}\`: remove some of them first`,
  );
}
