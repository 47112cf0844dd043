import {
  type AttachedPolicy,
  type CompiledStatement,
  type MatchDetails,
  matchStatement,
  matchStateOf,
  type StatementMatch,
} from './compiled-statement.ts';
import type { ConditionTerm } from './conditions/read-condition.ts';
import { type AccessContext, type FieldNaming, fieldsRenamedFrom, type RecordState } from './context/context.ts';
import { type ContextKey, isPending } from './context/context-key.ts';
import { textOf, unknownValue } from './context/member-path.ts';
import { type Effort, isSpent, spend, wholeEffort } from './effort.ts';
import { type Glob, matchesGlob } from './patterns/glob.ts';
import { keysOf, type PathRequest } from './patterns/resource-glob.ts';
import type { Outcome } from './ruling.ts';
import type { StatementReading } from './statement.ts';
import { shownTemplate } from './template.ts';
import type { Effect } from './truth.ts';

export interface Explanation {
  readonly decision: Outcome;
  /** The statements that take effect. */
  readonly matched: readonly MatchedStatement[];
  /** Some of those whose action and resource match while the condition does not, or is not decided yet. */
  readonly near: readonly NearStatement[];
  /** Statements that take effect and are never enforced: they have no part in the decision. */
  readonly reported?: readonly ReportedStatement[];
  /** Of an update, the state that `record` stood for. */
  readonly record_state?: RecordState;
  /** The number of statements that were evaluated. */
  readonly considered: number;
  /** The decision took more than one may: what was not looked at to its end counts against the caller. */
  readonly over_budget?: true;
}

/** A statement with the first of its patterns that matched. */
interface MatchedStatement extends Pick<AttachedPolicy, 'policyId' | 'policyName' | 'via'> {
  /** Its place among the statements of the policy, from 0. */
  readonly index: number;
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly actionPattern: string;
  readonly resourcePattern: string;
  /** All that has to hold, as it is written; left out of a statement without a condition, and of a broken one. */
  readonly conditions?: readonly ConditionTerm[];
  /** Set if the statement is not about all fields. */
  readonly Fields?: readonly string[];
  /** The keys that it asks for and that lead to several members, whose names differ in ASCII case alone. */
  readonly ambiguous?: readonly AmbiguousKey[];
  /** Fields that it means by names that are not their present ones. */
  readonly renamed?: readonly RenamedField[];
  /** It was not looked at to its end, since the decision took more than one may. */
  readonly over_budget?: true;
  /** The faults of a stored statement that counts as a Deny because it cannot be trusted to say less. */
  readonly broken?: StatementReading['errors'];
}

interface AmbiguousKey {
  readonly key: string;
  /** Some of the names, as they stand below the key's root. */
  readonly members: readonly string[];
}

/** A statement that takes effect and is never enforced. */
export interface ReportedStatement extends MatchedStatement {
  /** The effect it would have on the call if it was enforced; left out where the outcome would be the same. */
  readonly would?: 'allow' | 'deny';
}

interface NearStatement extends MatchedStatement {
  /** The first condition that does not hold. None where it depends on what is not known yet. */
  readonly failed_condition?: FailedCondition;
}

interface FailedCondition {
  readonly operator: string;
  readonly key: string;
  /** With the values of their variables, where they have one. */
  readonly expected: readonly string[];
  /** The values that the key has: none where it is missing. Long ones are shortened. */
  readonly actual: readonly string[];
  /** Of an update, the state of the record that the key was read in. */
  readonly state?: RecordState;
}

const nearMax = 20;
const valuesShown = 20;
const membersShown = 5;
const lengthShown = 256;

interface Decided {
  readonly decision: Outcome;
  /** The statements that concern the action, in the order in which they are looked at. */
  readonly concerned: readonly CompiledStatement[];
  readonly foldedAction: string;
}

interface Seen {
  readonly match: MatchDetails;
  readonly matchState: StatementMatch;
  readonly isUnseen: boolean;
}

