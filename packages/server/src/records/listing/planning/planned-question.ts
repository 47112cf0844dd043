import { isWhere, type Where } from '../../../lib/where.ts';
import type { CompiledEntity } from '../../../schema/port.ts';
import { type Conditions, type Question, questionOf } from '../../query/question.ts';
import type { Filter } from '../filter.ts';

/**
 * What an engine may be asked of the records of a range. All that leave it are judged here, which counts against the work
 * of a page. So the caller's conditions are in the question only where no other records than the caller's leave: else
 * where a page ends would tell whether hidden records meet them.
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
