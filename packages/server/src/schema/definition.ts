/** An entity definition as its builder supplies it (the payload of `POST /api/{apiname}`), and as the create config keeps it. */
export interface EntityDefinition {
  readonly entityName: string;
  /** The name under which the create was called, where it is not the generated one: the definition is changed by it too. */
  readonly apiname?: string;
  readonly baseKeys?: KeyTemplates;
  readonly UpdateParams: readonly FieldDefinition[];
  readonly ownerIndexes?: readonly OwnerIndexDefinition[];
  readonly parentIndex?: ParentIndexDefinition;
  readonly UniqueIndexes?: readonly UniqueIndexDefinition[];
  readonly indexes?: readonly CompoundIndexDefinition[];
  readonly aggregates?: readonly AggregateDefinition[];
  readonly Views?: Views;
  readonly checks?: readonly CheckDefinition[];
}

/** A condition in CEL over the fields of a record. A write that leaves a record without it is refused with the message. */
export interface CheckDefinition {
  readonly cel: string;
  readonly message: string;
}

export interface KeyTemplates {
  readonly pkTemplate: string;
  readonly skTemplate: string;
}

/** One field of the catalog. `colType` is `string` when it is left out. */
export interface FieldDefinition {
  readonly name: string;
  /** Other names by which callers read and write the field: those from before a rename, until a builder removes them. */
  readonly aliases?: readonly string[];
  /** Every earlier name, also after it is taken out of the aliases: a policy that uses it decides about this field. */
  readonly formerNames?: readonly string[];
  /** The name under which stored records have the value, where it is not `name`: the one from before a rename. */
  readonly storedAs?: string;
  /** The conversion by which values from before the field's last change become its own. */
  readonly convert?: ConversionDefinition;
  readonly colType?: string;
  readonly validate?: boolean;
  readonly required?: boolean;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly default?: unknown;
  /** In CEL over the other fields: the value of records that stand when the field comes, and have none. */
  readonly backfill?: string;
  readonly enumValues?: readonly string[];
  readonly index?: boolean;
  readonly search?: boolean;
  readonly description?: string;
  readonly pattern?: string;
  readonly formula?: string | ExpressionFormula;
  readonly items?: ItemDefinition;
  readonly lookup?: LookupDefinition;
}

/** A value that is computed in CEL from other fields, and the `colType` that it has. */
export interface ExpressionFormula {
  readonly cel: string;
  readonly type: string;
}

/** The values of a field that are stored under an earlier name, with another type, as its own: builders send the expression. */
export interface ConversionDefinition {
  /** In CEL over the field alone, by the name and with the type that it had. */
  readonly cel: string;
  readonly from: ConvertedField;
}

/** A field before it was converted. That may have been converted too. */
export interface ConvertedField extends Pick<FieldDefinition, 'name' | 'colType' | 'items' | 'lookup' | 'convert'> {
  readonly storedAs: string;
}

/** The definition of every element of an `array`: a field without a name of its own. */
export type ItemDefinition = Pick<
  FieldDefinition,
  'colType' | 'minlength' | 'maxlength' | 'min' | 'max' | 'enumValues' | 'pattern' | 'lookup'
>;

/** The field, or each element of it, holds the id of a record of `entity`. `onDelete` is `restrict` when it is left out. */
interface LookupDefinition {
  readonly entity: string;
  readonly onDelete?: OnDelete;
}

export type OnDelete = 'restrict' | 'cascade' | 'setnull';

export interface OwnerIndexDefinition {
  readonly ownerFieldName: string;
  readonly gpkTemplate: string;
  readonly gskTemplate: string;
  /** A plain list shows the caller's own records only. */
  readonly scopeList?: boolean;
  /** The owner of a record that is created without one. `caller` when it is left out. */
  readonly default?: OwnerDefault;
}

export const ownerDefaults = ['caller', 'none'] as const;
type OwnerDefault = (typeof ownerDefaults)[number];

/** Whether a create that leaves the field out makes its caller the owner. */
export function isOwnedByCaller({ ownerIndexes = [] }: EntityDefinition, field: string): boolean {
  return ownerIndexes.some((index) => index.ownerFieldName === field && index.default !== 'none');
}

