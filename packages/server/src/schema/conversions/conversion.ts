/**
 * A field that was converted is stored under another name than before, so that the values of before stay as they are: an
 * earlier definition, as after a rollback, reads them again.
 */
import type { ConversionDefinition, ConvertedField, FieldDefinition } from '../definition.ts';
import { storedNameOf } from '../field-names.ts';

/**
 * The name that the values of a field have once they are converted. It ends with the config version of the change, or with
 * the next number where that is not the highest, as in an org that got the definition with conversions of another one.
 * @param known other names under which there may be values, such as those of a definition before a rollback.
 */
export function convertedName(field: FieldDefinition, known: readonly string[], version: number): string {
  const root = identityOf(field);
  const own = [...storedNamesOf(field), ...known].filter((name) => rootOf(name) === root);
  return `${root}@${Math.max(version, ...own.map((name) => conversionOf(name) + 1))}`;
}

/** The first name under which the values of a field were stored. */
export function rootOf(stored: string): string {
  return stored.split('@', 1)[0] ?? stored;
}

/** The same for all definitions of a field, however it is renamed and converted. */
export function identityOf(field: Pick<FieldDefinition, 'name' | 'storedAs'>): string {
  return rootOf(storedNameOf(field));
}

/** The config version of the conversion that stored values so; 0 for values that were never converted. */
export function conversionOf(stored: string): number {
  return Number(stored.split('@', 2)[1] ?? 0);
}

/** What the field was before each of its conversions, the latest first. */
export function formerFields({ convert }: Pick<FieldDefinition, 'convert'>): readonly ConvertedField[] {
  return convert === undefined ? [] : [convert.from, ...formerFields(convert.from)];
}

/** Every name under which records may have values of the field. */
export function storedNamesOf(field: FieldDefinition): readonly string[] {
  return [storedNameOf(field), ...formerFields(field).map(({ storedAs }) => storedAs)];
}

/** The conversion of a field by an expression, from what the field is. */
export function conversionFrom(cel: string, field: FieldDefinition): ConversionDefinition {
  const { name, colType, items, lookup, convert } = field;
  const members = Object.entries({ name, colType, items, lookup, storedAs: storedNameOf(field), convert });
  const from = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return { cel, from: from as unknown as ConvertedField };
}
