import type { ConditionTerm } from '../conditions/read-condition.ts';
import { type Effort, spend } from '../effort.ts';
import { compileFields, type FieldPatterns, splitFields, takesField } from '../field-set.ts';
import type { Effect } from '../truth.ts';

/**
 * A pattern, as a set of strings to compare with another. It is as `compileGlob` takes it: `*` stands for any run of
 * characters, `?` for exactly one code point. To compare actions, fold both of them first.
 */
export interface Pattern {
  readonly text: string;
  readonly symbols: readonly number[];
  /** The same reach, with a `*` beside every `?` of a run that has one: so the run can take up what it has to in any order. */
  readonly spread: readonly number[];
}

const star = -1;
const any = -2;

export function readPattern(text: string): Pattern {
  const symbols = Array.from(text, symbolOf);
  return { text, symbols, spread: spreadRuns(symbols) };
}

/**
 * Whether every string that `narrow` matches is matched by `wide`. A yes is certain; a no may be wrong where the reach
 * is covered in a way that the symbols do not show.
 *
 * The walk is that of a glob over a subject, the symbols of `narrow` taken as the subject: a `*` of `wide` may take up
 * any of them, a `?` a symbol that stands for exactly one character, and a `*` of `narrow` is taken up by a `*` alone.
 */
export function covers(wide: Pattern, narrow: Pattern, effort: Effort): boolean {
  if (!spend(effort, 1)) return false;
  if (wide.text === narrow.text) return true;
  const [pattern, subject] = [wide.spread, narrow.symbols];
  let place = 0;
  let position = 0;
  let afterStar = -1;
  let retryAt = 0;
  while (position < subject.length) {
    if (!spend(effort, 1)) return false;
    if (pattern[place] === star) {
      place += 1;
      afterStar = place;
      retryAt = position;
    } else if (takesUp(pattern[place], subject[position])) {
      place += 1;
      position += 1;
    } else if (afterStar === -1) {
      return false;
    } else {
      retryAt += 1;
      place = afterStar;
      position = retryAt;
    }
  }
  while (pattern[place] === star) place += 1;
  return place === pattern.length;
}

/** Whether some string is matched by both patterns. A no is certain, and so is a yes while the effort lasts. */
export function overlaps(left: Pattern, right: Pattern, effort: Effort): boolean {
  if (!spend(effort, 1)) return true;
  const [one, other] = [left.symbols, right.symbols];
  if (endsDiffer(one, other)) return false;
  if (!spend(effort, (one.length + 1) * (other.length + 1))) return true;
  // `row[j]` tells whether the rest of `one` from the current place and the rest of `other` from j have a string in common.
  let below: readonly boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = other.length; j >= 0; j--) row[j] = restsMeet(one[i], other[j], { row, below, j });
    below = row;
  }
  return below[0] === true;
}

interface Rests {
  readonly row: readonly boolean[];
  readonly below: readonly boolean[];
  readonly j: number;
}

/** A `*` may end, or take up the next symbol of the other pattern, whatever that is; two other symbols meet one to one. */
function restsMeet(one: number | undefined, other: number | undefined, { row, below, j }: Rests): boolean {
  if (one === undefined && other === undefined) return true;
  if (one === star && (below[j] === true || (other !== undefined && row[j + 1] === true))) return true;
  if (other === star && (row[j + 1] === true || (one !== undefined && below[j] === true))) return true;
  if (one === undefined || other === undefined || one === star || other === star) return false;
  return (one === other || one === any || other === any) && below[j + 1] === true;
}

/** Whether the fixed starts, or the fixed ends, already tell the two apart. */
function endsDiffer(one: readonly number[], other: readonly number[]): boolean {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a = star, b = star] = [one[index], other[index]];
    if (a < 0 || b < 0) break;
    if (a !== b) return true;
  }
  for (let index = 1; index <= length; index++) {
    const [a = star, b = star] = [one[one.length - index], other[other.length - index]];
    if (a < 0 || b < 0) break;
    if (a !== b) return true;
  }
  return false;
}

function takesUp(symbol: number | undefined, taken: number | undefined): boolean {
  return symbol === taken || (symbol === any && taken !== star);
}

function symbolOf(character: string): number {
  if (character === '*') return star;
  return character === '?' ? any : (character.codePointAt(0) ?? 0);
}

function spreadRuns(symbols: readonly number[]): readonly number[] {
  const spread: number[] = [];
  let index = 0;
  while (index < symbols.length) {
    const run = wildcardsAt(symbols, index);
    if (run.length === 0) spread.push(symbols[index] ?? 0);
    else if (run.includes(star))
      spread.push(star, ...run.filter((symbol) => symbol === any).flatMap(() => [any, star]));
    else spread.push(...run);
    index += Math.max(run.length, 1);
  }
  return spread;
}

function wildcardsAt(symbols: readonly number[], start: number): readonly number[] {
  let end = start;
  while ((symbols[end] ?? 0) < 0) end += 1;
  return symbols.slice(start, end);
}

/** The conditions and fields that narrow a statement beside its patterns. */
export interface CoverScope {
  /** The terms of its condition, such that equal ones are equal texts: none for a statement that always applies. */
  readonly condition: ReadonlySet<string>;
  readonly fields: FieldScope | undefined;
}

interface FieldScope {
  readonly patterns: FieldPatterns;
  readonly includes: readonly Pattern[];
  readonly excludes: readonly Pattern[];
}

export const unlimited: CoverScope = { condition: new Set(), fields: undefined };

export function scopeOf(terms: readonly ConditionTerm[] = [], fields: readonly string[] | undefined): CoverScope {
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
export function coversScope(wide: CoverScope, narrow: CoverScope, comparison: ScopeComparison): boolean {
  const isSame = wide.condition.size === narrow.condition.size && wide.condition.isSubsetOf(narrow.condition);
  return (wide.condition.size === 0 || isSame) && coversFields(wide.fields, narrow.fields, comparison);
}

interface ScopeComparison {
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