interface ParentIndexDefinition {
  readonly parentFieldName: string;
  readonly gpkTemplate: string;
  readonly gskTemplate: string;
}

export interface UniqueIndexDefinition {
  readonly indexName: string;
  readonly fields: readonly string[];
  /** Texts that differ in the case of ASCII letters alone count as equal. */
  readonly ignoreCase?: boolean;
}

/** An index in the order of several fields. It serves that order and its reverse. */
interface CompoundIndexDefinition {
  /** Names of fields; `-` before a name is a descending order. */
  readonly fields: readonly string[];
}

/** Figures of groups of records that are kept as records are written. */
export interface AggregateDefinition {
  readonly name: string;
  /** Names of fields. */
  readonly group: readonly string[];
  /** `count`, and `sum:<field>` and `avg:<field>` of `integer` fields. */
  readonly measures: readonly string[];
}

/** The field of a measure; undefined of `count`. */
export function measuredField(measure: string): string | undefined {
  const colon = measure.indexOf(':');
  return colon === -1 ? undefined : measure.slice(colon + 1);
}

export interface OrderedField {
  readonly field: string;
  readonly descending: boolean;
}

export function orderedField(part: string): OrderedField {
  const descending = part.startsWith('-');
  return { field: descending ? part.slice(1) : part, descending };
}

/** As a definition says it. */
export function orderedFieldText({ field, descending }: OrderedField): string {
  return descending ? `-${field}` : field;
}

/** By name: which fields of a record a reply shows, and how. Each of the five configs has its own. */
export type Views = Readonly<Record<string, ViewDefinition>>;

export interface ViewDefinition {
  readonly fields: readonly ViewField[];
}

export interface ViewField {
  readonly name: string;
  /** The member of the reply; the field's own name when it is left out. */
  readonly as?: string;
  readonly cast?: 'string' | 'number' | 'integer' | 'boolean';
  /** Shows the record that the field's lookup points to, by a view of its entity. */
  readonly lookup?: { readonly view: string; readonly as: string };
}

/** The fields of every record beside its own. The platform sets them, a client never does. */
export const platformFields = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'] as const;

export function isPlatformField(name: string): boolean {
  return (platformFields as readonly string[]).includes(name);
}

export const definitionLimits = {
  entitiesMax: 500,
  bytesMax: 64 * 1024,
  fieldsMax: 200,
  /** A reply has the value of a field under each alias: it is at most five times what is read, as a view may show it. */
  aliasesMax: 4,
  aliasesOfEntityMax: 40,
  /** Names of a field beside its present one: each is kept as long as the field. */
  formerNamesMax: 20,
  indexesMax: 20,
  lookupListsMax: 4,
  conversionsMax: 32,
  conversionsOfFieldMax: 8,
  compoundIndexesMax: 4,
  compoundFieldsMax: 4,
  aggregatesMax: 5,
  aggregateFieldsMax: 5,
  aggregateMeasuresMax: 10,
  enumValuesMax: 500,
  /** Classes of Unicode that patterns name: each is a table of thousands of numbers, for as long as the entity is served. */
  classesMax: 1000,
  /** Characters of all expressions together: reading and compiling them takes 2 µs each. */
  expressionCharactersMax: 20_000,
} as const;

/** A field's value as it is stored: plain JSON, never `null` (a cleared field is absent). */
export type FieldValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

export type FieldValues = Readonly<Record<string, FieldValue | undefined>>;

/** The target of a field's references: by its value, or by each element of an array. */
export function lookupOf({ lookup, items }: FieldDefinition): LookupDefinition | undefined {
  return lookup ?? items?.lookup;
}

/** Whether the field is an array of ids. */
export function isLookupList({ items }: Pick<FieldDefinition, 'items'>): boolean {
  return items?.lookup !== undefined;
}

/** Each element is an index entry and a condition of the commit that brings it. */
export const lookupElementsMax = 100;

/** The ids in an array of lookups, in their order. What an older definition left beyond the bound refers to nothing. */
export function elementIds(value: FieldValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, lookupElementsMax).filter((element) => typeof element === 'string');
}

