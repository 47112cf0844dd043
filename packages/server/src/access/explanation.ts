import { type Asked, type AttachedPolicy, type CompiledStatement, standingOf } from './compiled-statement.ts';
import { isPending } from './context-key.ts';
import { textOf } from './context-value.ts';
import type { Effect } from './effect.ts';
import { type Glob, matchesGlob } from './glob.ts';
import { keysOf, type ResourceGlob, reaches } from './resource-glob.ts';
import type { Outcome } from './ruling.ts';
import type { StatementReading } from './statement.ts';
import { shownTemplate } from './template.ts';

export interface Explanation {
  readonly decision: Outcome;
  /** The statements that take effect. */
  readonly matched: readonly MatchedStatement[];
  /** Some of those whose action and resource match while the condition does not, or nobody knows yet. */
  readonly near: readonly NearStatement[];
  /** How many statements were looked at. */
  readonly considered: number;
}

/** A statement with the first of its patterns that matched. */
export interface MatchedStatement extends Pick<AttachedPolicy, 'policyId' | 'policyName' | 'via'> {
  readonly Sid?: string;
  readonly Effect: Effect;
  readonly actionPattern: string;
  readonly resourcePattern: string;
  /** Where the statement is not about all fields. */
  readonly Fields?: readonly string[];
  /** The keys that it asks for and that lead to several members, whose names differ in ASCII case alone. */
  readonly ambiguous?: readonly AmbiguousKey[];
  /** What is wrong with a stored statement that counts as a Deny because it cannot be trusted to say less. */
  readonly broken?: StatementReading['errors'];
}

export interface AmbiguousKey {
  readonly key: string;
  /** Some of the names, as they stand below the key's root. */
  readonly members: readonly string[];
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
}

const nearMax = 20;
const valuesShown = 20;
const membersShown = 5;
const lengthShown = 256;

export function explain(
  statements: readonly CompiledStatement[],
  asked: Asked,
  { foldedAction, decision }: { readonly foldedAction: string; readonly decision: Outcome },
): Explanation {
  const matched: MatchedStatement[] = [];
  const near: NearStatement[] = [];
  for (const statement of statements) {
    const action = statement.actions.find((glob) => matchesGlob(glob, foldedAction));
    const resource = statement.resources.find((glob) => reaches(glob, asked.path, asked.context) !== false);
    if (action === undefined || resource === undefined) continue;
    const described = { ...describe(statement, action, resource), ...ambiguityOf(statement, resource, asked) };
    if (standingOf(statement, asked) === true) matched.push(described);
    else if (near.length < nearMax) near.push({ ...described, ...failureOf(statement, asked) });
  }
  return { decision, matched, near, considered: statements.length };
}

function describe(
  { policy, reading, effect, fields }: CompiledStatement,
  action: Glob,
  resource: ResourceGlob,
): MatchedStatement {
  return {
    policyId: policy.policyId,
    policyName: policy.policyName,
    via: policy.via,
    ...(reading.Sid === undefined ? {} : { Sid: reading.Sid }),
    Effect: effect,
    actionPattern: action.pattern,
    resourcePattern: resource.pattern,
    ...(fields === undefined || reading.Fields === undefined ? {} : { Fields: reading.Fields }),
    ...(reading.errors.length === 0 ? {} : { broken: reading.errors }),
  };
}

function ambiguityOf(
  { tests }: CompiledStatement,
  resource: ResourceGlob,
  { context }: Asked,
): Pick<MatchedStatement, 'ambiguous'> {
  const keys = new Map([...tests.flatMap((one) => one.keys), ...keysOf(resource)].map((key) => [key.text, key]));
  const ambiguous = [...keys.values()]
    .filter((key) => !isPending(key, context()))
    .map((key) => ({ key: key.text, members: key.spellings(context()).slice(0, membersShown) }))
    .filter(({ members }) => members.length > 1);
  return ambiguous.length === 0 ? {} : { ambiguous };
}

function failureOf({ tests }: CompiledStatement, { context }: Asked): Pick<NearStatement, 'failed_condition'> {
  const failed = tests.find((one) => one.test(context()) === false);
  if (failed === undefined) return {};
  const { operator, key } = failed.term;
  const expected = failed.term.expected.map((text) => shownValue(shownTemplate(text, context())));
  const actual = failed.actual(context()).slice(0, valuesShown).map(shownValue);
  return { failed_condition: { operator, key, expected, actual } };
}

function shownValue(value: unknown): string {
  const text = textOf(value) ?? (Array.isArray(value) ? '[…]' : '{…}');
  return text.length > lengthShown ? `${text.slice(0, lengthShown)}…`.toWellFormed() : text;
}
