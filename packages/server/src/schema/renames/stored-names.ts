/**
 * A field that was renamed is stored under the name that it had before. Above the store everything speaks the name that
 * the field has now, and what the platform stores about fields speaks the stored one: so a rename changes nothing stored.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CompiledConversion, conversionOf, identityOf, newConversionEffort, rootOf } from '../conversion.ts';
import { definitionLimits, type FieldDefinition, type FieldValue, type FieldValues } from '../definition.ts';
import { apiNamesOf, namesOf, storedNameOf } from '../field-names.ts';

/** How an entity's records are stored. Both mappings are injective, and each is the inverse of the other. */
export interface StoredNames {
  /** Whether some field is stored under a name that it does not have. */
  readonly areOther: boolean;
  /** The name of the field that is stored so. A stored value that no field has keeps its name, where it is free. */
  inMemory(stored: string): string;
  inStore(name: string): string;
  readonly conversions: readonly CompiledConversion[];
}

const sameNames: StoredNames = {
  areOther: false,
  inMemory: (stored) => stored,
  inStore: (name) => name,
  conversions: [],
};

/** @param conversions those of the fields, where values are to be read. */
export function storedNames(
  fields: readonly Pick<FieldDefinition, 'name' | 'storedAs'>[],
  conversions: readonly CompiledConversion[] = [],
): StoredNames {
  if (fields.every((field) => storedNameOf(field) === field.name)) return sameNames;
  const stored = new Map(fields.map((field) => [field.name, storedNameOf(field)]));
  const names = new Map(fields.map((field) => [storedNameOf(field), field.name]));
  return {
    areOther: true,
    inMemory: (text) => names.get(text) ?? (stored.has(text) ? unknownMark + text : text),
    inStore: (name) => stored.get(name) ?? (name.startsWith(unknownMark) ? name.slice(unknownMark.length) : name),
    conversions,
  };
}

/** No name of a field begins with it: a value that the definition does not know never gets among those of its fields. */
const unknownMark = '@';

/**
 * Values by the names that their fields have, of values by stored names. Where a field has a value from before it was
 * converted, that value is converted, and stands beside the other.
 */
export function namedValues<Values extends FieldValues>(names: StoredNames, values: Values): Values {
  if (!names.areOther) return values;
  const made = convertedValues(names, values);
  if (made.size === 0) return renamed(values, names.inMemory);
  const members = Object.entries(values).flatMap(([stored, value]) => {
    const member = [names.inMemory(stored), value] as const;
    return [member, ...(made.get(stored) ?? [])];
  });
  return Object.fromEntries(members) as Values;
}

/** By the stored name of the latest value of each field that is not converted yet: the name of the field and its value. */
function convertedValues(
  { conversions }: StoredNames,
  values: FieldValues,
): ReadonlyMap<string, readonly (readonly [string, FieldValue])[]> {
  const made = new Map<string, [[string, FieldValue]]>();
  const effort = newConversionEffort();
  for (const { name, stored, former, value } of conversions) {
    const latest = Object.hasOwn(values, stored) ? undefined : former.find((one) => Object.hasOwn(values, one));
    const converted = latest === undefined ? undefined : value(values, effort);
    if (latest !== undefined && converted !== undefined) made.set(latest, [[name, converted]]);
  }
  return made;
}

/**
 * The names of values in memory that a write leaves out, which gives its field another value: a value that was converted from
 * the field's by a later definition, and once the field is cleared, those that it would be converted from.
 */
export function overtakenNames(
  { stored: names, hidden, fields }: ConvertibleEntity,
  { before, after }: { readonly before: FieldValues; readonly after: FieldValues },
): ReadonlySet<string> {
  const overtaken = new Set<string>();
  for (const { name, former } of names.conversions)
    if (before[name] !== undefined && after[name] === undefined)
      for (const stored of former) overtaken.add(names.inMemory(stored));
  const later = hidden.filter((name) => laterConversion.test(name));
  for (const field of later.length === 0 ? [] : fields.keys()) {
    const stored = names.inStore(field);
    const own = later.filter((name) => rootOf(name) === rootOf(stored) && conversionOf(name) > conversionOf(stored));
    if (own.length > 0 && !isDeepStrictEqual(before[field], after[field])) for (const name of own) overtaken.add(name);
  }
  return overtaken;
}

