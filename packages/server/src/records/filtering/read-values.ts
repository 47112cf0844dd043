import type { ValueSize } from '../../expressions/port.ts';
import { type ExpressionValue, type FieldValue, valueSize } from '../../schema/port.ts';
import type { RecordData } from '../record.ts';
import { readStored } from './filter-language.ts';

/** What an expression reads of a record; a field without a value is left out. */
export interface ReadValues {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sizes: ReadonlyMap<string, ValueSize>;
}

export const nothing: ValueSize = { characters: 0, elements: 0 };

/** @param catalog how values stand in expressions, by the fields that may be read. */
export function readValues(
  catalog: ReadonlyMap<string, ExpressionValue>,
  data: RecordData,
  names: Iterable<string>,
): ReadValues {
  const fields: Record<string, unknown> = {};
  const sizes = new Map<string, ValueSize>();
  for (const name of names) {
    const stored = Object.hasOwn(data, name) ? data[name] : undefined;
    const read = catalog.get(name);
    const value = read === undefined ? undefined : readStored(read, stored);
    if (value !== undefined) fields[name] = value;
    sizes.set(name, sizeOf(stored));
  }
  return { fields, sizes };
}

function sizeOf(stored: FieldValue | undefined): ValueSize {
  return { characters: valueSize(stored), elements: Array.isArray(stored) ? stored.length : 0 };
}
