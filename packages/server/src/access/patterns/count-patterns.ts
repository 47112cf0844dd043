import { isReportOnly } from '../statement.ts';

/** Of what is enforced of policies: this is what they cost to compile, to keep and to decide by. */
export interface PolicyCounts {
  readonly statementCount: number;
  /** Actions, resources, fields and values of conditions. */
  readonly patternCount: number;
}

/** Counts stored statements as they lie there, which costs far less than to compile them. Broken parts count, too. */
export function countPatterns(policies: readonly { readonly statements: unknown }[]): PolicyCounts {
  const all = policies
    .flatMap(({ statements }): readonly unknown[] => (Array.isArray(statements) ? statements : [statements]))
    .filter((one) => !isReportOnly(one));
  return { statementCount: all.length, patternCount: all.reduce((sum: number, one) => sum + patternsOf(one), 0) };
}

function patternsOf(statement: unknown): number {
  if (!isObject(statement)) return 0;
  const { Action, Resource, Condition, Fields } = statement;
  return valuesIn(Action) + valuesIn(Resource) + valuesIn(Fields) + conditionValuesIn(Condition);
}

function conditionValuesIn(condition: unknown): number {
  if (!isObject(condition)) return 0;
  const terms = Object.values(condition).flatMap((keys) => (isObject(keys) ? Object.values(keys) : []));
  return terms.reduce((sum: number, values) => sum + valuesIn(values), 0);
}

function valuesIn(member: unknown): number {
  if (member === undefined) return 0;
  return Array.isArray(member) ? member.length : 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
