import type { FieldValue } from '../field-types/field-type.ts';

/** `encode` of the types whose values are texts in their own order. */
export function textOrder(value: FieldValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
