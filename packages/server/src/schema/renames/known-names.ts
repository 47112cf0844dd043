import { identityOf } from '../conversions/conversion.ts';
import { definitionLimits, type FieldDefinition } from '../definition.ts';
import { namesOf } from '../field-names.ts';

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
