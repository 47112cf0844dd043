import { BoundedMap } from '../lib/bounded-map.ts';
import type { AccessContext } from './context.ts';
import { compileGlob, foldAscii, type Glob, matchesGlob } from './glob.ts';
import { type Outcome, plainRulings, type Ruling } from './ruling.ts';
import { type Effect, readStatement, type StatementReading } from './statement.ts';

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

/** A statement that matched, with the first of its patterns that did. */
export interface MatchedStatement {
  readonly policyId: string;
  readonly policyName: string;
  readonly via: Via;
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly actionPattern: string;
  readonly resourcePattern: string;
  /** What is wrong with a stored statement that counts as a Deny because it cannot be trusted to say less. */
  readonly broken?: StatementReading['errors'];
}

export interface Explanation {
  readonly decision: Outcome;
  readonly matched: readonly MatchedStatement[];
  /** How many statements were looked at. */
  readonly considered: number;
}

/**
 * Answers whether a request may happen, from what the caller holds and nothing else. A matching Deny wins over any
 * number of Allows; without a matching Allow the answer is no. `action` is verb and entity, without regard to ASCII
 * case; `resource` is the canonical path after `/app/{orgCode}`.
 */
export interface CompiledAccess {
  /** How many statements are evaluated: what a decision costs at most, and what this takes to keep. */
  readonly statementCount: number;
  /** `context` is asked only where a statement that may concern the request depends on it. */
  rule(action: string, resource: string, context: () => AccessContext): Ruling;
  explain(action: string, resource: string, context: () => AccessContext): Explanation;
  /** Whether a Deny may concern the action, on whatever resource and under whatever condition. */
  mayDeny(action: string): boolean;
  /** How many stored statements are broken: each is either a Deny on all it may have meant or no grant at all. */
  readonly brokenStatements: number;
}

export function compilePolicies(attached: readonly AttachedPolicy[]): CompiledAccess {
  return new StatementList(attached.flatMap(compilePolicy));
}

interface CompiledStatement {
  readonly policy: AttachedPolicy;
  readonly reading: StatementReading;
  readonly effect: Effect;
  /** Folded, to be matched with a folded action. None in a broken Allow. */
  readonly actions: readonly Glob[];
  readonly resources: readonly Glob[];
}

/** What is left to be asked once the action is known; `ruling` when nothing is. */
interface ActionPlan {
  readonly ruling: Ruling | undefined;
  readonly denies: readonly CompiledStatement[];
  readonly allows: readonly CompiledStatement[];
}

/** Actions contain names sent by callers, so the plans kept for one caller must be bounded. */
const plansMax = 256;

class StatementList implements CompiledAccess {
  readonly brokenStatements: number;
  readonly #statements: readonly CompiledStatement[];
  readonly #plans = new BoundedMap<string, ActionPlan>(plansMax);

  constructor(statements: readonly CompiledStatement[]) {
    this.#statements = statements;
    this.brokenStatements = statements.filter((statement) => statement.reading.errors.length > 0).length;
  }

  get statementCount(): number {
    return this.#statements.length;
  }

  rule(action: string, resource: string): Ruling {
    const plan = this.#planOf(action);
    if (plan.ruling !== undefined) return plan.ruling;
    for (const statement of plan.denies)
      if (matchesAny(statement.resources, resource)) return plainRulings.explicit_deny;
    for (const statement of plan.allows) if (matchesAny(statement.resources, resource)) return plainRulings.allowed;
    return plainRulings.implicit_deny;
  }

  mayDeny(action: string): boolean {
    return this.#planOf(action).denies.length > 0;
  }

  explain(action: string, resource: string): Explanation {
    const folded = foldAscii(action);
    const matched = this.#statements
      .map((statement) => explainMatch(statement, folded, resource))
      .filter((match) => match !== undefined);
    return { decision: outcomeOf(matched), matched, considered: this.#statements.length };
  }

  #planOf(action: string): ActionPlan {
    return this.#plans.get(action) ?? this.#plan(action);
  }

  #plan(action: string): ActionPlan {
    const folded = foldAscii(action);
    const statements = this.#statements.filter((statement) => matchesAny(statement.actions, folded));
    const denies = statements.filter((statement) => statement.effect === 'Deny');
    const allows = statements.filter((statement) => statement.effect === 'Allow');
    const plan = { ruling: rulingForEveryResource(denies, allows), denies, allows };
    this.#plans.set(action, plan);
    return plan;
  }
}

function matchesAny(globs: readonly Glob[], subject: string): boolean {
  for (const glob of globs) if (matchesGlob(glob, subject)) return true;
  return false;
}

function rulingForEveryResource(
  denies: readonly CompiledStatement[],
  allows: readonly CompiledStatement[],
): Ruling | undefined {
  if (denies.some(matchesEveryResource)) return plainRulings.explicit_deny;
  if (denies.length > 0) return undefined;
  if (allows.some(matchesEveryResource)) return plainRulings.allowed;
  return allows.length === 0 ? plainRulings.implicit_deny : undefined;
}

function matchesEveryResource(statement: CompiledStatement): boolean {
  return statement.resources.some((glob) => glob.kind === 'any');
}

function outcomeOf(matched: readonly MatchedStatement[]): Outcome {
  if (matched.some((match) => match.Effect === 'Deny')) return 'explicit_deny';
  return matched.length > 0 ? 'allowed' : 'implicit_deny';
}

function explainMatch(
  statement: CompiledStatement,
  foldedAction: string,
  resource: string,
): MatchedStatement | undefined {
  const { policy, reading, effect } = statement;
  const action = statement.actions.find((glob) => matchesGlob(glob, foldedAction));
  const target = statement.resources.find((glob) => matchesGlob(glob, resource));
  if (action === undefined || target === undefined) return undefined;
  return {
    policyId: policy.policyId,
    policyName: policy.policyName,
    via: policy.via,
    ...(reading.Sid === undefined ? {} : { Sid: reading.Sid }),
    Effect: effect,
    actionPattern: action.pattern,
    resourcePattern: target.pattern,
    ...(reading.errors.length === 0 ? {} : { broken: reading.errors }),
  };
}

function compilePolicy(policy: AttachedPolicy): readonly CompiledStatement[] {
  const { statements } = policy;
  // What is no list at all is read as one broken statement: it denies everything.
  const elements: readonly unknown[] = Array.isArray(statements) ? statements : [undefined];
  return elements.map((element) => compileStatement(policy, readStatement(element)));
}

/**
 * A broken Allow grants nothing. Anything else that is broken denies all that it may have meant: as far as its action
 * or its resource cannot be read, it stands for every one.
 */
function compileStatement(policy: AttachedPolicy, reading: StatementReading): CompiledStatement {
  const isBroken = reading.errors.length > 0;
  const effect = reading.Effect ?? 'Deny';
  if (isBroken && effect === 'Allow') return { policy, reading, effect, actions: [], resources: [] };
  const actions = reading.Action ?? ['*'];
  const resources = reading.Resource ?? ['*'];
  return {
    policy,
    reading,
    effect,
    actions: actions.map((pattern) => ({ ...compileGlob(foldAscii(pattern)), pattern })),
    resources: resources.map(compileGlob),
  };
}
