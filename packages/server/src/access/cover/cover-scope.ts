import type { ConditionTerm } from '../conditions/read-condition.ts';
import type { Effect } from '../effect.ts';
import type { Effort } from '../effort.ts';
import { compileFields, type FieldPatterns, splitFields, takesField } from '../field-set.ts';
import { covers, overlaps, type Pattern, readPattern } from './cover-pattern.ts';

/** What narrows a statement beside its patterns. */
export interface Scope {
  /** The terms of its condition, such that equal ones are equal texts: none for a statement that always applies. */
  readonly condition: ReadonlySet<string>;
  readonly fields: FieldScope | undefined;
}

interface FieldScope {
  readonly patterns: FieldPatterns;
  readonly includes: readonly Pattern[];
  readonly excludes: readonly Pattern[];
}

export const unlimited: Scope = { condition: new Set(), fields: undefined };

export function scopeOf(terms: readonly ConditionTerm[] = [], fields: readonly string[] | undefined): Scope {
  const condition = new Set(terms.map(textOfTerm));
  if (fields === undefined) return { condition, fields };
  const { includes, excludes } = splitFields(fields);
  const patterns = compileFields(fields);
  return { condition, fields: { patterns, includes: includes.map(readPattern), excludes: excludes.map(readPattern) } };
}

/**
 * Whether one applies wherever the other does. A yes is certain. Conditions are not understood: only none at all, or
 * the same one, covers a condition.
 */
export function coversScope(wide: Scope, narrow: Scope, comparison: ScopeComparison): boolean {
  const isSame = wide.condition.size === narrow.condition.size && wide.condition.isSubsetOf(narrow.condition);
  return (wide.condition.size === 0 || isSame) && coversFields(wide.fields, narrow.fields, comparison);
}

export interface ScopeComparison {
  readonly effect: Effect;
  /** The names of each field that has several, in the entities that both may be about. */
  readonly renamed: () => readonly (readonly string[])[];
  readonly effort: Effort;
}

/**
 * Each pattern that includes is covered by one, and what is excluded of it is excluded there too: by the patterns, and
 * for fields with several names by these, since another name of an excluded field is included by no such pattern.
 */
function coversFields(
  wide: FieldScope | undefined,
  narrow: FieldScope | undefined,
  { effect, renamed, effort }: ScopeComparison,
): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  const takes = ({ patterns }: FieldScope, names: readonly string[]) => takesField(patterns, names, { effect, effort });
  if (renamed().some((names) => takes(narrow, names) && !takes(wide, names))) return false;
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
