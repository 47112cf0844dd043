/** The records that name a person by id, and what they are without the person. */
import { type RecordData, renewedRecord, type StoredRecord } from '../records/port.ts';
import { type CompiledEntity, type FieldValue, heldIds, lookupOf, withoutIds } from '../schema/port.ts';
import type { Counts, WorkspaceCursor } from './person-job.ts';

/** In the place of the person's id where a value is needed. No account has it. */
const erasedUserId = '00000000-0000-0000-0000-000000000000';

/** The same where the value has to be unique, and another record has it: with the end of the id of the record. */
export function erasedOwnerOf({ id }: Pick<RecordData, 'id'>): string {
  return erasedUserId.slice(0, -12) + id.slice(-12);
}

/** Whose ids are replaced, and by which account; by none where the person is erased. */
export interface Replacing {
  readonly ids: AccountIds;
  readonly into?: string | undefined;
  /** The value for required owner fields, where the person is erased. */
  readonly owner?: string | undefined;
}

/** The way a record is about a person: the first that applies in this order counts. */
export type Relation = keyof Pick<Counts, 'owned' | 'created' | 'linked' | 'named'>;

export interface NamedRecord {
  readonly entity: CompiledEntity;
  /** Its records are kept, but nothing serves them: nothing else writes them. */
  readonly isRetired: boolean;
  readonly record: StoredRecord;
  readonly relation: Relation;
  /** The position after which the walk continues. */
  readonly place: string;
}

export interface RecordsPage {
  readonly named: readonly NamedRecord[];
  /** Behind all that was looked at; undefined at the end of the workspace. */
  readonly next: Pick<WorkspaceCursor, 'entity' | 'after'> | undefined;
}

/** The accounts of one person. */
export type AccountIds = ReadonlySet<string>;

/** Whether the stored text of a record may name the person at all: far cheaper than to read it. */
export function mayName(text: string, ids: AccountIds): boolean {
  for (const id of ids) if (text.includes(id)) return true;
  return false;
}

export function relationOf(entity: CompiledEntity, data: RecordData, ids: AccountIds): Relation {
  if (ownerFields(entity).some((name) => isOf(data[name], ids))) return 'owned';
  if (ids.has(data.created_by)) return 'created';
  const isLinked = userLookups(entity).some((name) => heldIds(entity, name, data).some((id) => ids.has(id)));
  return isLinked || ids.has(data.updated_by) ? 'linked' : 'named';
}

/**
 * The record without the person, or with another account, in its owner fields, its lookups of `user` and its stamps;
 * undefined where these name others alone. The platform makes the change and no person, so the stamps say nothing of it.
 * @throws Problem where the record has no room for a computed value.
 */
export function withoutPerson(entity: CompiledEntity, data: RecordData, replacing: Replacing): RecordData | undefined {
  const { ids, into, owner = erasedUserId } = replacing;
  const values: Record<string, FieldValue> = { ...data };
  const set = (name: string, value: FieldValue | undefined): void => {
    if (value === undefined) delete values[name];
    else values[name] = value;
  };
  for (const name of ownerFields(entity))
    if (isOf(data[name], ids)) set(name, into ?? (isNeeded(entity, name) ? owner : undefined));
  for (const name of userLookups(entity))
    if (heldIds(entity, name, data).some((id) => ids.has(id))) set(name, withOther(data[name], replacing));
  for (const name of ['created_by', 'updated_by'] as const) if (ids.has(data[name])) set(name, into ?? erasedUserId);
  const names = new Set([...Object.keys(data), ...Object.keys(values)]);
  if ([...names].every((name) => values[name] === data[name])) return undefined;
  return renewedRecord(entity, values as RecordData, []);
}

function isNeeded({ fields }: CompiledEntity, name: string): boolean {
  return fields.get(name)?.required === true;
}

function withOther(value: FieldValue | undefined, { ids, into }: Replacing): FieldValue | undefined {
  if (into === undefined) return withoutIds(value, ids);
  if (!Array.isArray(value)) return into;
  const replaced = value.map((one) => (typeof one === 'string' && ids.has(one) ? into : one));
  return replaced.filter((one, index) => one !== into || replaced.indexOf(into) === index);
}

function isOf(value: FieldValue | undefined, ids: AccountIds): boolean {
  return typeof value === 'string' && ids.has(value);
}

function ownerFields({ definition }: CompiledEntity): readonly string[] {
  return (definition.ownerIndexes ?? []).map(({ ownerFieldName }) => ownerFieldName);
}

function userLookups({ fields }: CompiledEntity): readonly string[] {
  return [...fields.values()]
    .filter(({ definition }) => lookupOf(definition)?.entity === 'user')
    .map(({ name }) => name);
}
