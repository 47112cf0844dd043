/**
 * An index is immutable: one that comes to hold other entries is another index, with an id of its own. So an index
 * that is being built can never be taken for the one it replaces.
 */

import {
  type EntityDefinition,
  type FieldDefinition,
  isPlatformField,
  orderedField,
  orderedFieldText,
} from '../definition.ts';
import { storedNameOf } from '../field-names.ts';
import { colTypeOf, fieldTypeOf, storedTypeOf } from '../field-types/registry.ts';
import { parseTemplate } from '../key-template.ts';
import { isLookupList, lookupOf } from '../lookups.ts';
import { type StoredNames, storedNames } from '../renames/stored-names.ts';

export type IndexKind = 'field' | 'unique' | 'owner' | 'parent' | 'search' | 'compound';

/** What an index is made from. It says everything that decides the index's entries. */
export interface IndexSource {
  readonly kind: IndexKind;
  readonly name: string;
  /** The fields it holds: of an owner or parent index the field that says in which partition a record is. */
  readonly on: readonly IndexedField[];
  /** The field that an owner or parent index can be listed by, beside the creation order. */
  readonly order?: IndexedField;
  readonly ignoreCase?: boolean;
}

/** A field by the name under which it is stored. The `colType` says how values are encoded. */
export interface IndexedField {
  readonly field: string;
  readonly colType: string;
  /** Of a compound index. */
  readonly descending?: true;
  /** Of a field index: each element of the value has an entry, and the `colType` is that of the elements. */
  readonly isElement?: true;
}

/**
 * `building`: writers keep it, a job adds the records from before it. `ready`: it serves. `dropping`: writers maintain
 * it until no list reads it any more. `erasing`: writers take out what they find of a record in it, a job the rest.
 * `failed`: erased, because records contradict it.
 */
export interface IndexState extends IndexSource {
  /** The config version that brought it. */
  readonly id: number;
  readonly state: 'building' | 'ready' | 'dropping' | 'erasing' | 'failed';
  /** A time by which it was being dropped, in milliseconds since the epoch: noted by who sees it, since a commit may take long. */
  readonly droppedAt?: number;
  /** Records that have the same values, where a unique index failed on them. */
  readonly duplicates?: readonly Duplicate[];
  /** Of a failed one: nothing of it is left. */
  readonly isErased?: true;
}

/** Whether writers make no entries for it any more, and take out those of the records that they write. */
export function isLeaving({ state }: IndexState): boolean {
  return state === 'erasing' || state === 'failed';
}

export function isSameIndex(left: IndexState, right: IndexState): boolean {
  return left.id === right.id && left.kind === right.kind && left.name === right.name;
}

export interface Duplicate {
  readonly tenant_code: string;
  readonly ids: readonly [string, string];
}

export function newIndexStates(definition: EntityDefinition, version: number): readonly IndexState[] {
  return wantedIndexes(definition).map((index) => ({ ...index, id: version, state: 'ready' }));
}

/**
 * The states after a definition took another's place: what is unchanged stays, what is new is to be built, what is
 * gone or changed is to be dropped. A failed index that is still wanted is tried again.
 */
export function nextIndexStates(
  current: readonly IndexState[],
  definition: EntityDefinition,
  version: number,
): readonly IndexState[] {
  const kept = current.filter(({ state }) => state === 'ready' || state === 'building');
  const next = wantedIndexes(definition).map(
    (index): IndexState =>
      kept.find((other) => sourceText(other) === sourceText(index)) ?? { ...index, id: version, state: 'building' },
  );
  const leaving = current.filter((index) => !next.includes(index));
  return [...next, ...leaving.map(leave)];
}

/** Only what was read by may still be read by, on a node that has not seen the change yet. */
function leave({ duplicates: _, isErased: _erased, ...index }: IndexState): IndexState {
  if (index.state === 'dropping') return index;
  if (index.state === 'ready' && index.kind !== 'unique') return { ...index, state: 'dropping' };
  return { ...index, state: 'erasing' };
}