/** The ids that a record holds in a lookup, each as often as it is there. */
export function heldIds(
  { fields }: { readonly fields: ReadonlyMap<string, { readonly definition: FieldDefinition }> },
  field: string,
  data: FieldValues,
): readonly string[] {
  const value = data[field];
  const definition = fields.get(field)?.definition;
  if (definition !== undefined && isLookupList(definition)) return elementIds(value);
  return value === undefined ? [] : [String(value)];
}

/** The value of a lookup once these ids are taken out; an array keeps its other elements. */
export function withoutIds(value: FieldValue | undefined, ids: ReadonlySet<string>): FieldValue | undefined {
  if (Array.isArray(value)) return value.filter((element) => typeof element !== 'string' || !ids.has(element));
  return typeof value === 'string' && ids.has(value) ? undefined : value;
}

// By which names callers, policies and stored records know a field.

type Named = Pick<FieldDefinition, 'name' | 'aliases' | 'formerNames' | 'storedAs'>;

/** The name under which stored records have the value. It stays the same as long as the field exists. */
export function storedNameOf({ name, storedAs = name }: Named): string {
  return storedAs;
}

/** The names by which callers read and write the field: its own first, then its aliases. */
export function apiNamesOf({ name, aliases = [] }: Named): readonly string[] {
  return [name, ...aliases];
}

/** Every name that the field has or had, its own first. A policy that uses one of them is about this field. */
export function namesOf({ name, aliases = [], formerNames = [], storedAs = name }: Named): readonly string[] {
  if (aliases.length + formerNames.length === 0 && storedAs === name) return [name];
  return [...new Set([name, ...formerNames, ...aliases, ...(isLegalName(storedAs) ? [storedAs] : [])])];
}

const noAliases: ReadonlyMap<string, string> = new Map();

/** The name of each field by each of its aliases. Entities without aliases share one empty map. */
export function namesByAlias(fields: readonly Named[]): ReadonlyMap<string, string> {
  const pairs = fields.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const));
  return pairs.length === 0 ? noAliases : new Map(pairs);
}

/** Fields by their names, and the names of those that have aliases. */
export interface NamedFields<Field> {
  readonly fields: ReadonlyMap<string, Field>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** The name of the field that a caller means by a name; any other name stays as it is. */
export function fieldName({ aliases }: Pick<NamedFields<unknown>, 'aliases'>, name: string): string {
  return aliases.get(name) ?? name;
}

export function fieldNamed<Field>(catalog: NamedFields<Field>, name: string): Field | undefined {
  return catalog.fields.get(fieldName(catalog, name));
}

/** Names of removed fields that fields have now: policies that still name those apply to these. */
export function revivedNames(freed: readonly string[], fields: readonly Named[]): readonly string[] {
  return freed.length === 0 ? [] : fields.flatMap(namesOf).filter((name) => freed.includes(name));
}

/** The field with all its names among `formerNames`, so that a policy still finds it when an alias is removed. */
export function withFormerNames(field: FieldDefinition): FieldDefinition {
  const [, ...others] = namesOf(field);
  return others.length === (field.formerNames ?? []).length ? field : { ...field, formerNames: others };
}

/** The names of each field of an entity, where a field has several: its present name is the first of a list. */
export interface FieldNaming {
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** By each of the names in small letters: there, fields whose names differ in case meet. */
  readonly byFolded: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** Undefined where every field has one name, so that no decision about such an entity costs more. */
export function namingOf(fields: readonly FieldDefinition[]): FieldNaming | undefined {
  const lists = fields.map(namesOf);
  if (lists.every((names) => names.length === 1)) return undefined;
  const pairs = lists.flatMap((names) => names.map((name) => [name, names] as const));
  const byFolded = Map.groupBy(pairs, ([name]) => name.toLowerCase());
  return {
    byName: new Map(pairs),
    byFolded: new Map([...byFolded].map(([folded, alike]) => [folded, [...new Set(alike.map(([, names]) => names))]])),
  };
}

/** A conversion stores values under a name that no field can have. */
function isLegalName(stored: string): boolean {
  return !stored.includes('@');
}
