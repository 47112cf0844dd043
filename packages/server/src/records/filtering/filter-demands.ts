import type { Demand } from '../../expressions/port.ts';
import type { CompiledEntity, ExpressionValue, FieldValue } from '../../schema/port.ts';
import { type Filter, type Operator, orderedFilter } from '../listing/filter.ts';
import { namedBehaviour } from '../listing/named-behaviour.ts';
import { readStored } from './filter-language.ts';

/** A condition that holds of all records of which a part of an expression does. */
export interface Implied {
  readonly filter: Filter;
  /** Whether the part holds of all records of which the condition does, too. */
  readonly isSame: boolean;
}

/** The field of a part, how its values stand in expressions, and what they are compared with. */
export interface Comparison extends Pick<Demand, 'field' | 'operator'> {
  readonly value: ExpressionValue;
  readonly constant: unknown;
}

/** Undefined where the order of the field's values is not known to be the one that the expression compares by. */
export function impliedFilter(entity: CompiledEntity, comparison: Comparison): Implied | undefined {
  const { field, operator, value, constant } = comparison;
  const encode = namedBehaviour(entity, field)?.encode;
  const constants: readonly unknown[] = operator === 'in' && Array.isArray(constant) ? constant : [constant];
  const bounds = constants.flatMap((one) => boundOf(value, one) ?? []);
  if (encode === undefined || bounds.length < constants.length) return undefined;
  // A day is compared with the beginning of the day that a time is in: so the bound itself is let through.
  const filter = orderedFilter(field, encode, { operator: closed[operator], values: bounds });
  const isSame = (bound: FieldValue, at: number): boolean => isSameValue(readStored(value, bound), constants[at]);
  return { filter, isSame: (operator === '==' || operator === 'in') && bounds.every(isSame) };
}

function boundOf(value: ExpressionValue, constant: unknown): readonly [FieldValue] | undefined {
  const bound = constant === undefined ? undefined : value.write?.(constant);
  return bound === undefined || !isComparable(bound, constant) ? undefined : [bound];
}

const closed: Readonly<Record<Demand['operator'], Operator>> = {
  '==': 'eq',
  '<': 'lte',
  '<=': 'lte',
  '>': 'gte',
  '>=': 'gte',
  startsWith: 'startswith',
  in: 'in',
};

function isComparable(bound: FieldValue, constant: unknown): boolean {
  if (typeof bound !== 'string') return true;
  // No store has these, and one might take them for others.
  if (!bound.isWellFormed() || bound.includes('\0')) return false;
  return !(constant instanceof Date) || /^\d{4}-/.test(bound);
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (typeof left === 'bigint' || typeof right === 'bigint')
    return left !== undefined && Number(left) === Number(right);
  return left === right;
}

/** The conditions with the two ends of a range as one, since one condition narrows the range of an index. */
export function withRanges(filters: readonly Filter[]): readonly Filter[] {
  const ranges = filters.flatMap((least) => {
    const most = filters.find(({ field, operator }) => field === least.field && operator === 'lte');
    if (least.operator !== 'gte' || most === undefined) return [];
    const { field, meets } = least;
    const values = [...least.values, ...most.values];
    const encoded = [...least.encoded, ...most.encoded];
    return [
      {
        field,
        operator: 'between' as const,
        values,
        encoded,
        meets: (value) => meets(value) && most.meets(value),
      } satisfies Filter,
    ];
  });
  return [...ranges, ...filters];
}
