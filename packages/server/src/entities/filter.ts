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

/** One condition of a list query on one field. Values are compared in their encoded form, which has their order. */
export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly FieldValue[];
  /** The values, encoded once for all records. */
  readonly encoded: readonly (string | undefined)[];
  readonly encode: NonNullable<FieldBehaviour['encode']>;
}

/** Whether a record meets every filter. A field without a value meets `ne` and `exists=false` only. */
export function meetsAll(filters: readonly Filter[], data: RecordData): boolean {
  return filters.every((filter) => meets(filter, data[filter.field]));
}

function meets(filter: Filter, value: FieldValue | undefined): boolean {
  const { operator, values } = filter;
  // A value of another type was left by an older definition: to this one it is absent, as it is in the index.
  const encoded = value === undefined ? undefined : filter.encode(value);
  if (operator === 'exists') return (encoded !== undefined) === values[0];
  if (encoded === undefined) return operator === 'ne';
  if (operator === 'startswith') return String(value).startsWith(String(values[0]));
  if (operator === 'contains') return String(value).includes(String(values[0]));
  return compares(filter, operator, encoded);
}

type ComparingOperator = Exclude<Operator, 'exists' | 'startswith' | 'contains'>;

function compares({ encoded }: Filter, operator: ComparingOperator, value: string): boolean {
  const compare = (index: number): number => compareBytes(value, encoded[index] ?? '');
  switch (operator) {
    case 'eq':
      return value === encoded[0];
    case 'ne':
      return value !== encoded[0];
    case 'gt':
      return compare(0) > 0;
    case 'gte':
      return compare(0) >= 0;
    case 'lt':
      return compare(0) < 0;
    case 'lte':
      return compare(0) <= 0;
    case 'in':
      return encoded.includes(value);
    case 'between':
      return compare(0) >= 0 && compare(1) <= 0;
  }
}
