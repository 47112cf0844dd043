/** A row of a seed file, with the references that its values make. */
import { isObject, type JsonObject } from '../json-object.ts';
import { isReference, parseText, type Reference } from './references.ts';

export interface SeedRow {
  /** `seeds/customer.jsonl:3` */
  readonly place: string;
  readonly workspace: string;
  readonly entity: string;
  readonly values: JsonObject;
  readonly references: readonly Reference[];
}

/** Finds the references of a row, and what is wrong with those that are none. */
export function referencesOf(values: JsonObject): { readonly references: Reference[]; readonly mistakes: string[] } {
  const references: Reference[] = [];
  const mistakes: string[] = [];
  for (const text of Object.values(values).flatMap(textsOf)) {
    const parsed = parseText(text);
    if (isReference(parsed)) references.push(parsed);
    else if ('mistake' in parsed) mistakes.push(parsed.mistake);
  }
  return { references, mistakes };
}

/** References stand as the value of a field, or as elements of a list; inside objects texts are texts. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The values of a row with an id in place of each reference. */
export function resolveValues(values: JsonObject, idOf: (reference: Reference) => string): JsonObject {
  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const parsed = parseText(value);
    if (isReference(parsed)) return idOf(parsed);
    return 'plain' in parsed ? parsed.plain : value;
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(resolved) : resolved(value)]),
  );
}

/** A record has a value if its text, as a reference would write it, is the same. */
export function textOfValue(value: unknown): string | undefined {
  return value === null || value === undefined || isObject(value) || Array.isArray(value) ? undefined : String(value);
}

/** As a unique index with `ignoreCase` has a text. */
export function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
