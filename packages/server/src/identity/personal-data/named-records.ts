/** The records that name a person by id, and what they are without the person. */
import { type RecordData, renewedRecord } from '../../records/port.ts';
import { type CompiledEntity, type FieldValue, heldIds, lookupOf, withoutIds } from '../../schema/port.ts';
import type { Counts } from './person-job.ts';

/** In the place of the person's id where a value is needed. No account has it. */
export const erasedUserId = '00000000-0000-0000-0000-000000000000';

/** How a record is about a person: what comes first in this order counts. */
export type Relation = keyof Pick<Counts, 'owned' | 'created' | 'linked' | 'named'>;

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
 * The record as it names nobody in its owner fields, its lookups of `user` and its stamps; undefined where these name
 * others alone. The platform makes the change and no person, so the stamps say nothing of it.
 * @throws Problem where the record has no room for a computed value.
 */
export function withoutPerson(entity: CompiledEntity, data: RecordData, ids: AccountIds): RecordData | undefined {
  const values: Record<string, FieldValue> = { ...data };
  const lookups = userLookups(entity);
  for (const name of ownerFields(entity)) {
    if (name === 'created_by' || !isOf(values[name], ids)) continue;
    if (entity.fields.get(name)?.required === true) values[name] = erasedUserId;
    else delete values[name];
  }
  for (const name of lookups) {
    if (!heldIds(entity, name, data).some((id) => ids.has(id))) continue;
    const left = withoutIds(data[name], ids);
    if (left === undefined) delete values[name];
    else values[name] = left;
  }
  for (const name of ['created_by', 'updated_by'] as const) if (ids.has(data[name])) values[name] = erasedUserId;
  const names = new Set([...Object.keys(data), ...Object.keys(values)]);
  if ([...names].every((name) => values[name] === data[name])) return undefined;
  return renewedRecord(entity, values as RecordData, []);
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
