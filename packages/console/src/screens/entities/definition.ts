/** The definition of an entity as the builder edits it, and what is sent to change the stored one into it. */

import type { ApiProblem } from '../../api/problem.ts';

export interface Lookup {
  readonly entity: string;
  readonly onDelete?: string;
}

/** A field; it may have members that the form does not show. */
export interface Field {
  readonly name: string;
  readonly colType?: string;
  readonly validate?: boolean;
  readonly required?: boolean;
  readonly index?: boolean;
  readonly search?: boolean;
  readonly default?: unknown;
  readonly backfill?: string;
  /** In a change: the name that the field had. */
  readonly renamedFrom?: string;
  readonly aliases?: readonly string[];
  readonly formerNames?: readonly string[];
  /** In a change the expression; what the platform keeps of it is an object. */
  readonly convert?: string | { readonly cel: string; readonly from: { readonly colType?: string } };
  readonly description?: string;
  readonly min?: number;
  readonly max?: number;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly pattern?: string;
  readonly enumValues?: readonly string[];
  readonly formula?: string | { readonly cel: string; readonly type: string };
  readonly items?: { readonly colType?: string; readonly lookup?: Lookup };
  readonly lookup?: Lookup;
}

export interface Check {
  readonly cel: string;
  readonly message: string;
}

export interface Definition {
  readonly entityName: string;
  readonly UpdateParams?: readonly Field[];
  readonly checks?: readonly Check[];
  readonly indexes?: readonly { readonly fields: readonly string[] }[];
  readonly UniqueIndexes?: readonly UniqueIndex[];
  readonly ownerIndexes?: readonly OwnerIndex[];
  readonly parentIndex?: ParentIndex;
  readonly aggregates?: readonly AggregateDefinition[];
  readonly Views?: Views;
}

export interface AggregateDefinition {
  readonly name: string;
  readonly group: readonly string[];
  readonly measures: readonly string[];
}

export interface UniqueIndex {
  readonly indexName: string;
  readonly fields: readonly string[];
  readonly ignoreCase?: boolean;
}

interface Templates {
  readonly gpkTemplate: string;
  readonly gskTemplate: string;
}

export interface OwnerIndex extends Templates {
  readonly ownerFieldName: string;
  readonly scopeList?: boolean;
  readonly default?: string;
}

export interface ParentIndex extends Templates {
  readonly parentFieldName: string;
}

export interface ViewField {
  readonly name: string;
  readonly as?: string;
  readonly cast?: string;
  readonly lookup?: { readonly view: string; readonly as: string };
}

export type Views = Readonly<Record<string, { readonly fields: readonly ViewField[] }>>;

/** A part of the form. */
export interface DefinitionFormProps {
  readonly definition: Definition;
  readonly isReadOnly: boolean;
  /** The verdict of the platform on the draft. */
  readonly problem: ApiProblem | undefined;
  readonly onChange: (definition: Definition) => void;
}

/** What the config of a definition has beside the definition. */
const ofConfig: ReadonlySet<string> = new Set(['key', 'version']);

/** The definition that a create config holds. */
export function definitionOf(config: unknown): Definition {
  const entries = Object.entries(config ?? {}).filter(([name]) => !ofConfig.has(name));
  return Object.fromEntries(entries) as unknown as Definition;
}

/** The version of a config. */
export function versionOf(config: unknown): number {
  return Number((config as { readonly version?: unknown } | undefined)?.version ?? 0);
}

/** Says why the form cannot show a JSON object as a definition. */
export function checkDefinition(value: object): string | undefined {
  const {
    UpdateParams: fields,
    Views: views,
    parentIndex,
    ...members
  }: { readonly [member: string]: unknown } = {
    ...value,
  };
  if (!isListOf(fields, (field) => typeof field.name === 'string' && isListOfTexts(field.enumValues, field.aliases)))
    return '`UpdateParams` is a list of fields, each with a name';
  for (const name of ['checks', 'indexes', 'UniqueIndexes', 'ownerIndexes'])
    if (!isListOf(members[name], ({ fields: named }) => isListOfTexts(named)))
      return `\`${name}\` is a list of objects`;
  const isAggregate = ({ name, group, measures }: Members): boolean =>
    typeof name === 'string' && Array.isArray(group) && Array.isArray(measures) && isListOfTexts(group, measures);
  if (!isListOf(members.aggregates, isAggregate))
    return '`aggregates` is a list of objects, each with `name`, `group` and `measures`';
  if (parentIndex !== undefined && !isObject(parentIndex)) return '`parentIndex` is an object';
  return views === undefined || (isObject(views) && Object.values(views).every(isView))
    ? undefined
    : '`Views` has views by their names, each with `fields`';
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isFit: (element: Members) => boolean): boolean {
  return value == null || (Array.isArray(value) && value.every((element) => isObject(element) && isFit(element)));
}

