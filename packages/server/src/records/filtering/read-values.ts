import type { ValueSize } from '../../expressions/port.ts';
import { type FieldValue, valueSize } from '../../schema/port.ts';
import type { RecordData } from '../record.ts';
import { type FilterLanguage, readStored } from './filter-language.ts';

/** What an expression reads of a record; a field without a value is left out. */
export interface ReadValues {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sizes: ReadonlyMap<string, ValueSize>;
}

export const nothing: ValueSize = { characters: 0, elements: 0 };

/** @param names those by which the filter reads the fields. */
export function readValues(catalog: FilterLanguage['values'], data: RecordData, names: Iterable<string>): ReadValues {
  const fields: Record<string, unknown> = {};
  const sizes = new Map<string, ValueSize>();
  for (const name of names) {
    const read = catalog.get(name);
    const field = read?.field ?? name;
    const stored = Object.hasOwn(data, field) ? data[field] : undefined;
    const value = read === undefined ? undefined : readStored(read, stored);
    if (value !== undefined) fields[name] = value;
    sizes.set(name, sizeOf(stored));
  }
  return { fields, sizes };
}

function sizeOf(stored: FieldValue | undefined): ValueSize {
  return { characters: valueSize(stored), elements: Array.isArray(stored) ? stored.length : 0 };
}
