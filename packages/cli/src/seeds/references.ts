/**
 * A reference in a seed names another record by its fields: `@customer.name=Acme`, with more fields behind `&`:
 * `@customer.name=Acme&country=DE`. Values are percent-decoded. `@@` at the beginning of a text means one `@`.
 */

export interface Reference {
  readonly entity: string;
  /** Sorted by the name of the field. */
  readonly where: readonly (readonly [field: string, value: string])[];
}

const pattern = /^@([a-z][a-z0-9_]*)\.(.+)$/s;

/** @returns the reference, the plain text, or a sentence that says what is wrong. */
export function parseText(text: string): Reference | { readonly plain: string } | { readonly mistake: string } {
  if (!text.startsWith('@')) return { plain: text };
  if (text.startsWith('@@')) return { plain: text.slice(1) };
  const [, entity, conditions] = pattern.exec(text) ?? [];
  const where = conditions?.split('&').map(conditionOf);
  if (entity === undefined || where === undefined || where.includes(undefined))
    return {
      mistake: `\`${text}\` is no reference: write \`@entity.field=value\`, or \`@@\` for a text that begins with @`,
    };
  const found = where.filter((condition) => condition !== undefined);
  return { entity, where: found.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}

function conditionOf(text: string): readonly [string, string] | undefined {
  const [, field, value] = /^([A-Za-z][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) return undefined;
  try {
    return [field, decodeURIComponent(value)];
  } catch {
    return undefined;
  }
}

export function isReference(value: object): value is Reference {
  return 'entity' in value;
}

/** The same text for references to the same fields and values. */
export function keyOfReference({ entity, where }: Reference): string {
  return JSON.stringify([entity, ...where]);
}
