import { foldAscii } from '../lib/fold-ascii.ts';
import {
  type AttachedPolicy,
  type CompiledModes,
  type CompiledStatement,
  compileStatements,
} from './compiled-statement.ts';
import type { AccessContext } from './context/context.ts';
import type { ContextKey } from './context/context-key.ts';
import { type RecordedTexts, readKept } from './context/recorded-values.ts';
import { type Effort, isSpent, wholeEffort } from './effort.ts';
import {
  type Explanation,
  explain,
  type RenamedField,
  type ReportedStatement,
  renamedFields,
  reportedBy,
} from './explanation.ts';
import { weigh } from './open-ruling.ts';
import { matchesGlob } from './patterns/glob.ts';
import { keysOf, type PathRequest } from './patterns/resource-glob.ts';
import { type Outcome, plainRulings, type Ruling } from './ruling.ts';
import { PathClasses, type SelectedPath, type StatementSelection, select, selectAll } from './selection/selection.ts';
import { countPatterns, isReportOnly, type PolicyCounts } from './statement.ts';
import { verbs } from './verbs.ts';

/**
 * Answers whether a request may happen, from what the caller holds and nothing else. A Deny that takes effect wins over
 * any number of Allows; without an Allow that does the answer is no. A Deny with fields takes them away and denies
 * nothing else. `action` is verb and entity, without regard to ASCII case; `resource` is the canonical path after
 * `/app/{orgCode}`.
 */
export interface CompiledAccess extends PolicyCounts {
  /** `context` is asked only where a statement that may concern the request depends on it, and then once. */
  rule(action: string, resource: string, context: () => AccessContext, effort?: Effort): Ruling;
  /** The same for a request about some record whose path begins so, whichever it is and whatever its state. */
  ruleOnSome(action: string, pathBeforeId: string, context: () => AccessContext): Ruling;
  /**
   * The ruling of the Denies alone, as though all else was allowed, on records whose paths begin so. Which record it is
   * counts as not known, so `evaluate` needs the id. `context` is that of a request for one of them.
   */
  denials(action: string, pathBeforeId: string, context: () => AccessContext): Ruling;
  explain(action: string, resource: string, context: () => AccessContext): Explanation;
  /** The statements that are never enforced and take effect, with what each would change of the outcome. */
  reports(request: DecidedRequest, context: () => AccessContext): readonly ReportedStatement[];
  /** The fields that the statements about an action call by a name other than the present one. */
  renamedFields(action: string, context: () => AccessContext): readonly RenamedField[];
  /** The values that statements about an action, enforced or only reported, ask of a call beside its usual ones. */
  keep(action: string, context: () => AccessContext, isSecret: (field: string) => boolean): RecordedTexts;
  /** Whether a Deny may concern the action, on whatever resource and under whatever condition. */
  mayDeny(action: string): boolean;
  /** Whether any statement is only reported. */
  readonly hasReports: boolean;
  /** The number of broken stored statements: each is either a Deny on all it may have meant or no grant at all. */
  readonly brokenStatements: number;
}

interface DecidedRequest {
  readonly action: string;
  readonly resource: string;
  readonly outcome: Outcome;
}

/** From how many on statements are indexed: below, to look at each costs less. */
interface IndexThresholds {
  readonly statements: number;
  /** Of different texts under one key. */
  readonly texts: number;
}

const usualThresholds: IndexThresholds = { statements: 8, texts: 4 };

export function compilePolicies(attached: readonly AttachedPolicy[], thresholds = usualThresholds): CompiledAccess {
  return new StatementList(attached, { thresholds, which: 'enforced' });
}

/** As though each statement was enforced that is only reported. */
function compileAllStatements(attached: readonly AttachedPolicy[]): CompiledAccess {
  return new StatementList(attached, { thresholds: usualThresholds, which: 'all' });
}

/** The checks that are left once the action is known; `ruling` when there are none. */
interface ActionPlan {
  readonly ruling: Ruling | undefined;
  readonly denies: readonly CompiledStatement[];
  readonly allows: readonly CompiledStatement[];
  /** All of them. */
  readonly whole: StatementSelection;
  /** Those for the paths of a class, by its name; `undefined` where there are too few statements for it to pay. */
  readonly selections: Map<string, StatementSelection> | undefined;
  /** Whether the resource decides all. */
  readonly isPlain: boolean;
  /** Whether it took too much to tell which statements the action concerns. */
  readonly isSpent: boolean;
}

/**
 * Actions contain names sent by callers, so the plans kept for one caller must be bounded: beyond these all are made
 * again.
 */
const plansMax = 256;

/** The most references that plans keep for each statement: each can be in all plans. Half may be selections. */
const referencesMax = plansMax;

