/** Whether an action on a resource may happen, by the policies of the caller. Pure: no I/O, clock or cache. */

export type { AccessContext, Pending, RecordState, RequestContext } from './context/context.ts';
export { TextPart } from './context/context-value.ts';
export { type KeptTexts, KeptValues } from './context/kept-values.ts';
export {
  type Escalation,
  type Excess,
  findEscalation,
  type GrantChange,
  type HeldPolicy,
  haveExceptions,
  type RenamedEntity,
} from './cover/cover.ts';
export { covers, overlaps, type Pattern, readPattern } from './cover/cover-pattern.ts';
export {
  type AttachedPolicy,
  type CompiledAccess,
  compilePolicies,
  type DecidedRequest,
  type Explanation,
  type MatchedStatement,
} from './decide.ts';
export { decisionSteps, type Effort, isSpent, spend } from './effort.ts';
export type { FailedCondition, NearStatement, ReportedStatement } from './explanation.ts';
export { namesField } from './names/names-field.ts';
export type { RenamedField } from './names/renamed-fields.ts';
export { countPatterns, type PolicyCounts } from './patterns/count-patterns.ts';
export { collapseStars, compileGlob, foldAscii, type Glob, matchesGlob } from './patterns/glob.ts';
export { stepsPerCharacter } from './patterns/glob-search.ts';
export type { Judgement, KnownStates, Outcome, Ruling } from './ruling.ts';
export { statementSchemas } from './schema/statement-schema.ts';
export {
  enforcedOf,
  isReportOnly,
  parseStatements,
  readStatement,
  type Statement,
  type StatementReading,
} from './statement.ts';
export { withoutVariables } from './template.ts';
export { type Verb, verbs } from './verbs.ts';
