/**
 * A field that was renamed is stored under the name that it had before. Above the store everything speaks the name that
 * the field has now, and what the platform stores about fields speaks the stored one: so a rename changes nothing stored.
 */
import type { FieldDefinition } from '../definition.ts';
import { apiNamesOf, storedNameOf } from '../field-names.ts';
import type { FieldValues } from '../field-value.ts';

/** How an entity's records are stored. Both mappings are injective, and each is the inverse of the other. */
export interface StoredNames {
  /** Whether some field is stored under a name that it does not have. */
  readonly areOther: boolean;
  /** The name of the field that is stored so. A stored value that no field has keeps its name, where it is free. */
  inMemory(stored: string): string;
  inStore(name: string): string;
}

const sameNames: StoredNames = { areOther: false, inMemory: (stored) => stored, inStore: (name) => name };

export function storedNames(fields: readonly Pick<FieldDefinition, 'name' | 'storedAs'>[]): StoredNames {
  if (fields.every((field) => storedNameOf(field) === field.name)) return sameNames;
  const stored = new Map(fields.map((field) => [field.name, storedNameOf(field)]));
  const names = new Map(fields.map((field) => [storedNameOf(field), field.name]));
  return {
    areOther: true,
    inMemory: (text) => names.get(text) ?? (stored.has(text) ? unknownMark + text : text),
    inStore: (name) => stored.get(name) ?? (name.startsWith(unknownMark) ? name.slice(unknownMark.length) : name),
  };
}

/** No name of a field begins with it: a value that the definition does not know never gets among those of its fields. */
const unknownMark = '@';

/** Values by the names that their fields have, of values by stored names. */
export function namedValues<Values extends FieldValues>(names: StoredNames, values: Values): Values {
  return names.areOther ? renamed(values, names.inMemory) : values;
}

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
