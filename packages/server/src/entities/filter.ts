import { compareBytes } from '../lib/byte-order.ts';
import type { FieldBehaviour, FieldValue } from './field-types/field-type.ts';
import type { RecordData } from './record.ts';

export const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'between',
  'startswith',
  'contains',
  'exists',
] as const;
export type Operator = (typeof operators)[number];

/** One condition of a list query on one field. `encode` gives the values' order; texts are compared by it. */
export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly FieldValue[];
  readonly encode: NonNullable<FieldBehaviour['encode']>;
}

/** Whether a record meets every filter. A field without a value meets `ne` and `exists=false` only. */
export function meetsAll(filters: readonly Filter[], data: RecordData): boolean {
  return filters.every((filter) => meets(filter, data[filter.field]));
}

function meets(filter: Filter, value: FieldValue | undefined): boolean {
  const { operator, values, encode } = filter;
  if (operator === 'exists') return (value !== undefined) === values[0];
  if (value === undefined) return operator === 'ne';
  const compare = (index: number): number => compareBytes(encode(value), encode(values[index] ?? ''));
  switch (operator) {
    case 'eq':
      return compare(0) === 0;
    case 'ne':
      return compare(0) !== 0;
    case 'gt':
      return compare(0) > 0;
    case 'gte':
      return compare(0) >= 0;
    case 'lt':
      return compare(0) < 0;
    case 'lte':
      return compare(0) <= 0;
    case 'in':
      return values.some((_value, index) => compare(index) === 0);
    case 'between':
      return compare(0) >= 0 && compare(1) <= 0;
    case 'startswith':
      return String(value).startsWith(String(values[0]));
    case 'contains':
      return String(value).includes(String(values[0]));
  }
}
