/** Whether an action on a resource may happen, by the policies of the caller. Pure: no I/O, clock or cache. */

export type { AttachedPolicy } from './compiled-statement.ts';
export type { AccessContext } from './context/context.ts';
export { TextPart } from './context/member-path.ts';
export { RecordedValues } from './context/recorded-values.ts';
export { findEscalation, whyNotGranted } from './cover/cover.ts';
export { type CompiledAccess, compilePolicies, namesField } from './decide.ts';
export { decisionSteps, type Effort } from './effort.ts';
export type { Explanation } from './explanation.ts';
export { lintStatements } from './lint/lint.ts';
export type { Ruling } from './ruling.ts';
export { statementSchemas } from './schema/statement-schema.ts';
export { countPatterns, enforcedOf, parseStatements, readStatement, type Statement } from './statement.ts';
export { actionMatcher, actionParts, routeOfVerb, runAction, type Verb, verbs } from './verbs.ts';
