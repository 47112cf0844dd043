import { type ConditionTest, compileTerm } from './conditions/condition-test.ts';
import type { AccessContext } from './context.ts';
import type { Effect } from './effect.ts';
import { compileFields, type FieldPatterns } from './field-set.ts';
import { compileGlob, foldAscii, type Glob } from './glob.ts';
import { compileResource, type OpenPath, type ResourceGlob, reaches } from './resource-glob.ts';
import { readStatement, type StatementReading } from './statement.ts';
import { anyOf, type Truth } from './truth.ts';

export type Via =
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

export function compilePolicy(policy: AttachedPolicy): readonly CompiledStatement[] {
  const { statements } = policy;
  // What is no list at all is read as one broken statement: it denies everything.
  const elements: readonly unknown[] = Array.isArray(statements) ? statements : [undefined];
  return elements.map((element) => compileStatement(policy, readStatement(element)));
}

/** What a statement says of a request: whether it takes effect, or what of it is still open. */
export type Standing = boolean | OpenStatement;

export interface OpenStatement {
  readonly statement: CompiledStatement;
  /** Whether it is known that a resource of it matches. */
  readonly isReached: boolean;
  /** Those that are not known to hold. */
  readonly tests: readonly ConditionTest[];
}

const noTests: readonly ConditionTest[] = [];

/** What is asked of statements whose action matches. */
export interface Asked {
  readonly path: string | OpenPath;
  context(): AccessContext;
}

export function standingOf(statement: CompiledStatement, asked: Asked): Standing {
  const reach = reachOf(statement, asked);
  if (reach === false) return false;
  let open = noTests;
  for (const test of statement.tests) {
    const truth = test.test(asked.context());
    if (truth === false) return false;
    if (truth === 'unknown') open = [...open, test];
  }
  if (reach === true && open.length === 0) return true;
  return { statement, isReached: reach === true, tests: open };
}

export function reachOf({ resources }: CompiledStatement, { path, context }: Asked): Truth {
  return anyOf(resources, (glob) => reaches(glob, path, context));
}

/**
 * A broken Allow grants nothing. Anything else that is broken denies all that it may have meant: as far as its action
 * or its resource cannot be read, it stands for every one.
 */
function compileStatement(policy: AttachedPolicy, reading: StatementReading): CompiledStatement {
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