class StatementList implements CompiledAccess {
  readonly brokenStatements: number;
  readonly statementCount: number;
  readonly patternCount: number;
  readonly hasReports: boolean;
  readonly #statements: readonly CompiledStatement[];
  /** As they are looked at. */
  readonly #inOrder: readonly CompiledStatement[];
  readonly #plans = new Map<string, ActionPlan>();
  readonly #thresholds: IndexThresholds;
  /** The number of references that the plans keep, and that their selections keep. */
  #weight = 0;
  #selectionWeight = 0;
  /** Made when many statements concern an action. */
  #classes: PathClasses | undefined;
  /** The policies with statements that are only reported, which are compiled when they are asked for. */
  readonly #reporting: readonly AttachedPolicy[];
  #reported: StatementList | undefined;

  constructor(
    attached: readonly AttachedPolicy[],
    { thresholds, which }: { readonly thresholds: IndexThresholds; readonly which: CompiledModes },
  ) {
    const statements = compileStatements(attached, which);
    const { statementCount, patternCount } = countPatterns(attached);
    this.#statements = statements;
    this.#reporting = which === 'enforced' ? attached.filter(hasReported) : [];
    this.hasReports = this.#reporting.length > 0;
    this.#thresholds = thresholds;
    this.#inOrder = statements.toSorted((left, right) => rankOf(left) - rankOf(right));
    this.statementCount = statementCount;
    this.patternCount = patternCount;
    this.brokenStatements = statements.filter((statement) => statement.reading.errors.length > 0).length;
  }

  rule(action: string, resource: string, context: () => AccessContext, effort = wholeEffort()): Ruling {
    const plan = this.#planOf(action);
    if (plan.ruling !== undefined) return plan.ruling;
    const selection = plan.selections === undefined ? plan.whole : this.#selectionOf(plan, { path: resource });
    return plan.isPlain
      ? ruleByPath(selection, resource, effort)
      : weigh(selection, requestOf(resource, context, effort));
  }

  ruleOnSome(action: string, pathBeforeId: string, context: () => AccessContext): Ruling {
    const request = requestOfSome(pathBeforeId, context);
    return weigh(this.#selectionOf(this.#planOf(action), { before: pathBeforeId }), request);
  }

  denials(action: string, pathBeforeId: string, context: () => AccessContext): Ruling {
    const plan = this.#planOf(action);
    if (plan.denies.length === 0) return plainRulings.allowed;
    const request = requestOfSome(pathBeforeId, context);
    const { denies } = this.#selectionOf(plan, { before: pathBeforeId });
    return weigh({ denies, allows: 'everything' }, request);
  }

  explain(action: string, resource: string, context: () => AccessContext): Explanation {
    const plan = this.#planOf(action);
    const request = requestOf(resource, context, plan.isSpent ? { stepsLeft: -1 } : wholeEffort());
    const decision = this.rule(action, resource, request.context).outcome;
    const concerned = [...plan.denies, ...plan.allows];
    return explain(this.#statements, request, { decision, concerned, foldedAction: foldAscii(action) });
  }

  reports({ action, resource, outcome }: DecidedRequest, context: () => AccessContext): readonly ReportedStatement[] {
    const reported = this.#reportedList();
    return reported === undefined ? [] : reportedBy(reported.explain(action, resource, context), outcome);
  }

  keep(action: string, context: () => AccessContext, isSecret: (field: string) => boolean): RecordedTexts {
    const keys = [...this.#keysOf(action), ...this.#keysOfReported(action)];
    return keys.length === 0 ? {} : readKept(keys, context(), isSecret);
  }

  #keysOf(action: string): readonly ContextKey[] {
    const { denies, allows } = this.#planOf(action);
    const concerned = [...denies, ...allows];
    return concerned.flatMap(({ tests, resources }) => [
      ...tests.flatMap(({ keys }) => keys),
      ...resources.flatMap(keysOf),
    ]);
  }

  #keysOfReported(action: string): readonly ContextKey[] {
    const reported = this.#reportedList();
    return reported === undefined ? [] : reported.#keysOf(action);
  }

  #reportedList(): StatementList | undefined {
    if (!this.hasReports) return undefined;
    this.#reported ??= new StatementList(this.#reporting, { thresholds: this.#thresholds, which: 'reported' });
    return this.#reported;
  }

  renamedFields(action: string, context: () => AccessContext): readonly RenamedField[] {
    const { denies, allows } = this.#planOf(action);
    const effort = wholeEffort();
    const known = once(context);
    return [...denies, ...allows].flatMap((statement) => renamedFields(statement, known, effort));
  }

  mayDeny(action: string): boolean {
    return this.#planOf(action).denies.length > 0;
  }

