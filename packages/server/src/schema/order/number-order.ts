import type { FieldValue } from '../field-types/field-type.ts';
import { encodeNumber } from './order-encoding.ts';

/** `encode` of the types whose values are numbers. */
export function numberOrder(value: FieldValue): string | undefined {
  return typeof value === 'number' ? encodeNumber(value) : undefined;
}
