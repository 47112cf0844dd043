/**
 * An index is immutable: an index with other entries is another index, with an id of its own. So an index that is being
 * built can never be taken for the one it replaces.
 */
import {
  type EntityDefinition,
  type FieldDefinition,
  isLookupList,
  isPlatformField,
  lookupOf,
  measuredField,
  orderedField,
  orderedFieldText,
  storedNameOf,
} from './definition.ts';
import type { FieldBehaviour } from './field-types/field-type.ts';
import { colTypeOf, fieldTypeOf, storedTypeOf } from './field-types/registry.ts';
import { parseTemplate } from './key-template.ts';
import { StoredNames } from './renames/stored-names.ts';

export type IndexKind = 'field' | 'unique' | 'owner' | 'parent' | 'search' | 'compound' | 'aggregate';

/** The source of an index. It says everything that decides the index's entries. */
interface IndexSource {
  readonly kind: IndexKind;
  readonly name: string;
  /** The fields it holds: of an owner or parent index the field that says in which partition a record is, of an aggregate its group. */
  readonly on: readonly IndexedField[];
  /** The field that an owner or parent index can be listed by, beside the creation order. */
  readonly order?: IndexedField;
  readonly ignoreCase?: boolean;
  /** Of an aggregate: the fields of which it has sums. */
  readonly sums?: readonly IndexedField[];
}

