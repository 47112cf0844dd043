import { hintsOfType } from '@freehold/contract/field-hints';
import { type Field, withHints } from '../definition.ts';

export const searchable: ReadonlySet<string> = new Set(['string', 'email', 'url', 'enum']);
export const unindexed: ReadonlySet<string> = new Set(['json', 'encrypted', 'array']);
export const computed: ReadonlySet<string> = new Set(['formula', 'autoincrement']);

const ofOneType = [...new Set(Object.values(hintsOfType).flat())];

export interface Retyped {
  readonly field: Field;
  /** The hints that were taken out, since they do not apply to the new type. */
  readonly dropped: readonly string[];
}

/** The field with another type. A conversion is of one type too: the next one needs another. */
export function retyped(field: Field, stored: Field | undefined, colType: string): Retyped {
  const fit = hintsOfType[colType] ?? [];
  const unfit = [
    ...ofOneType.filter((hint) => !fit.includes(hint)),
    // A length counts characters of a text and elements of an array, and a default is a value of the former type.
    ...(colType === 'array' || field.colType === 'array' ? ['minlength', 'maxlength'] : []),
    ...(colType === (field.colType ?? 'string') ? [] : ['default', 'backfill']),
    ...(unindexed.has(colType) ? ['index'] : []),
    ...(searchable.has(colType) ? [] : ['search']),
    ...(computed.has(colType) ? ['validate', 'required'] : []),
  ];
  const dropped = [...new Set(unfit)].filter((hint) => hint in field);
  const without = Object.fromEntries(dropped.map((hint) => [hint, undefined]));
  return { field: withHints(field, { ...without, colType, convert: stored?.convert }), dropped };
}
