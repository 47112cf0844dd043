import { ExpressionLanguage, type Surroundings, type ValueSize } from '../../expressions/port.ts';
import {
  apiNamesOf,
  type CompiledEntity,
  type ExpressionValue,
  type FieldValue,
  momentInExpressions,
  storedInExpressions,
  textInExpressions,
  valueSize,
} from '../../schema/port.ts';
import type { RecordData } from '../record.ts';

/** What filters may read of the records of an entity. */
export interface FilterLanguage {
  /** By each name that a filter may use. */
  readonly values: ReadonlyMap<string, FilterValue>;
  readonly language: ExpressionLanguage;
}

/** How the values of a field stand in filters. */
interface FilterValue extends ExpressionValue {
  /** The name of the field. */
  readonly field: string;
}

/** The variables of every filter: the time of the request, and its caller. */
export const filterVariables: Surroundings['variables'] = new Map<string, string | ReadonlyMap<string, string>>([
  ['now', momentInExpressions.type],
  ['user', new Map([['id', textInExpressions.type]])],
]);

const platformValues = [
  ['id', textInExpressions],
  ['created_at', momentInExpressions],
  ['updated_at', momentInExpressions],
  ['created_by', textInExpressions],
  ['updated_by', textInExpressions],
] as const;

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
  const followed = [...targets].filter(([name]) => own.values.get(name)?.type === textInExpressions.type);
  if (followed.length === 0) return own;
  return followingLanguage(
    own.values,
    new Map(followed.map(([name, target]) => [name, typesOf(filterLanguage(target).values)])),
  );
}

function followingLanguage(values: FilterLanguage['values'], lookups: Surroundings['lookups']): FilterLanguage {
  return { values, language: new ExpressionLanguage(typesOf(values), { variables: filterVariables, lookups }) };
}

function typesOf(values: FilterLanguage['values']): ReadonlyMap<string, string> {
  return new Map([...values].map(([name, { type }]) => [name, type]));
}

function filterValues({ fields }: CompiledEntity): FilterLanguage['values'] {
  const values = new Map<string, FilterValue>(platformValues.map(([field, value]) => [field, { ...value, field }]));
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

/** What an expression reads of a record; a field without a value is left out. */
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
