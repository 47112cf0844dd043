import { encodeNumber } from '../order-encoding.ts';
import type { FieldValue } from './field-type.ts';

/** `encode` of the types whose values are numbers. */
export function numberOrder(value: FieldValue): string | undefined {
  return typeof value === 'number' ? encodeNumber(value) : undefined;
}
