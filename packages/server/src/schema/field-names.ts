/** By which names callers, policies and stored records know a field. */
import type { FieldDefinition } from './definition.ts';

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

/** The field that a caller means by a name. */
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
  /** By each of the names. */
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