function isListOfTexts(...values: readonly unknown[]): boolean {
  return values.every(
    (value) => value == null || (Array.isArray(value) && value.every((element) => typeof element === 'string')),
  );
}

function isView(view: unknown): boolean {
  return isObject(view) && isListOf(view.fields, ({ name }) => typeof name === 'string');
}

/**
 * The change that makes `to` of `from`: a change leaves alone what it does not send, so what is gone is sent as `null`,
 * and fields that are gone by their names.
 */
export function changeFrom(from: Definition, to: Definition): Readonly<Record<string, unknown>> {
  const { UpdateParams: fields = [], ...members } = to;
  const { UpdateParams: before = [], ...membersBefore } = from;
  const names = new Set(fields.map(nameBefore));
  const removed = before.map(({ name }) => name).filter((name) => !names.has(name));
  return {
    ...changedMembers(membersBefore, members),
    UpdateParams: fields.map((field) => withNulls(storedField(before, field) ?? {}, field)),
    ...(removed.length === 0 ? {} : { removeFields: removed }),
  };
}

/** The name that a field has in the stored definition, if it is there. */
export function nameBefore({ name, renamedFrom = name }: Field): string {
  return renamedFrom;
}

/** The field that a draft changes; undefined of a new one. */
export function storedField(before: readonly Field[], field: Field): Field | undefined {
  return before.find(({ name }) => name === nameBefore(field));
}

/** A member that is left out stays: a rename reaches what it names. */
function changedMembers(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isChanged = ([name, value]: [string, unknown]) =>
    name === 'entityName' || JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(withNulls(before, now)).filter(isChanged));
}

function withNulls(before: object, now: object): Readonly<Record<string, unknown>> {
  const gone = Object.keys(before).filter((name) => !(name in now));
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...now };
}

/** The object with some members set, and those that are `undefined` taken out. */
export function withHints<Value extends object>(
  value: Value,
  hints: { readonly [N in keyof Value]?: Value[N] | undefined },
): Value {
  const entries = Object.entries({ ...value, ...hints }).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as unknown as Value;
}

/** Types whose values no expression converts. */
const unconverted: ReadonlySet<string> = new Set(['formula', 'autoincrement', 'encrypted']);

/** Whether values of the stored field can be converted to the type that the draft gives it. */
export function isConvertible(stored: Field, field: Field): boolean {
  const types = [stored, field].map(({ colType = 'string' }) => colType);
  const isLookup = [stored, field].some(({ lookup, items }) => lookup !== undefined || items?.lookup !== undefined);
  return types[0] !== types[1] && !isLookup && !types.some((type) => unconverted.has(type));
}

/** An expression to begin with; what it cannot convert is shown before it is saved. */
export function conversionOf({ name }: Field, colType: string): string {
  const conversions: Readonly<Record<string, string>> = {
    string: `string(${name})`,
    number: `double(${name})`,
    integer: `int(${name})`,
    date: `timestamp(${name})`,
    datetime: `timestamp(${name})`,
    boolean: `${name} == "true"`,
  };
  return conversions[colType] ?? name;
}

/** The types of fields that can be chosen, in the order in which they are offered. */
export const colTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'enum',
  'email',
  'url',
  'guid',
  'array',
  'json',
  'formula',
  'autoincrement',
  'encrypted',
] as const;

/** What a field is, in words: `date`, `text, at most 80 characters`. */
export function typeOf(field: Field): string {
  const { colType = 'string', lookup, items } = field;
  if (lookup !== undefined) return `lookup of ${lookup.entity}`;
  if (items?.lookup !== undefined) return `lookups of ${items.lookup.entity}`;
  if (colType === 'array') return `array of ${items?.colType ?? 'string'}`;
  return colType;
}

/** Whether a record needs a value of the field. */
export function isRequired({ validate, required }: Field): boolean {
  return validate === true && required !== false;
}
