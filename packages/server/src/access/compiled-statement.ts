import { foldAscii } from '../lib/fold-ascii.ts';
import { type ConditionTest, compileTerm } from './conditions/condition-test.ts';
import { type Effort, isSpent } from './effort.ts';
import { compileFields, type FieldPatterns } from './field-set.ts';
import { compileGlob, type Glob } from './patterns/glob.ts';
import { compileResource, type PathRequest, type ResourceGlob, reaches } from './patterns/resource-glob.ts';
import { isReportOnly, readStatement, type StatementReading } from './statement.ts';
import { anyOf, type Effect, type Truth } from './truth.ts';

type Via =
  | { readonly kind: 'direct' }
  | { readonly kind: 'group'; readonly groupId: string; readonly groupName: string };

/** A policy that the caller holds, and how. `statements` is stored data: it may be broken. */
export interface AttachedPolicy {
  readonly policyId: string;
  readonly policyName: string;
  readonly via: Via;
  readonly statements: unknown;
}

export interface CompiledStatement {
  readonly policy: AttachedPolicy;
  /** Its place among the statements of the policy, from 0. */
  readonly index: number;
  /** Its place among all that are compiled together. */
  readonly place: number;
  readonly reading: StatementReading;
  readonly effect: Effect;
  /** Folded, to be matched with a folded action. None in a broken Allow. */
  readonly actions: readonly Glob[];
  readonly resources: readonly ResourceGlob[];
  readonly tests: readonly ConditionTest[];
  readonly fields: FieldPatterns | undefined;
  /** Whether it takes effect by action and resource alone, and on every field. */
  readonly isPlain: boolean;
}

/** Those that are enforced, those that are only reported, or all. */
export type CompiledModes = 'enforced' | 'reported' | 'all';

export function compileStatements(
  attached: readonly AttachedPolicy[],
  which: CompiledModes = 'enforced',
): readonly CompiledStatement[] {
  return attached
    .flatMap((policy) => compilePolicy(policy, which))
    .map((statement, place) => ({ ...statement, place }));
}

function compilePolicy(policy: AttachedPolicy, which: CompiledModes): readonly Omit<CompiledStatement, 'place'>[] {
  const { statements } = policy;
  // A value that is no list at all is read as one broken statement: it denies everything.
  const elements: readonly unknown[] = Array.isArray(statements) ? statements : [undefined];
  return elements.flatMap((element, index) => {
    if (which !== 'all' && isReportOnly(element) !== (which === 'reported')) return [];
    return [{ ...compileStatement(policy, readStatement(element)), index }];
  });
}

/** Whether a statement takes effect on a request, or the part of it that is still open. */
export type StatementMatch = boolean | OpenStatement;

export interface OpenStatement {
  readonly statement: CompiledStatement;
  /** Whether it is known that a resource of it matches. */
  readonly isReached: boolean;
  /** Those that are not known to hold. */
  readonly tests: readonly ConditionTest[];
}

/** The result of matching a statement whose action matches. Means nothing once the effort is spent. */
export interface MatchDetails {
  /** The first that matches, or may match. */
  readonly resource: ResourceGlob | undefined;
  /** Whether it is known that one matches. */
  readonly isReached: boolean;
  /** The first that does not hold. */
  readonly failed: ConditionTest | undefined;
  /** Those that are not known to hold. */
  readonly open: readonly ConditionTest[];
}

const missed: MatchDetails = { resource: undefined, isReached: false, failed: undefined, open: [] };
const noTests: readonly ConditionTest[] = [];

export function matchStatement(statement: CompiledStatement, request: PathRequest): MatchDetails {
  if (isSpent(request.effort)) return missed;
  let resource: ResourceGlob | undefined;
  let isReached = false;
  for (const glob of statement.resources) {
    const truth = reaches(glob, request);
    if (truth === false) continue;
    resource ??= glob;
    isReached = truth === true;
    if (isReached) break;
  }
  if (resource === undefined) return missed;
  let open = noTests;
  for (const test of statement.tests) {
    const truth = test.test(request.context(), request.effort);
    if (truth === false) return { resource, isReached, failed: test, open };
    if (truth === 'unknown') open = [...open, test];
  }
  return { resource, isReached, failed: undefined, open };
}

export function matchOf(statement: CompiledStatement, request: PathRequest): StatementMatch {
  return matchStateOf(statement, matchStatement(statement, request), request.effort);
}

/** Once the effort is spent, a Deny counts as taking effect, and an Allow does not. */
export function matchStateOf(
  statement: CompiledStatement,
  { resource, isReached, failed, open }: MatchDetails,
  effort: Effort,
): StatementMatch {
  if (isSpent(effort)) return statement.effect === 'Deny';
  if (resource === undefined || failed !== undefined) return false;
  return isReached && open.length === 0 ? true : { statement, isReached, tests: open };
}

export function reachOf({ resources }: CompiledStatement, request: PathRequest): Truth {
  return anyOf(resources, (glob) => reaches(glob, request));
}

/**
 * A broken Allow grants nothing. Any other broken statement denies all that it may have meant: where its action or its
 * resource cannot be read, it matches every one.
 */
function compileStatement(
  policy: AttachedPolicy,
  reading: StatementReading,
): Omit<CompiledStatement, 'index' | 'place'> {
  const isBroken = reading.errors.length > 0;
  const effect = reading.Effect ?? 'Deny';
  const isVoid = isBroken && effect === 'Allow';
  const actions = isVoid ? [] : (reading.Action ?? ['*']);
  const resources = isVoid ? [] : (reading.Resource ?? ['*']).map((pattern) => compileResource(pattern, effect));
  const tests = isBroken ? [] : (reading.Condition ?? []).map((term) => compileTerm(term, effect));
  const fields = isBroken || reading.Fields === undefined ? undefined : compileFields(reading.Fields);
  return {
    policy,
    reading,
    effect,
    actions: actions.map((pattern) => ({ ...compileGlob(foldAscii(pattern)), pattern })),
    resources,
    tests,
    fields,
    isPlain: tests.length === 0 && fields === undefined && resources.every(({ kind }) => kind !== 'variable'),
  };
}
