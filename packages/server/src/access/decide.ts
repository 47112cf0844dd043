import { BoundedMap } from '../lib/bounded-map.ts';
import {
  type Asked,
  type AttachedPolicy,
  type CompiledStatement,
  compilePolicy,
  type OpenStatement,
  standingOf,
} from './compiled-statement.ts';
import type { AccessContext } from './context.ts';
import { countPatterns, type PolicyCounts } from './count-patterns.ts';
import { type Explanation, explain } from './explanation.ts';
import { fieldSetOf } from './field-set.ts';
import { foldAscii, type Glob, matchesGlob } from './glob.ts';
import { OpenRuling } from './open-ruling.ts';
import { decidedRuling, plainRulings, type Ruling } from './ruling.ts';

export type { AttachedPolicy, Via } from './compiled-statement.ts';
export type { Explanation, MatchedStatement } from './explanation.ts';

/**
 * Answers whether a request may happen, from what the caller holds and nothing else. A Deny that takes effect wins over
 * any number of Allows; without an Allow that does the answer is no. A Deny with fields takes them away and denies
 * nothing else. `action` is verb and entity, without regard to ASCII case; `resource` is the canonical path after
 * `/app/{orgCode}`.
 */
export interface CompiledAccess extends PolicyCounts {
  /** `context` is asked only where a statement that may concern the request depends on it, and then once. */
  rule(action: string, resource: string, context: () => AccessContext): Ruling;
  /** The same for a request about some record whose path begins so, whichever it is and however it stands. */
  ruleOnSome(action: string, pathBeforeId: string, context: () => AccessContext): Ruling;
  /**
   * What the Denies alone say, as though all else was allowed, of the records whose paths begin so. Which record it is
   * counts as not known, so `judge` has to be told the id. `context` is that of a request for one of them.
   */
  denials(action: string, pathBeforeId: string, context: () => AccessContext): Ruling;
  explain(action: string, resource: string, context: () => AccessContext): Explanation;
  /** Whether a Deny may concern the action, on whatever resource and under whatever condition. */
  mayDeny(action: string): boolean;
  /** How many stored statements are broken: each is either a Deny on all it may have meant or no grant at all. */
  readonly brokenStatements: number;
}

export function compilePolicies(attached: readonly AttachedPolicy[]): CompiledAccess {
  return new StatementList(attached.flatMap(compilePolicy), countPatterns(attached));
}

/** What is left to be asked once the action is known; `ruling` when nothing is. */
interface ActionPlan {
  readonly ruling: Ruling | undefined;
  readonly denies: readonly CompiledStatement[];
  readonly allows: readonly CompiledStatement[];
  /** Whether the resource decides all. */
  readonly isPlain: boolean;
}

/** Actions contain names sent by callers, so the plans kept for one caller must be bounded. */
const plansMax = 256;

class StatementList implements CompiledAccess {
  readonly brokenStatements: number;
  readonly statementCount: number;
  readonly patternCount: number;
  readonly #statements: readonly CompiledStatement[];
  readonly #plans = new BoundedMap<string, ActionPlan>(plansMax);

  constructor(statements: readonly CompiledStatement[], { statementCount, patternCount }: PolicyCounts) {
    this.#statements = statements;
    this.statementCount = statementCount;
    this.patternCount = patternCount;
    this.brokenStatements = statements.filter((statement) => statement.reading.errors.length > 0).length;
  }

  rule(action: string, resource: string, context: () => AccessContext): Ruling {
    const plan = this.#planOf(action);
    if (plan.ruling !== undefined) return plan.ruling;
    return plan.isPlain ? ruleByPath(plan, resource) : weigh(plan, { path: resource, context: once(context) });
  }

