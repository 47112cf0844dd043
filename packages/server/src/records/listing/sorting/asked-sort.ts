/** What is asked for by `sortby=customer_id.tier`: an order by fields of the record that a lookup points to. */
import { type CompiledEntity, fieldName, isLookupList, lookupOf, type OrderedField } from '../../../schema/port.ts';
import type { Filter } from '../filter.ts';

/** Before the definition of the other entity is read. */
export interface AskedLookupSort {
  /** The lookup. */
  readonly field: string;
  /** `sortby` and `sortdir` as a list of the other records would take them. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The same for one request. */
export interface LookupSort extends Pick<AskedLookupSort, 'field'> {
  /** To whose records the lookup points. */
  readonly entity: CompiledEntity;
  /** Fields of these. */
  readonly sortKeys: readonly OrderedField[];
  /** The direction of the first. */
  readonly descending: boolean;
  /** Conditions that each of them meets to which a record of the answer points. */
  readonly implied: readonly Filter[];
}

export interface SortMistake {
  readonly code: string;
  readonly message: string;
}

/** Undefined where all names are those of fields of the entity itself. */
export function askedLookupSort(
  entity: CompiledEntity,
  names: readonly string[],
  sortdir: string | undefined,
): AskedLookupSort | SortMistake | undefined {
  const paths = names.map((name) => name.split('.'));
  const [lookup] = paths.find(({ length }) => length > 1) ?? [];
  if (lookup === undefined) return undefined;
  const field = fieldName(entity, lookup);
  const definition = entity.fields.get(field)?.definition;
  const shown = lookup.slice(0, 100);
  if (definition === undefined || lookupOf(definition) === undefined)
    return { code: 'unknown_field', message: `entity \`${entity.name}\` has no lookup \`${shown}\`` };
  if (isLookupList(definition))
    return { code: 'not_sortable', message: `\`${shown}\` holds several records, and none of them orders a list` };
  if (paths.some(([name = '', member]) => member === undefined || fieldName(entity, name) !== field)) {
    const message = `no index has the order of fields of the record that \`${shown}\` points to together with others: sort by those alone`;
    return { code: 'contradiction', message };
  }
  if (paths.some(({ length }) => length > 2))
    return { code: 'not_sortable', message: `\`sortby\` follows \`${shown}\` one step, to fields of the other record` };
  const parameters = new Map([['sortby', paths.map(([, member]) => member).join()]]);
  if (sortdir !== undefined) parameters.set('sortdir', sortdir);
  return { field, parameters };
}