function sourceText({ kind, name, on, order, ignoreCase }: IndexSource): string {
  return JSON.stringify([kind, name, on, order, ignoreCase]);
}

/** Every index that a definition asks for, or that each entity has. */
function wantedIndexes(definition: EntityDefinition): readonly IndexSource[] {
  const types = new Map(definition.UpdateParams.map((field) => [field.name, storedTypeOf(field).colType]));
  const { inStore } = storedNames(definition.UpdateParams);
  const typed = (field: string): IndexedField => ({
    field: inStore(field),
    colType: types.get(field) ?? colTypeOf({}),
  });
  const grouped = (kind: 'owner' | 'parent', name: string, gskTemplate: string): IndexSource => {
    const order = orderOf(gskTemplate);
    return { kind, name: inStore(name), on: [typed(name)], ...(order === undefined ? {} : { order: typed(order) }) };
  };
  const { parentIndex: parent } = definition;
  const searched = definition.UpdateParams.filter(({ search }) => search === true).map(({ name }) => typed(name));
  return [
    ...definition.UpdateParams.filter(hasIndex).map(
      (field): IndexSource => ({
        kind: 'field',
        name: inStore(field.name),
        on: [elementOf(field) ?? typed(field.name)],
      }),
    ),
    { kind: 'field', name: 'updated_at', on: [typed('updated_at')] },
    ...(definition.UniqueIndexes ?? []).map(
      ({ indexName, fields, ignoreCase = false }): IndexSource => ({
        kind: 'unique',
        name: indexName,
        on: fields.map(typed),
        ...(ignoreCase ? { ignoreCase } : {}),
      }),
    ),
    ...(definition.indexes ?? []).map(({ fields }): IndexSource => {
      const on = fields.map(orderedField).map(({ field, descending }): IndexedField => {
        return descending ? { ...typed(field), descending } : typed(field);
      });
      const name = on.map(({ field, descending = false }) => orderedFieldText({ field, descending }));
      return { kind: 'compound', name: name.join(','), on };
    }),
    ...(definition.ownerIndexes ?? []).map((index) => grouped('owner', index.ownerFieldName, index.gskTemplate)),
    ...(parent === undefined ? [] : [grouped('parent', parent.parentFieldName, parent.gskTemplate)]),
    ...(searched.length === 0 ? [] : [{ kind: 'search', name: 'q', on: searched } as const]),
  ];
}

/**
 * `name` is always sortable, so a field of that name has an index whatever it says, also where the name is an alias; and
 * references are found by the index of the field that holds them.
 */
export function hasIndex(field: FieldDefinition): boolean {
  if (isPlatformField(field.name)) return false;
  if (field.index === true || lookupOf(field) !== undefined) return true;
  return [field.name, ...(field.aliases ?? [])].includes('name') && fieldTypeOf(field).encode !== undefined;
}

function elementOf(field: FieldDefinition): IndexedField | undefined {
  if (!isLookupList(field)) return undefined;
  return { field: storedNameOf(field), colType: colTypeOf(field.items ?? {}), isElement: true };
}

const workspaceTokens = ['org', 'tenant_id', 'tenant_code'];

/** The field in whose order an owner or parent index can be listed too; undefined is the creation order alone. */
function orderOf(gskTemplate: string): string | undefined {
  const template = parseTemplate(gskTemplate);
  if (typeof template === 'string') return undefined;
  const first = template.tokens.find((token) => !workspaceTokens.includes(token));
  return first === undefined || first === 'id' || first === 'created_at' ? undefined : first;
}

/** The name of an index as callers know it. Unique indexes and those of words have names of their own. */
export function shownIndexName(names: StoredNames, { kind, name }: Pick<IndexSource, 'kind' | 'name'>): string {
  if (!names.areOther || kind === 'unique' || kind === 'search') return name;
  if (kind !== 'compound') return names.inMemory(name);
  const parts = name.split(',').map(orderedField);
  return parts.map((part) => orderedFieldText({ ...part, field: names.inMemory(part.field) })).join(',');
}
