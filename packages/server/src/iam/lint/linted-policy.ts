import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import {
  collapseStars,
  compileGlob,
  type Effort,
  foldAscii,
  type Glob,
  isSpent,
  matchesGlob,
  type Pattern,
  readPattern,
  readStatement,
  type StatementReading,
  spend,
  withoutVariables,
} from '../../access/port.ts';

/** What an author of policies should review. */
export type Finding = ReplyOf<typeof accessApi.lintStatements>['findings'][number];

/** Looks for one kind of trap. */
export type LintRule = (policy: LintedPolicy) => readonly Finding[];

export interface LintedPolicy {
  /** Those in which nothing is wrong. */
  readonly statements: readonly LintedStatement[];
  readonly entities: readonly LintedEntity[];
  /** Everything that the policies are ever asked. */
  readonly requests: readonly KnownRequest[];
  /** The comparisons that may still be made. */
  readonly effort: Effort;
}

/** What an app can ask the policies: an action, and where it is asked for. */
export interface KnownRequest {
  readonly action: string;
  /** Undefined for what is about the workspace itself. */
  readonly entityName: string | undefined;
  readonly paths: readonly Pattern[];
}

export interface LintedEntity {
  readonly name: string;
  /** Every name by which policies may call a field, here and below. */
  readonly fields: ReadonlySet<string>;
  /** Those of its fields that hold several values. */
  readonly lists: ReadonlySet<string>;
  /** The names of each field that has several, its present one first. */
  readonly renamed: readonly (readonly string[])[];
  /** Its lookups, and the entities to which they refer. */
  readonly references: readonly { readonly field: string; readonly entity: string }[];
}

export interface LintedStatement {
  /** Where it stands in the body. */
  readonly pointer: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly actions: readonly LintedPattern[];
  readonly resources: readonly LintedPattern[];
  readonly terms: NonNullable<StatementReading['Condition']>;
  readonly fields: readonly string[] | undefined;
  readonly isReportOnly: boolean;
}

export interface LintedPattern {
  readonly pointer: string;
  readonly text: string;
  readonly glob: Glob;
  /** Its reach at the most: a variable may stand for anything. */
  readonly reach: Pattern;
}

/** @param input the statement as it was sent. Undefined for one in which something is wrong. */
export function lintedStatement(input: unknown, pointer: string): LintedStatement | undefined {
  const { Effect, Action, Resource, Condition = [], Fields, Mode, errors } = readStatement(input);
  if (errors.length > 0 || Effect === undefined || Action === undefined || Resource === undefined) return undefined;
  const placesOf = (member: 'Action' | 'Resource', texts: readonly string[]): readonly LintedPattern[] => {
    const place = `${pointer}/${member}`;
    const isList = isObject(input) && Array.isArray(input[member]);
    return texts.map((text, index) => lintedPattern(isList ? `${place}/${index}` : place, text));
  };
  return {
    pointer,
    Effect,
    actions: placesOf('Action', Action.map(foldAscii)),
    resources: placesOf('Resource', Resource),
    terms: Condition,
    fields: Fields,
    isReportOnly: Mode === 'report',
  };
}

function lintedPattern(pointer: string, text: string): LintedPattern {
  const widest = collapseStars(withoutVariables(text));
  return { pointer, text, glob: compileGlob(widest), reach: readPattern(widest) };
}

/** Whether a pattern may match a text. */
export function mayMatch({ glob }: LintedPattern, text: string, effort: Effort): boolean {
  return !spend(effort, 1) || matchesGlob(glob, text, effort) || isSpent(effort);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