  #planOf(action: string): ActionPlan {
    return this.#plans.get(action) ?? this.#plan(action);
  }

  #plan(action: string): ActionPlan {
    const folded = foldAscii(action);
    const effort = wholeEffort();
    const statements = this.#inOrder.filter((statement) => concerns(statement, folded, effort));
    const denies = statements.filter((statement) => statement.effect === 'Deny');
    const allows = statements.filter((statement) => statement.effect === 'Allow');
    const plan: ActionPlan = {
      ...(isSpent(effort)
        ? { ruling: rulingUnseen(denies), isPlain: false, isSpent: true }
        : {
            ruling: rulingForEveryRequest(denies, allows),
            isPlain: statements.every((statement) => statement.isPlain),
            isSpent: false,
          }),
      denies,
      allows,
      whole: selectAll(denies, allows),
      selections: statements.length < this.#thresholds.statements ? undefined : new Map(),
    };
    if (this.#plans.size >= plansMax || this.#weight + statements.length > this.#weightMax) this.#forgetPlans();
    this.#weight += statements.length;
    this.#plans.set(action, plan);
    return plan;
  }

  #selectionOf(plan: ActionPlan, at: SelectedPath): StatementSelection {
    const { selections, whole } = plan;
    if (selections === undefined) return whole;
    const name = 'before' in at ? `~${at.before}` : this.#classOf(at.path);
    const known = selections.get(name);
    if (known !== undefined) return known;
    // Paths come from callers: what is kept stays, and beyond it the statements are looked at one by one.
    if (this.#selectionWeight > this.#weightMax / 2) return whole;
    const selection = select(plan, at, this.#thresholds.texts);
    this.#selectionWeight += selection.weight;
    selections.set(name, selection);
    return selection;
  }

  #classOf(path: string): string {
    this.#classes ??= new PathClasses(this.#statements);
    return this.#classes.classOf(path);
  }

  get #weightMax(): number {
    return referencesMax * this.#statements.length;
  }

  #forgetPlans(): void {
    this.#plans.clear();
    this.#weight = 0;
    this.#selectionWeight = 0;
  }
}

function hasReported({ statements }: AttachedPolicy): boolean {
  return Array.isArray(statements) && statements.some(isReportOnly);
}

/** Once the effort is spent, every statement does: what it says is not looked at then. */
function concerns({ actions }: CompiledStatement, foldedAction: string, effort: Effort): boolean {
  for (const glob of actions) if (matchesGlob(glob, foldedAction, effort) || isSpent(effort)) return true;
  return false;
}

function rulingUnseen(denies: readonly CompiledStatement[]): Ruling {
  return plainRulings[denies.some(({ fields }) => fields === undefined) ? 'explicit_deny' : 'implicit_deny'];
}

/** The sooner, the less a statement may cost: what comes first is looked at even where others take all there is to spend. */
function rankOf(statement: CompiledStatement): number {
  if (matchesEveryRequest(statement)) return 0;
  return statement.isPlain ? 1 : 2;
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

/** Rules on a path where all statements are plain. */
function ruleByPath({ denies, allows }: StatementSelection, path: string, effort: Effort): Ruling {
  for (const statement of denies.first)
    if (reachesPath(statement, path, effort) || isSpent(effort)) return plainRulings.explicit_deny;
  for (const statement of allows.first)
    if (reachesPath(statement, path, effort) && !isSpent(effort)) return plainRulings.allowed;
  return plainRulings.implicit_deny;
}

function reachesPath({ resources }: CompiledStatement, path: string, effort: Effort): boolean {
  for (const glob of resources) if (glob.kind !== 'variable' && matchesGlob(glob, path, effort)) return true;
  return false;
}

function requestOf(path: string, context: () => AccessContext, effort = wholeEffort()): PathRequest {
  return { path, context: once(context), effort };
}

function once(context: () => AccessContext): () => AccessContext {
  let known: AccessContext | undefined;
  return () => {
    known ??= context();
    return known;
  };
}

function requestOfSome(pathBeforeId: string, context: () => AccessContext): PathRequest {
  return {
    path: { before: pathBeforeId },
    context: once(() => withRecordOpen(context())),
    effort: wholeEffort(),
  };
}

function withRecordOpen({ record: _, pending = [], ...context }: AccessContext): AccessContext {
  return { ...context, pending: ['record', 'id', ...pending] };
}

const anyRequest: AccessContext = {
  request: { method: '', path: '', pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 },
  user: { id: '', email: '' },
  tenant: { id: '', code: '' },
  jwt: {},
};

/** Whether a policy is about a field of an entity by its name: in a key, a variable, or a pattern other than `*`. */
export function namesField(
  statements: unknown,
  { entityName, field }: { readonly entityName: string; readonly field: string },
): boolean {
  const access = compileAllStatements([{ policyId: '', policyName: '', via: { kind: 'direct' }, statements }]);
  // As though it was a former name of a field that no pattern matches.
  const names = ['', field];
  const naming = {
    byName: new Map(names.map((name) => [name, names])),
    byFolded: new Map([[foldAscii(field), [names]]]),
  };
  const context = (): AccessContext => ({ ...anyRequest, naming });
  return verbs.some((verb) => access.renamedFields(verb + entityName, context).length > 0);
}
