import { ExpressionLanguage, type ExpressionScope, type Reading, type ValueSize } from '../../expressions/port.ts';
import type { WhereBounds } from '../../lib/where-bounds.ts';
import {
  apiNamesOf,
  type CompiledEntity,
  type FieldValue,
  platformValues,
  storedInExpressions,
  valueSize,
} from '../../schema/port.ts';
import type { Filter } from '../listing/filter.ts';
import type { RecordData } from '../record.ts';

/** The expression of a list's parameter `filter`, for one request. */
export interface FilterExpression {
  readonly readings: readonly Reading[];
  /** Conditions that every record meets which it holds of. */
  readonly implied: readonly Filter[];
  /** Whether it holds of every record that meets them. */
  readonly isImplied: boolean;
  /** The values of other records, which are loaded for each record before the filter is evaluated. */
  readonly lookups?: FilterLookups | undefined;
  holds(data: RecordData): boolean;
  /** The trees that an engine may be asked in its place. */
  bounds(): WhereBounds;
  /** The steps that evaluating it has taken so far: about 2 ns each. */
  steps(): number;
}

export interface FollowedLookup {
  readonly field: string;
  readonly entity: CompiledEntity;
  /** Conditions that the record meets to which it points, in every record of which the filter holds. */
  readonly implied: readonly Filter[];
  /** Whether the caller may list all records of the entity, with all fields. */
  mayListAll(): boolean;
}

export interface FilterLookups {
  readonly followed: readonly FollowedLookup[];
  /** Of the records that point to them. */
  readonly entity: CompiledEntity;
  /** The steps of deciding about them so far, which count among those of the filter. */
  readonly steps: number;
  /** Lets others go first where a slice is over. */
  pause(): Promise<void> | undefined;
  /**
   * Loads those of the records at hand, and takes them from what is left before they are read.
   * @param isSpent whether no more are to be read; those of the first record are read all the same.
   * @returns of how many records, from the first, they are loaded.
   */
  load(records: readonly RecordData[], left: { items: number; bytes: number }, isSpent: () => boolean): Promise<number>;
}

export type ExpressionValue = NonNullable<ReturnType<typeof storedInExpressions>>;

/** The members of an entity's records that filters may read. */
export interface FilterLanguage {
  /** By each name that a filter may use. */
  readonly values: ReadonlyMap<string, FilterValue>;
  readonly language: ExpressionLanguage;
}

/** The form of a field's values in filters. */
interface FilterValue extends ExpressionValue {
  readonly field: string;
}

/** The variables of every filter: the time of the request, and its caller. */
export const filterVariables: ExpressionScope['variables'] = new Map<string, string | ReadonlyMap<string, string>>([
  ['now', platformValues.created_at.type],
  ['user', new Map([['id', platformValues.id.type]])],
]);

const made = new WeakMap<CompiledEntity, FilterLanguage>();

/** Filters read the fields that the parameters of lists may compare, computed ones too. */
export function filterLanguage(entity: CompiledEntity): FilterLanguage {
  const before = made.get(entity);
  if (before !== undefined) return before;
  const language = followingLanguage(filterValues(entity), new Map());
  made.set(entity, language);
  return language;
}

/** The same, with fields of the records that lookups point to. @param targets their entities, by the lookups. */
export function languageWith(entity: CompiledEntity, targets: ReadonlyMap<string, CompiledEntity>): FilterLanguage {
  const own = filterLanguage(entity);
  const followed = [...targets].filter(([name]) => own.values.get(name)?.type === platformValues.id.type);
  if (followed.length === 0) return own;
  return followingLanguage(
    own.values,
    new Map(followed.map(([name, target]) => [name, typesOf(filterLanguage(target).values)])),
  );
}

function followingLanguage(values: FilterLanguage['values'], lookups: ExpressionScope['lookups']): FilterLanguage {
  return { values, language: new ExpressionLanguage(typesOf(values), { variables: filterVariables, lookups }) };
}

function typesOf(values: FilterLanguage['values']): ReadonlyMap<string, string> {
  return new Map([...values].map(([name, { type }]) => [name, type]));
}

function filterValues({ fields }: CompiledEntity): FilterLanguage['values'] {
  const values = new Map<string, FilterValue>(
    Object.entries(platformValues).map(([field, value]) => [field, { ...value, field }]),
  );
  for (const { name: field, definition, behaviour } of fields.values()) {
    const value = storedInExpressions(definition);
    const isFilterable = behaviour.parseQuery !== undefined || behaviour.contains !== undefined;
    if (value === undefined || !isFilterable) continue;
    for (const name of apiNamesOf(definition)) values.set(name, { ...value, field });
  }
  return values;
}

/** A stored value as a filter reads it. One of another type, or of another spelling, was left by an older definition. */
export function readStored({ read, write }: ExpressionValue, stored: FieldValue | undefined): unknown {
  const value = stored === undefined ? undefined : read(stored);
  return value === undefined || write === undefined || write(value) === stored ? value : undefined;
}

/** The values that an expression reads of a record; a field without a value is left out. */
export interface ReadValues {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sizes: ReadonlyMap<string, ValueSize>;
}

export const nothing: ValueSize = { characters: 0, elements: 0 };

/** @param names those by which the filter reads the fields. */
export function readValues(catalog: FilterLanguage['values'], data: RecordData, names: Iterable<string>): ReadValues {
  const fields: Record<string, unknown> = {};
  const sizes = new Map<string, ValueSize>();
  for (const name of names) {
    const read = catalog.get(name);
    const field = read?.field ?? name;
    const stored = Object.hasOwn(data, field) ? data[field] : undefined;
    const value = read === undefined ? undefined : readStored(read, stored);
    if (value !== undefined) fields[name] = value;
    sizes.set(name, sizeOf(stored));
  }
  return { fields, sizes };
}

function sizeOf(stored: FieldValue | undefined): ValueSize {
  return { characters: valueSize(stored), elements: Array.isArray(stored) ? stored.length : 0 };
}