/** Says which statements a decision comes from. It looks at each of them, and no longer than a decision may. */
export function explain(
  statements: readonly CompiledStatement[],
  request: PathRequest,
  { decision, concerned, foldedAction }: Decided,
): Explanation {
  const seen = new Map<CompiledStatement, Seen>();
  for (const statement of concerned) seen.set(statement, see(statement, request));
  const shown = { request: { ...request, effort: wholeEffort() }, foldedAction };
  const described = statements.flatMap((statement): readonly ExplainedStatement[] => {
    const one = seen.get(statement);
    return one === undefined || (one.match.resource === undefined && !one.isUnseen) ? [] : [{ statement, ...one }];
  });
  const matched = described.filter((one) => one.matchState === true).map((one) => describe(one, shown));
  const others = described.filter((one) => one.matchState !== true);
  const near = [...others.filter((one) => one.isUnseen), ...others.filter((one) => !one.isUnseen)]
    .slice(0, nearMax)
    .map((one): NearStatement => ({ ...describe(one, shown), ...failureOf(one, shown.request) }));
  const isOver = isSpent(request.effort);
  const isConditional = [...seen.keys()].some(({ tests }) => tests.length > 0);
  const state = isConditional ? recordState(request.context()) : undefined;
  return {
    decision,
    matched,
    near,
    ...(state === undefined ? {} : { record_state: state }),
    considered: statements.length,
    ...(isOver ? { over_budget: true } : {}),
  };
}

/** An update alone has two states. */
function recordState({ record, before, after, pending }: AccessContext): RecordState | undefined {
  const hasBoth = before !== undefined && (after !== undefined || pending?.includes('after') === true);
  if (!hasBoth || record === undefined) return undefined;
  return record === before ? 'before' : 'after';
}

function stateOf({ state, needs }: ContextKey, context: AccessContext): Pick<FailedCondition, 'state'> {
  const ofRecord = needs.includes('record') ? recordState(context) : undefined;
  if (ofRecord === undefined) return {};
  return { state: state !== undefined && context[state] !== undefined ? state : ofRecord };
}

function see(statement: CompiledStatement, request: PathRequest): Seen {
  const match = matchStatement(statement, request);
  return { match, matchState: matchStateOf(statement, match, request.effort), isUnseen: isSpent(request.effort) };
}

interface ExplainedStatement extends Seen {
  readonly statement: CompiledStatement;
}

interface ShownQuery {
  /** With what may be spent on telling. */
  readonly request: PathRequest;
  readonly foldedAction: string;
}

function describe(
  { statement, match, isUnseen }: ExplainedStatement,
  { request, foldedAction }: ShownQuery,
): MatchedStatement {
  const { policy, index, reading, effect, fields, actions, resources, tests } = statement;
  const action = actions.find((glob) => matchesGlob(glob, foldedAction, request.effort)) ?? actions[0];
  const resource = (isUnseen ? undefined : match.resource) ?? resources[0];
  const renamed = renamedFields(statement, request.context, request.effort);
  return {
    policyId: policy.policyId,
    policyName: policy.policyName,
    via: policy.via,
    index,
    ...(reading.Sid === undefined ? {} : { Sid: reading.Sid }),
    Effect: effect,
    actionPattern: action?.pattern ?? '',
    resourcePattern: resource?.pattern ?? '',
    ...(tests.length === 0 || reading.Condition === undefined ? {} : { conditions: reading.Condition }),
    ...(fields === undefined || reading.Fields === undefined ? {} : { Fields: reading.Fields }),
    ...(renamed.length === 0 ? {} : { renamed }),
    ...(isUnseen ? { over_budget: true } : ambiguityOf(statement, match, request)),
    ...(reading.errors.length === 0 ? {} : { broken: reading.errors }),
  };
}

function ambiguityOf(
  { tests }: CompiledStatement,
  { resource }: MatchDetails,
  { context, effort }: PathRequest,
): Pick<MatchedStatement, 'ambiguous'> {
  const ofResource = resource === undefined ? [] : keysOf(resource);
  const keys = new Map([...tests.flatMap((one) => one.keys), ...ofResource].map((key) => [key.text, key]));
  const ambiguous = [...keys.values()]
    .filter((key) => !isPending(key, context()))
    .map((key) => ({ key: key.text, members: key.spellings(context(), effort).slice(0, membersShown) }))
    .filter(({ members }) => members.length > 1);
  return ambiguous.length === 0 ? {} : { ambiguous };
}

