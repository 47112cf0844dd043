import {
  type AttachedPolicy,
  type CompiledStatement,
  type Look,
  lookAt,
  type StatementMatch,
  standingBy,
} from './compiled-statement.ts';
import type { ConditionTerm } from './conditions/read-condition.ts';
import type { AccessContext, RecordState } from './context/context.ts';
import { type ContextKey, isPending } from './context/context-key.ts';
import { textOf, unknownValue } from './context/context-value.ts';
import type { Effect } from './effect.ts';
import { isSpent, wholeEffort } from './effort.ts';
import { type RenamedField, renamedFields } from './names/renamed-fields.ts';
import { matchesGlob } from './patterns/glob.ts';
import { type AskedPath, keysOf } from './patterns/resource-glob.ts';
import type { Outcome } from './ruling.ts';
import type { StatementReading } from './statement.ts';
import { shownTemplate } from './template.ts';

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
  /** How many statements were evaluated. */
  readonly considered: number;
  /** The decision took more than one may: what was not looked at to its end counts against the caller. */
  readonly over_budget?: true;
}

/** A statement with the first of its patterns that matched. */
export interface MatchedStatement extends Pick<AttachedPolicy, 'policyId' | 'policyName' | 'via'> {
  /** Its place among the statements of the policy, from 0. */
  readonly index: number;
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly actionPattern: string;
  readonly resourcePattern: string;
  /** All that has to hold, as it is written; left out of a statement without a condition, and of a broken one. */
  readonly conditions?: readonly ConditionTerm[];
  /** Where the statement is not about all fields. */
  readonly Fields?: readonly string[];
  /** The keys that it asks for and that lead to several members, whose names differ in ASCII case alone. */
  readonly ambiguous?: readonly AmbiguousKey[];
  /** Fields that it means by names that are not their present ones. */
  readonly renamed?: readonly RenamedField[];
  /** It was not looked at to its end, since the decision took more than one may. */
  readonly over_budget?: true;
  /** What is wrong with a stored statement that counts as a Deny because it cannot be trusted to say less. */
  readonly broken?: StatementReading['errors'];
}

export interface AmbiguousKey {
  readonly key: string;
  /** Some of the names, as they stand below the key's root. */
  readonly members: readonly string[];
}

/** A statement that takes effect and is never enforced. */
export interface ReportedStatement extends MatchedStatement {
  /** What it would do to the call if it was enforced; left out where the outcome would be the same. */
  readonly would?: 'allow' | 'deny';
}

export interface NearStatement extends MatchedStatement {
  /** The first condition that does not hold. None where it depends on what is not known yet. */
  readonly failed_condition?: FailedCondition;
}

export interface FailedCondition {
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
  readonly look: Look;
  readonly standing: StatementMatch;
  readonly isUnseen: boolean;
}

/** Says which statements a decision comes from. It looks at each of them, and no longer than a decision may. */
export function explain(
  statements: readonly CompiledStatement[],
  asked: AskedPath,
  { decision, concerned, foldedAction }: Decided,
): Explanation {
  const seen = new Map<CompiledStatement, Seen>();
  for (const statement of concerned) seen.set(statement, see(statement, asked));
  const shown = { asked: { ...asked, effort: wholeEffort() }, foldedAction };
  const described = statements.flatMap((statement): readonly Told[] => {
    const one = seen.get(statement);
    return one === undefined || (one.look.resource === undefined && !one.isUnseen) ? [] : [{ statement, ...one }];
  });
  const matched = described.filter((one) => one.standing === true).map((one) => describe(one, shown));
  const others = described.filter((one) => one.standing !== true);
  const near = [...others.filter((one) => one.isUnseen), ...others.filter((one) => !one.isUnseen)]
    .slice(0, nearMax)
    .map((one): NearStatement => ({ ...describe(one, shown), ...failureOf(one, shown.asked) }));
  const isOver = isSpent(asked.effort);
  const isConditional = [...seen.keys()].some(({ tests }) => tests.length > 0);
  const state = isConditional ? recordState(asked.context()) : undefined;
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

function see(statement: CompiledStatement, asked: AskedPath): Seen {
  const look = lookAt(statement, asked);
  return { look, standing: standingBy(statement, look, asked.effort), isUnseen: isSpent(asked.effort) };
}

interface Told extends Seen {
  readonly statement: CompiledStatement;
}

interface Shown {
  /** With what may be spent on telling. */
  readonly asked: AskedPath;
  readonly foldedAction: string;
}

function describe({ statement, look, isUnseen }: Told, { asked, foldedAction }: Shown): MatchedStatement {
  const { policy, index, reading, effect, fields, actions, resources, tests } = statement;
  const action = actions.find((glob) => matchesGlob(glob, foldedAction, asked.effort)) ?? actions[0];
  const resource = (isUnseen ? undefined : look.resource) ?? resources[0];
  const renamed = renamedFields(statement, asked.context, asked.effort);
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
    ...(isUnseen ? { over_budget: true } : ambiguityOf(statement, look, asked)),
    ...(reading.errors.length === 0 ? {} : { broken: reading.errors }),
  };
}

function ambiguityOf(
  { tests }: CompiledStatement,
  { resource }: Look,
  { context, effort }: AskedPath,
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
  { look: { failed }, isUnseen }: Seen,
  { context, effort }: AskedPath,
): Pick<NearStatement, 'failed_condition'> {
  if (failed === undefined || isUnseen) return {};
  const { operator, key } = failed.term;
  const [asked, ...variables] = failed.keys;
  const hasSecrets = variables.some((variable) => isSecret(variable, context()));
  const expected = failed.term.expected.map((text) =>
    shownValue(hasSecrets ? text : shownTemplate(text, context(), effort)),
  );
  const found = failed.actual(context(), effort).slice(0, valuesShown);
  const actual = asked !== undefined && isSecret(asked, context()) ? found.map(() => hidden) : found.map(shownValue);
  const state = asked === undefined ? {} : stateOf(asked, context());
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
