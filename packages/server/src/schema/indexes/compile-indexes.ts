import type { FieldBehaviour } from '../field-types/field-type.ts';
import { fieldTypeOf } from '../field-types/registry.ts';
import type { StoredNames } from '../renames/stored-names.ts';
import { type IndexedField, type IndexState, isLeaving, shownIndexName } from './index-states.ts';

/** What a record's writers keep beside it. */
interface Kept {
  readonly id: number;
  /** What it is called in the definition: the field's name, or the unique index's. */
  readonly name: string;
  readonly pk: string;
  /** Whether it holds every record, and so may be read by. */
  readonly isReady: boolean;
  /** Whether its entries are taken out and none is made. */
  readonly isErasing: boolean;
}

/** A sorted partition of entries, or one for each value of the field that groups them. */
export interface CompiledIndex extends Kept {
  /** `elements` is that of a field whose value is an array, with an entry for each element. */
  readonly kind: 'field' | 'elements' | 'owner' | 'parent';
  /** The field whose value says in which partition a record is; a record without it is in none. */
  readonly group: EncodedField | undefined;
  /** What the entries are sorted by; undefined is the creation order. */
  readonly order: EncodedField | undefined;
}

export interface EncodedField {
  readonly field: string;
  readonly encode: NonNullable<FieldBehaviour['encode']>;
}

/** Values, or tuples of them, that one record of the entity may have. */
export interface CompiledUnique extends Kept {
  readonly fields: readonly EncodedField[];
  readonly ignoreCase: boolean;
}

/** A partition of entries in the order of several fields. */
export interface CompiledCompound extends Kept {
  readonly fields: readonly (EncodedField & { readonly descending: boolean })[];
}

/** The words of some fields. */
export interface CompiledSearch extends Kept {
  readonly fields: readonly string[];
}

export interface CompiledIndexes {
  readonly indexes: readonly CompiledIndex[];
  readonly uniques: readonly CompiledUnique[];
  readonly searches: readonly CompiledSearch[];
  readonly compounds: readonly CompiledCompound[];
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
    searches: kept
      .filter(({ state }) => state.kind === 'search')
      .map((one) => ({ ...one.kept, fields: one.state.on.map(({ field }) => field) })),
  };
}

function keptOf({ name, stored }: IndexedEntity, index: IndexState): Kept {
  return {
    id: index.id,
    name: shownIndexName(stored, index),
    pk: derivedPk(name, index),
    isReady: index.state === 'ready',
    isErasing: isLeaving(index),
  };
}

/** An owner or parent index lists in creation order, and perhaps in another order from partitions of its own. */
function compileOrders(
  common: Kept,
  { kind, on }: IndexState,
  order: (EncodedField & { readonly stored: string }) | undefined,
): readonly CompiledIndex[] {
  const [first] = on;
  if (first === undefined || kind === 'unique' || kind === 'search' || kind === 'compound') return [];
  if (kind === 'field') {
    const order = encoded(first);
    return [{ ...common, kind: first.isElement === true ? 'elements' : kind, group: undefined, order }];
  }
  const inCreationOrder = { ...common, kind, group: encoded(first), order: undefined };
  if (order === undefined) return [inCreationOrder];
  const { stored, ...byField } = order;
  return [inCreationOrder, { ...inCreationOrder, pk: `${common.pk};by#${stored}`, order: byField }];
}

/** Where the items of an index lie, or where their partitions begin. */
function derivedPk(entityName: string, { kind, name, id }: Pick<IndexState, 'kind' | 'name' | 'id'>): string {
  return kind === 'unique' ? `unique#${entityName};${name}@${id}` : `index#${entityName};${kind}#${name}@${id}`;
}

/** How a value is encoded depends on its `colType` alone, so an index can be kept when its field has become another. */
function encoded({ field, colType }: IndexedField): EncodedField {
  const { encode } = fieldTypeOf({ colType });
  if (encode === undefined) throw new TypeError(`an index on the type ${colType} does not compile`);
  return { field, encode };
}

function ordered(on: IndexedField): CompiledCompound['fields'][number] {
  return { ...encoded(on), descending: on.descending === true };
}

type FieldIndex = CompiledIndex & { readonly kind: 'field'; readonly order: EncodedField };

/** The index on a field as the definition wants it: an older one that is being dropped comes after it. */
export function fieldIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): FieldIndex | undefined {
  return indexes.find((index): index is FieldIndex => index.kind === 'field' && index.name === field);
}

/** The index on the elements of a field as the definition wants it. */
export function elementIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): CompiledIndex | undefined {
  return indexes.find(({ kind, name }) => kind === 'elements' && name === field);
}
