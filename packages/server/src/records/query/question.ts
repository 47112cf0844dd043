/** The question to an engine about records, and whether its answer needs a second look. */
import { isWhere, type Where } from '../../lib/where.ts';
import { allOfBounds, isExact, unknownBounds, type WhereBounds } from '../../lib/where-bounds.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { FilterExpression } from '../filtering/filter-language.ts';
import type { Filter } from '../listing/filter.ts';
import type { RecordPolicy } from '../record-policy.ts';
import type { SearchTest } from '../search/words.ts';
import { filterBounds } from './filter-bounds.ts';
import { judgedMembers } from './stored-member.ts';

/** `where` holds of every record of the answer. `isExact`: and of no other, so the engine alone may count them. */
export interface Question {
  readonly where: Where;
  readonly isExact: boolean;
}

/** The conditions on the records of an answer. */
export interface Conditions {
  readonly filters: readonly Filter[];
  readonly expression: FilterExpression | undefined;
  readonly search: SearchTest | undefined;
  /** Which records are the caller's. */
  readonly rows: RecordPolicy | undefined;
}

export function questionOf(entity: CompiledEntity, conditions: Conditions): Question {
  const bounds = boundsOf(entity, conditions);
  return { where: bounds.above, isExact: isExact(bounds) };
}

export function boundsOf(entity: CompiledEntity, { filters, expression, search, rows }: Conditions): WhereBounds {
  return allOfBounds([
    ...filters.map((filter) => filterBounds(entity, filter)),
    ...(expression === undefined ? [] : [expression.bounds()]),
    // Words are those of folded texts.
    ...(search === undefined ? [] : [unknownBounds]),
    ...(rows === undefined ? [] : [rows.bounds?.(judgedMembers(entity)) ?? unknownBounds]),
  ]);
}

/**
 * The conditions of a range's records that an engine may judge. All that leave it are judged here, which counts against
 * the work of a page. So the caller's conditions are in the question only where no other records than the caller's
 * leave: else the end of a page would tell whether hidden records meet them.
 */
export function askableQuestion(
  entity: CompiledEntity,
  conditions: Conditions,
  rowFilters: readonly Filter[],
): Question {
  const { rows, ...others } = conditions;
  if (rows === undefined) return questionOf(entity, conditions);
  const own = questionOf(entity, { filters: rowFilters, expression: undefined, search: undefined, rows });
  const rest = questionOf(entity, { ...others, rows: undefined });
  const where: Where = { kind: 'and', parts: [own.where, rest.where] };
  return own.isExact && isWhere(where) ? { where, isExact: rest.isExact } : { where: own.where, isExact: false };
}
