import type { ConditionTerm } from '../conditions/read-condition.ts';
import type { Effort } from '../effort.ts';
import { splitFields } from '../field-set.ts';
import { covers, overlaps, type Pattern, readPattern } from './cover-pattern.ts';

/** What narrows a statement beside its patterns. */
export interface Scope {
  /** The terms of its condition, such that equal ones are equal texts: none for a statement that always applies. */
  readonly condition: ReadonlySet<string>;
  readonly fields: FieldScope | undefined;
}

interface FieldScope {
  readonly includes: readonly Pattern[];
  readonly excludes: readonly Pattern[];
}

export const unlimited: Scope = { condition: new Set(), fields: undefined };

export function scopeOf(terms: readonly ConditionTerm[] = [], fields: readonly string[] | undefined): Scope {
  const condition = new Set(terms.map(textOfTerm));
  if (fields === undefined) return { condition, fields };
  const { includes, excludes } = splitFields(fields);
  return { condition, fields: { includes: includes.map(readPattern), excludes: excludes.map(readPattern) } };
}

/**
 * Whether one applies wherever the other does. A yes is certain. Conditions are not understood: only none at all, or
 * the same one, covers a condition.
 */
export function coversScope(wide: Scope, narrow: Scope, effort: Effort): boolean {
  const isSame = wide.condition.size === narrow.condition.size && wide.condition.isSubsetOf(narrow.condition);
  return (wide.condition.size === 0 || isSame) && coversFields(wide.fields, narrow.fields, effort);
}

/** Each pattern that includes is covered by one, and what is excluded of it is excluded there too. */
function coversFields(wide: FieldScope | undefined, narrow: FieldScope | undefined, effort: Effort): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  return narrow.includes.every(
    (included) =>
      wide.includes.some((pattern) => covers(pattern, included, effort)) &&
      wide.excludes.every(
        (excluded) =>
          !overlaps(excluded, included, effort) || narrow.excludes.some((pattern) => covers(pattern, excluded, effort)),
      ),
  );
}

function textOfTerm({ operator, key, expected }: ConditionTerm): string {
  return JSON.stringify([operator, key, [...new Set(expected)].sort()]);
}
