/** The definition of an entity as the builder edits it, and what is sent to change the stored one into it. */

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
  readonly UniqueIndexes?: readonly {
    readonly indexName: string;
    readonly fields: readonly string[];
    readonly ignoreCase?: boolean;
  }[];
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
  const fields = (value as Definition).UpdateParams;
  const isShown = fields === undefined || (Array.isArray(fields) && fields.every(isNamed));
  return isShown ? undefined : '`UpdateParams` is a list of fields, each with a name';
}

function isNamed(field: unknown): boolean {
  return typeof field === 'object' && field !== null && typeof (field as Field).name === 'string';
}

/**
 * The change that makes `to` of `from`: a change leaves alone what it does not send, so what is gone is sent as `null`,
 * and fields that are gone by their names.
 */
export function changeFrom(from: Definition, to: Definition): Readonly<Record<string, unknown>> {
  const { UpdateParams: fields = [], ...members } = to;
  const { UpdateParams: before = [], ...membersBefore } = from;
  const names = new Set(fields.map(({ name }) => name));
  const removed = before.map(({ name }) => name).filter((name) => !names.has(name));
  const byName = new Map(before.map((field) => [field.name, field]));
  return {
    ...withNulls(membersBefore, members),
    UpdateParams: fields.map((field) => withNulls(byName.get(field.name) ?? {}, field)),
    ...(removed.length === 0 ? {} : { removeFields: removed }),
  };
}

function withNulls(before: object, now: object): Readonly<Record<string, unknown>> {
  const gone = Object.keys(before).filter((name) => !(name in now));
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...now };
}

/** The field with some members set, and those that are `undefined` taken out. */
export function withHints(field: Field, hints: { readonly [N in keyof Field]?: Field[N] | undefined }): Field {
  const entries = Object.entries({ ...field, ...hints }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as Field;
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
