import type { FieldDefinition, FieldValue, FieldValues, LookupDefinition } from './definition.ts';

/** What a field refers to: by its value, or by each element of an array. */
export function lookupOf({ lookup, items }: FieldDefinition): LookupDefinition | undefined {
  return lookup ?? items?.lookup;
}

/** Whether the field is an array of ids. */
export function isLookupList({ items }: Pick<FieldDefinition, 'items'>): boolean {
  return items?.lookup !== undefined;
}

/** Where the lookup stands in the definition of the field, as a JSON pointer. */
export function lookupPointer(field: FieldDefinition): string {
  return isLookupList(field) ? '/items/lookup' : '/lookup';
}

/** Each element is an index entry and a condition of the commit that brings it. */
export const lookupElementsMax = 100;

/** The ids in an array of lookups, in their order. What an older definition left beyond the bound refers to nothing. */
export function elementIds(value: FieldValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, lookupElementsMax).filter((element) => typeof element === 'string');
}

/** The ids that a record holds in a lookup, each as often as it stands there. */
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
