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
  /** How values that the field had before it became what it is become its own. */
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

/** What a field was until it was converted. That may have been converted too. */
export interface ConvertedField extends Pick<FieldDefinition, 'name' | 'colType' | 'items' | 'lookup' | 'convert'> {
  readonly storedAs: string;
}

/** What every element of an `array` is: a field without a name of its own. */
export type ItemDefinition = Pick<
  FieldDefinition,
  'colType' | 'minlength' | 'maxlength' | 'min' | 'max' | 'enumValues' | 'pattern' | 'lookup'
>;

/** The field, or each element of it, holds the id of a record of `entity`. `onDelete` is `restrict` when it is left out. */
export interface LookupDefinition {
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
  /** Who owns a record that is created without an owner. `caller` when it is left out. */
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
export interface CompoundIndexDefinition {
  /** Names of fields; `-` before a name is a descending order. */
  readonly fields: readonly string[];
}

/** A field of a compound index. */
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

/** What every record has beside its fields. The platform sets them, a client never does. */
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
  enumValuesMax: 500,
  /** Classes of Unicode that patterns name: each is a table of thousands of numbers, for as long as the entity is served. */
  classesMax: 1000,
  /** Characters of all expressions together: reading and compiling them takes 2 µs each. */
  expressionCharactersMax: 20_000,
} as const;

/** A field's value as it is stored: plain JSON, never `null` (a cleared field is absent). */
export type FieldValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

/** A record's values by field name. */
export type FieldValues = Readonly<Record<string, FieldValue | undefined>>;
