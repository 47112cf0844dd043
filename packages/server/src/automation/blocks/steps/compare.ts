import { isDeepStrictEqual } from 'node:util';
import { compareBytes } from '../../../lib/byte-order.ts';
import type { Comparison } from '../../kinds/logicblock-steps.ts';
import { blockFailure } from '../block-failure.ts';

/** Compares two values as the lists of records do; values of different types are neither above nor below each other. */
export function compare(op: Comparison['op'], value: unknown, than: unknown): boolean {
  switch (op) {
    case 'eq':
      return isDeepStrictEqual(value, than);
    case 'ne':
      return !isDeepStrictEqual(value, than);
    case 'gt':
      return isOrdered(value, than, (order) => order > 0);
    case 'gte':
      return isOrdered(value, than, (order) => order >= 0);
    case 'lt':
      return isOrdered(value, than, (order) => order < 0);
    case 'lte':
      return isOrdered(value, than, (order) => order <= 0);
    case 'in':
      return Array.isArray(than) && holds(than, value);
    case 'between': {
      const [low, high] = Array.isArray(than) ? than : [];
      return compare('gte', value, low) && compare('lte', value, high);
    }
    case 'startswith':
      return typeof value === 'string' && typeof than === 'string' && value.startsWith(than);
    case 'contains':
      if (Array.isArray(value)) return holds(value, than);
      return typeof value === 'string' && typeof than === 'string' && value.includes(than);
    case 'exists':
      return (value !== null && value !== undefined) === (than !== false);
  }
}

const elementsMax = 1000;

/** @throws Problem `block_failed` for a list that takes too long to look through. */
function holds(list: readonly unknown[], value: unknown): boolean {
  if (list.length > elementsMax)
    throw blockFailure(`a list that is looked through has at most ${elementsMax} elements`);
  return list.some((one) => isDeepStrictEqual(one, value));
}

function isOrdered(value: unknown, than: unknown, holds: (order: number) => boolean): boolean {
  if (typeof value === 'number' && typeof than === 'number') return holds(value - than);
  return typeof value === 'string' && typeof than === 'string' && holds(compareBytes(value, than));
}