/** A field by the name under which it is stored. The `colType` says how values are encoded. */
interface IndexedField {
  readonly field: string;
  readonly colType: string;
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
  /** Of an aggregate that failed, or is about to: the code of a workspace in which it has too many groups. */
  readonly crowdedIn?: string;
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
function leave({ duplicates: _, isErased: _erased, crowdedIn: _crowded, ...index }: IndexState): IndexState {
  if (index.state === 'dropping') return index;
  if (index.state === 'ready' && index.kind !== 'unique') return { ...index, state: 'dropping' };
  return { ...index, state: 'erasing' };
}

function sourceText({ kind, name, on, order, ignoreCase, sums }: IndexSource): string {
  return JSON.stringify([kind, name, on, order, ignoreCase, sums]);
}

/** Every index that a definition asks for, or that each entity has. */
function wantedIndexes(definition: EntityDefinition): readonly IndexSource[] {
  const types = new Map(definition.UpdateParams.map((field) => [field.name, storedTypeOf(field).colType]));
  const { inStore } = new StoredNames(definition.UpdateParams);
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
    ...(definition.aggregates ?? []).map(({ name, group, measures }): IndexSource => {
      const summed = new Set(measures.flatMap((measure) => measuredField(measure) ?? []));
      return { kind: 'aggregate', name, on: group.map(typed), sums: [...summed].map(typed) };
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

/** The items that writers of a record keep beside it. */
interface StoredIndexId {
  readonly id: number;
  /** Its name in the definition: the field's name, or the unique index's. */
  readonly name: string;
  readonly pk: string;
  /** Whether it holds every record, and so may be read by. */
  readonly isReady: boolean;
  /** Whether its entries are taken out and none is made. */
  readonly isErasing: boolean;
}

/** A sorted partition of entries, or one for each value of the field that groups them. */
export interface CompiledIndex extends StoredIndexId {
  /** `elements` is that of a field whose value is an array, with an entry for each element. */
  readonly kind: 'field' | 'elements' | 'owner' | 'parent';
  /** The field whose value says in which partition a record is; a record without it is in none. */
  readonly group: EncodedField | undefined;
  /** The order of the entries; undefined is the creation order. */
  readonly order: EncodedField | undefined;
}

export interface EncodedField {
  readonly field: string;
  readonly encode: NonNullable<FieldBehaviour['encode']>;
}

/** Values, or tuples of them, that one record of the entity may have. */
export interface CompiledUnique extends StoredIndexId {
  readonly fields: readonly EncodedField[];
  readonly ignoreCase: boolean;
}

export interface CompiledCompound extends StoredIndexId {
  readonly fields: readonly (EncodedField & { readonly descending: boolean })[];
}

export interface CompiledSearch extends StoredIndexId {
  readonly fields: readonly string[];
}

/** A row of figures for each group. */
export interface CompiledAggregate extends StoredIndexId {
  readonly isBuilding: boolean;
  readonly group: readonly string[];
  /** The fields of which a row has sums, in the order of its figures. */
  readonly sums: readonly string[];
}

export interface CompiledIndexes {
  readonly indexes: readonly CompiledIndex[];
  readonly uniques: readonly CompiledUnique[];
  readonly searches: readonly CompiledSearch[];
  readonly compounds: readonly CompiledCompound[];
  readonly aggregates: readonly CompiledAggregate[];
}

/** Whose indexes they are, and how the fields are stored that their states name. */
interface IndexedEntity {
  readonly name: string;
  readonly stored: StoredNames;
}

export function compileIndexes(entity: IndexedEntity, states: readonly IndexState[]): CompiledIndexes {
  const { stored } = entity;
  const named = (on: IndexedField): IndexedField => ({ ...on, field: stored.inMemory(on.field) });
  const kept = states.map((state) => ({
    state: { ...state, on: state.on.map(named) },
    order: state.order && { ...encoded(named(state.order)), stored: state.order.field },
    kept: keptOf(entity, state),
  }));
  return {
    indexes: kept.flatMap((one) => compileOrders(one.kept, one.state, one.order)),
    uniques: kept
      .filter(({ state }) => state.kind === 'unique')
      .map((one) => ({ ...one.kept, fields: one.state.on.map(encoded), ignoreCase: one.state.ignoreCase === true })),
    compounds: kept
      .filter(({ state }) => state.kind === 'compound')
      .map((one) => ({ ...one.kept, fields: one.state.on.map(ordered) })),
    aggregates: kept
      .filter(({ state }) => state.kind === 'aggregate')
      .map(({ kept, state }) => ({
        ...kept,
        isBuilding: state.state === 'building',
        group: state.on.map(({ field }) => field),
        sums: (state.sums ?? []).map((sum) => named(sum).field),
      })),
    searches: kept
      .filter(({ state }) => state.kind === 'search')
      .map((one) => ({ ...one.kept, fields: one.state.on.map(({ field }) => field) })),
  };
}

function keptOf({ name, stored }: IndexedEntity, index: IndexState): StoredIndexId {
  return {
    id: index.id,
    name: stored.indexName(index),
    pk: derivedPk(name, index),
    isReady: index.state === 'ready',
    isErasing: isLeaving(index),
  };
}

/** An owner or parent index lists in creation order, and perhaps in another order from partitions of its own. */
function compileOrders(
  common: StoredIndexId,
  { kind, on }: IndexState,
  order: (EncodedField & { readonly stored: string }) | undefined,
): readonly CompiledIndex[] {
  const [first] = on;
  if (first === undefined || kind === 'unique' || kind === 'search' || kind === 'compound' || kind === 'aggregate')
    return [];
  if (kind === 'field') {
    const order = encoded(first);
    return [{ ...common, kind: first.isElement === true ? 'elements' : kind, group: undefined, order }];
  }
  const inCreationOrder = { ...common, kind, group: encoded(first), order: undefined };
  if (order === undefined) return [inCreationOrder];
  const { stored, ...byField } = order;
  return [inCreationOrder, { ...inCreationOrder, pk: `${common.pk};by#${stored}`, order: byField }];
}

/** The partition of the items of an index, or the start of its partitions. */
function derivedPk(entityName: string, { kind, name, id }: Pick<IndexState, 'kind' | 'name' | 'id'>): string {
  if (kind === 'aggregate') return `kept#${entityName};${name}@${id}`;
  return kind === 'unique' ? `unique#${entityName};${name}@${id}` : `index#${entityName};${kind}#${name}@${id}`;
}

/** The encoding depends on the `colType` alone, so an index can be kept when its field has become another. */
function encoded({ field, colType }: IndexedField): EncodedField {
  const { encode } = fieldTypeOf({ colType });
  if (encode === undefined) throw new TypeError(`an index on the type ${colType} does not compile`);
  return { field, encode };
}

function ordered(on: IndexedField): CompiledCompound['fields'][number] {
  return { ...encoded(on), descending: on.descending === true };
}

type FieldIndex = CompiledIndex & { readonly kind: 'field'; readonly order: EncodedField };

/** The index on a field as the definition wants it: an older index that is being dropped comes after it. */
export function fieldIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): FieldIndex | undefined {
  return indexes.find((index): index is FieldIndex => index.kind === 'field' && index.name === field);
}

/** The index on the elements of a field as the definition wants it. */
export function elementIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): CompiledIndex | undefined {
  return indexes.find(({ kind, name }) => kind === 'elements' && name === field);
}