  ruleOnSome(action: string, pathBeforeId: string, context: () => AccessContext): Ruling {
    return weigh(this.#planOf(action), askedOfSome(pathBeforeId, context));
  }

  denials(action: string, pathBeforeId: string, context: () => AccessContext): Ruling {
    const { denies } = this.#planOf(action);
    if (denies.length === 0) return plainRulings.allowed;
    return weigh({ denies, allows: 'everything' }, askedOfSome(pathBeforeId, context));
  }

  explain(action: string, resource: string, context: () => AccessContext): Explanation {
    const asked: Asked = { path: resource, context: once(context) };
    const { outcome } = this.rule(action, resource, asked.context);
    return explain(this.#statements, asked, { foldedAction: foldAscii(action), decision: outcome });
  }

  mayDeny(action: string): boolean {
    return this.#planOf(action).denies.length > 0;
  }

  #planOf(action: string): ActionPlan {
    return this.#plans.get(action) ?? this.#plan(action);
  }

  #plan(action: string): ActionPlan {
    const folded = foldAscii(action);
    const statements = this.#statements.filter((statement) => matchesAny(statement.actions, folded));
    const denies = statements.filter((statement) => statement.effect === 'Deny');
    const allows = statements.filter((statement) => statement.effect === 'Allow');
    const isPlain = statements.every((statement) => statement.isPlain);
    const plan = { ruling: rulingForEveryRequest(denies, allows), denies, allows, isPlain };
    this.#plans.set(action, plan);
    return plan;
  }
}

function matchesAny(globs: readonly Glob[], subject: string): boolean {
  for (const glob of globs) if (matchesGlob(glob, subject)) return true;
  return false;
}

function rulingForEveryRequest(
  denies: readonly CompiledStatement[],
  allows: readonly CompiledStatement[],
): Ruling | undefined {
  if (denies.some(matchesEveryRequest)) return plainRulings.explicit_deny;
  if (denies.length > 0) return undefined;
  if (allows.some(matchesEveryRequest)) return plainRulings.allowed;
  return allows.length === 0 ? plainRulings.implicit_deny : undefined;
}

function matchesEveryRequest(statement: CompiledStatement): boolean {
  return statement.isPlain && statement.resources.some((glob) => glob.kind === 'any');
}

function ruleByPath({ denies, allows }: ActionPlan, path: string): Ruling {
  for (const statement of denies) if (reachesPath(statement, path)) return plainRulings.explicit_deny;
  for (const statement of allows) if (reachesPath(statement, path)) return plainRulings.allowed;
  return plainRulings.implicit_deny;
}

function reachesPath({ resources }: CompiledStatement, path: string): boolean {
  for (const glob of resources) if (glob.kind !== 'variable' && matchesGlob(glob, path)) return true;
  return false;
}

interface Weighed {
  readonly denies: readonly CompiledStatement[];
  readonly allows: readonly CompiledStatement[] | 'everything';
}

function weigh({ denies, allows }: Weighed, asked: Asked): Ruling {
  const denied = sort(denies, asked);
  const taken = denied.inEffect.map(({ fields }) => fields).filter((fields) => fields !== undefined);
  if (taken.length < denied.inEffect.length) return plainRulings.explicit_deny;
  const allowed = allows === 'everything' ? { inEffect: [{ fields: undefined }], open: [] } : sort(allows, asked);
  const granted = allowed.inEffect.map(({ fields }) => fields);
  if (granted.length + allowed.open.length === 0) return plainRulings.implicit_deny;
  const isOpen = denied.open.length > 0 || (allowed.open.length > 0 && !granted.includes(undefined));
  if (isOpen) return new OpenRuling({ asked, granted, taken, openAllows: allowed.open, openDenies: denied.open });
  const fields = fieldSetOf({ granted, by: 'any', taken });
  return fields === undefined ? plainRulings.allowed : decidedRuling({ outcome: 'allowed', fields });
}

interface Sorted {
  readonly inEffect: readonly CompiledStatement[];
  readonly open: readonly OpenStatement[];
}

function sort(statements: readonly CompiledStatement[], asked: Asked): Sorted {
  const inEffect: CompiledStatement[] = [];
  const open: OpenStatement[] = [];
  for (const statement of statements) {
    const standing = standingOf(statement, asked);
    if (standing === true) inEffect.push(statement);
    else if (standing !== false) open.push(standing);
  }
  return { inEffect, open };
}

function once(context: () => AccessContext): () => AccessContext {
  let known: AccessContext | undefined;
  return () => {
    known ??= context();
    return known;
  };
}

function askedOfSome(pathBeforeId: string, context: () => AccessContext): Asked {
  return { path: { before: pathBeforeId }, context: once(() => withRecordOpen(context())) };
}

function withRecordOpen({ record: _, pending = [], ...context }: AccessContext): AccessContext {
  return { ...context, pending: ['record', 'id', ...pending] };
}