/** Whether values in memory have an earlier one of the field, which could not be converted. */
export function isUnconverted({ conversions, inMemory }: StoredNames, name: string, values: FieldValues): boolean {
  const former = conversions.find((conversion) => conversion.name === name)?.former ?? [];
  return !Object.hasOwn(values, name) && former.some((stored) => Object.hasOwn(values, inMemory(stored)));
}

/** The names of the fields whose values are converted when they are read, of values by stored names. */
export function convertedWhenRead({ conversions }: StoredNames, values: FieldValues): readonly string[] {
  return conversions
    .filter(({ stored, former }) => !Object.hasOwn(values, stored) && former.some((one) => Object.hasOwn(values, one)))
    .map(({ name }) => name);
}

interface ConvertibleEntity {
  readonly stored: StoredNames;
  /** The names in memory of values that the definition does not know. */
  readonly hidden: readonly string[];
  readonly fields: ReadonlyMap<string, unknown>;
}

/** How a value is called in memory that a definition stored which this one does not know. */
const laterConversion = /^[^@]+@[0-9]+$/;

/** Values by stored names, of values by the names that their fields have. */
export function storedValues<Values extends FieldValues>(names: StoredNames, values: Values): Values {
  return names.areOther ? renamed(values, names.inStore) : values;
}

function renamed<Values extends FieldValues>(values: Values, nameOf: (name: string) => string): Values {
  const named: Record<string, FieldValues[string]> = {};
  // No field can have the name of a built-in member.
  for (const name of Object.keys(values)) named[nameOf(name)] = values[name];
  return named as Values;
}

/** The stored name of each field, by each name that callers have for it. */
export function storedByName(fields: readonly FieldDefinition[]): ReadonlyMap<string, string> {
  return new Map(fields.flatMap((field) => apiNamesOf(field).map((name) => [name, storedNameOf(field)] as const)));
}

/**
 * Of an expression or a template: which of its words are names of fields that are stored under other ones. The same text
 * reads the same values under two definitions where this is the same.
 */
export function renamedIn(text: string, fields: readonly FieldDefinition[]): readonly string[] {
  const stored = storedByName(fields.filter((field) => storedNameOf(field) !== field.name));
  if (stored.size === 0) return [];
  const words = new Set(text.match(/[A-Za-z][A-Za-z0-9_]*/g));
  return [...words].flatMap((word) => {
    const name = stored.get(word);
    return name === undefined || name === word ? [] : [`${word} ${name}`];
  });
}

/** By the name under which a field was first stored: names that it had, and that its definition does not list. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/** What is known once a catalog has taken the place of another one. */
export function nextNames(
  known: KnownNames,
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): KnownNames {
  const [was, is] = [before, after].map((fields) => new Map(fields.map((field) => [identityOf(field), field])));
  const next = [...new Set([...Object.keys(known), ...(was?.keys() ?? [])])].map((stored) => {
    const [old, field] = [was?.get(stored), is?.get(stored)];
    const listed = field === undefined ? [stored] : namesOf(field);
    const names = new Set([...(known[stored] ?? []), ...(old === undefined ? [] : namesOf(old))]);
    return [
      stored,
      [...names].filter((name) => !listed.includes(name)).slice(-definitionLimits.formerNamesMax),
    ] as const;
  });
  return Object.fromEntries(next.filter(([, names]) => names.length > 0));
}

/** The fields with all that is known of their names, but for what is a name of another field now. */
export function withKnownNames(fields: readonly FieldDefinition[], known: KnownNames = {}): readonly FieldDefinition[] {
  if (Object.keys(known).length === 0) return fields;
  const owned = new Set(fields.flatMap(namesOf));
  return fields.map((field) => {
    const names = (known[identityOf(field)] ?? []).filter((name) => !owned.has(name));
    return names.length === 0 ? field : { ...field, formerNames: [...(field.formerNames ?? []), ...names] };
  });
}