function failureOf(
  { match: { failed }, isUnseen }: Seen,
  { context, effort }: PathRequest,
): Pick<NearStatement, 'failed_condition'> {
  if (failed === undefined || isUnseen) return {};
  const { operator, key } = failed.term;
  const [ownKey, ...variables] = failed.keys;
  const hasSecrets = variables.some((variable) => isSecret(variable, context()));
  const expected = failed.term.expected.map((text) =>
    shownValue(hasSecrets ? text : shownTemplate(text, context(), effort)),
  );
  const found = failed.actual(context(), effort).slice(0, valuesShown);
  const actual = ownKey !== undefined && isSecret(ownKey, context()) ? found.map(() => hidden) : found.map(shownValue);
  const state = ownKey === undefined ? {} : stateOf(ownKey, context());
  return { failed_condition: { operator, key, expected, actual: isSpent(effort) ? ['…'] : actual, ...state } };
}

/** In the place of a value that lies encrypted. */
const hidden = '***';

function isSecret(key: ContextKey, context: AccessContext): boolean {
  return context.isSecret !== undefined && key.fieldNames(context).some(context.isSecret);
}

function shownValue(value: unknown): string {
  const text = value === unknownValue ? 'unknown' : (textOf(value) ?? (Array.isArray(value) ? '[…]' : '{…}'));
  return text.length > lengthShown ? `${text.slice(0, lengthShown)}…`.toWellFormed() : text;
}

/**
 * The changes that only reported statements would make, each alone, to a decision made without them. A Deny with
 * fields takes fields away and denies no call.
 */
export function reportedBy({ matched }: Explanation, outcome: Outcome): readonly ReportedStatement[] {
  return matched
    .filter(({ broken, over_budget }) => broken === undefined && over_budget === undefined)
    .slice(0, reportedMax)
    .map((statement) => ({ ...statement, ...changeBy(statement, outcome) }));
}

const reportedMax = 20;

function changeBy({ Effect, Fields }: MatchedStatement, outcome: Outcome): Pick<ReportedStatement, 'would'> {
  if (Effect === 'Deny') return outcome === 'allowed' && Fields === undefined ? { would: 'deny' } : {};
  return outcome === 'implicit_deny' ? { would: 'allow' } : {};
}

/** A field that a statement means by a name that is not its present one. */
export interface RenamedField {
  /** The key, or the pattern in `Fields`, as the statement has it. */
  readonly name: string;
  /** The present name. */
  readonly field: string;
}

const renamedMax = 20;

/** The fields that a statement calls by a name other than the present one: some of them, where there are many. */
export function renamedFields(
  statement: CompiledStatement,
  context: () => AccessContext,
  effort: Effort,
): readonly RenamedField[] {
  const { tests, resources, fields } = statement;
  const keys = [...tests.flatMap((one) => one.keys), ...resources.flatMap(keysOf)];
  if (keys.length === 0 && fields === undefined) return [];
  const { naming } = context();
  if (naming === undefined) return [];
  const found = new Map<string, RenamedField>();
  const add = (name: string, field: string) => {
    if (found.size < renamedMax) found.set(`${name} ${field}`, { name, field });
  };
  for (const key of keys) {
    for (const name of key.fieldNames(context())) {
      if (!spend(effort, stepsOfKey)) break;
      for (const field of fieldsRenamedFrom(naming, name)) add(key.text, field);
    }
  }
  for (const glob of fields?.includes ?? [])
    for (const field of fieldsMatchedBefore(naming, glob, effort)) add(glob.pattern, field);
  for (const glob of fields?.excludes ?? [])
    for (const field of fieldsMatchedBefore(naming, glob, effort)) add(`!${glob.pattern}`, field);
  return [...found.values()];
}

const stepsOfKey = 32;

/** The present names of fields that a pattern matches by other names alone. */
function fieldsMatchedBefore({ byName }: FieldNaming, glob: Glob, effort: Effort): readonly string[] {
  if (glob.kind === 'any' || !spend(effort, byName.size)) return [];
  return [...byName].flatMap(([name, [present = name, ...others]]) => {
    if (name !== present || matchesGlob(glob, present, effort)) return [];
    return others.some((other) => matchesGlob(glob, other, effort)) ? [present] : [];
  });
}
