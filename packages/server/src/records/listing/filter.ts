import { compareBytes } from '../../lib/byte-order.ts';
import type { FieldBehaviour, FieldValue } from '../../schema/port.ts';
import type { RecordData } from '../record.ts';

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

/** One condition of a list query on one field. */
export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly FieldValue[];
  /** The values in their encoded form, which has their order; none where the field has none. */
  readonly encoded: readonly (string | undefined)[];
  /** @param value undefined where the record has none. */
  readonly meets: (value: FieldValue | undefined) => boolean;
}

/** Whether a record meets every filter. A field without a value meets `ne` and `exists=false` only. */
export function meetsAll(filters: readonly Filter[], data: RecordData): boolean {
  return filters.every(({ field, meets }) => meets(data[field]));
}

/** The condition on a field whose values have an order. */
export function orderedFilter(
  field: string,
  encode: NonNullable<FieldBehaviour['encode']>,
  condition: Pick<Filter, 'operator' | 'values'>,
): Filter {
  const { operator, values } = condition;
  const encoded = values.map((value) => encode(value));
  const meets = (value: FieldValue | undefined): boolean => {
    // A value of another type was left by an older definition: to this one it is absent, as it is in the index.
    const held = value === undefined ? undefined : encode(value);
    if (operator === 'exists') return (held !== undefined) === values[0];
    if (held === undefined) return operator === 'ne';
    if (operator === 'startswith') return String(value).startsWith(String(values[0]));
    if (operator === 'contains') return String(value).includes(String(values[0]));
    return compares(operator, held, encoded);
  };
  return { field, operator, values, encoded, meets };
}

type ComparingOperator = Exclude<Operator, 'exists' | 'startswith' | 'contains'>;

function compares(operator: ComparingOperator, value: string, encoded: Filter['encoded']): boolean {
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
